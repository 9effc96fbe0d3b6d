import type { EventStream } from "./event-stream.ts";
import { writeEvent } from "./write-event.ts";
import { FeedShare } from "./feed-share.ts";
import { type HubStream, StreamHub, type StreamHubOptions } from "./stream-hub.ts";

interface DeltaMessage {
  readonly id: number;
  readonly text: string;
  readonly size: number;
}

export interface DeltaFeed {
  readonly id: number;
  /** Memory for the feed. 0: it does not depend on the client. */
  readonly bytes: number;
  /** Returns the changes since a state; the complete state if the changes are not known. */
  update(sinceId: number | undefined): DeltaMessage;
}

type EventName = keyof typeof encodedEvents;

/** A stream of the Unleash streaming API, which sends an SDK every change of its flag definitions. */
export class DeltaStream<Feed extends DeltaFeed> implements HubStream {
  readonly key: string;
  readonly feed: Feed;
  readonly events: EventStream;
  /** The state of the SDK once it has read everything that was sent. */
  #id: number | undefined;

  constructor(key: string, feed: Feed, events: EventStream) {
    this.key = key;
    this.feed = feed;
    this.events = events;
  }

  sendInitial(lastEventId: number | undefined): void {
    this.send("unleash-connected", this.feed.update(lastEventId));
  }

  /**
   * Sends the changes since the last event. An SDK that reads too slowly receives nothing more until
   * it has caught up, and then only the difference.
   */
  update(): void {
    if (this.events.blockedSinceMs !== undefined || this.#id === this.feed.id) return;
    const message = this.feed.update(this.#id);
    if (message.size === 0) this.#id = message.id;
    else this.send("unleash-updated", message);
  }

  protected send(name: EventName, message: DeltaMessage): void {
    this.#id = message.id;
    this.events.write(encodeEvent(name, message));
  }
}

export interface DeltaHubOptions extends Pick<
  StreamHubOptions<HubStream>,
  "keepAliveMs" | "stallMs"
> {
  readonly maxStreams: number;
  readonly maxFeedBytes: number;
  readonly toError: (message: string, headers: Record<string, string>) => Error;
}

/** A keep-alive confirms that nothing has changed: as often as a poll by default. */
const KEEP_ALIVE_MS = 5000;

/** SDKs that lose their stream at the same time reconnect after a random delay of up to this. */
const MAX_RECONNECT_MS = 5000;

const RETRY_AFTER_SECONDS = 10;

export class DeltaHub<Stream extends DeltaStream<DeltaFeed>> extends StreamHub<Stream> {
  readonly #maxStreams: number;
  readonly #feeds: FeedShare;
  readonly #toError: DeltaHubOptions["toError"];

  constructor({ maxStreams, maxFeedBytes, toError, ...intervals }: DeltaHubOptions) {
    super({
      keepAliveMs: KEEP_ALIVE_MS,
      ...intervals,
      limits: { maxStreams },
      update: (stream) => stream.update(),
      reconnectDelayMs: () => Math.random() * MAX_RECONNECT_MS,
    });
    this.#maxStreams = maxStreams;
    this.#feeds = new FeedShare(maxFeedBytes);
    this.#toError = toError;
  }

  checkCapacity(client: string, feed: DeltaFeed): void {
    if (!this.hasCapacity(client)) {
      throw this.#refusal(
        `There can be at most ${this.#maxStreams} streams: poll for deltas, or try again later`,
      );
    }
    if (!this.#feeds.canAdd(client, feed)) {
      throw this.#refusal(
        "The open streams of this token have too many different filters: use the same ones for several streams, poll for deltas, or try again later",
      );
    }
  }

  override add(stream: Stream): void {
    super.add(stream);
    if (this.has(stream)) this.#feeds.add(stream.key, stream.feed);
  }

  protected override remove(stream: Stream): boolean {
    const wasOpen = super.remove(stream);
    if (wasOpen) this.#feeds.remove(stream.feed);
    return wasOpen;
  }

  #refusal(message: string): Error {
    return this.#toError(message, { "retry-after": String(RETRY_AFTER_SECONDS) });
  }
}

const encodedEvents = {
  "unleash-connected": new WeakMap<DeltaMessage, Buffer>(),
  "unleash-updated": new WeakMap<DeltaMessage, Buffer>(),
};

/** Encodes a message once: streams share its bytes, which would use much memory while clients read slowly. */
function encodeEvent(name: EventName, message: DeltaMessage): Buffer {
  const known = encodedEvents[name].get(message);
  const bytes = known ?? Buffer.from(writeEvent({ name, id: message.id, data: message.text }));
  encodedEvents[name].set(message, bytes);
  return bytes;
}
