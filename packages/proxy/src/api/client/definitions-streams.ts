import type { FlagSource } from "flags-sdk";
import {
  DeltaStream,
  type EventStream,
  StreamHub,
  type StreamHubOptions,
} from "flags-server-kit/http";
import { HttpError } from "../../errors.ts";
import type { DefinitionsFeed, DefinitionsFeeds } from "./definitions-feed.ts";

/** Default number of streams, each of which requires memory and a connection. */
const MAX_STREAMS = 10_000;
const RETRY_AFTER_SECONDS = 10;
const MAX_RECONNECT_MS = 5000;

/** A stream that sends an SDK the definitions of one source, and every change. */
export class DefinitionsStream extends DeltaStream<DefinitionsFeed> {
  readonly source: FlagSource;

  constructor(source: FlagSource, feed: DefinitionsFeed, events: EventStream) {
    super(feed, events);
    this.source = source;
  }
}

export interface DefinitionsStreamsOptions extends Pick<
  StreamHubOptions<DefinitionsStream>,
  "keepAliveMs" | "stallMs"
> {
  /** @default 10000 */
  readonly maxStreams?: number;
}

/** Keeps the streams of definitions up to date. */
export class DefinitionsStreams {
  readonly #feeds: DefinitionsFeeds;
  readonly #maxStreams: number;
  readonly #hub: StreamHub<DefinitionsStream>;
  readonly #unfollow: readonly (() => void)[];

  constructor(
    sources: readonly FlagSource[],
    feeds: DefinitionsFeeds,
    { maxStreams = MAX_STREAMS, ...intervals }: DefinitionsStreamsOptions = {},
  ) {
    this.#feeds = feeds;
    this.#maxStreams = maxStreams;
    this.#hub = new StreamHub({
      ...intervals,
      limits: { maxStreams },
      update: (stream) => stream.update(),
      reconnectDelayMs: () => Math.random() * MAX_RECONNECT_MS,
    });
    this.#unfollow = sources.map((source) => {
      const onChanged = (): void => this.#advance(source);
      source.on("changed", onChanged);
      return () => void source.off("changed", onChanged);
    });
  }

  get size(): number {
    return this.#hub.size;
  }

  /** @throws {HttpError} 503 with `Retry-After` if the limit of streams is reached */
  checkCapacity(): void {
    if (this.#hub.hasCapacity()) return;
    throw new HttpError(
      503,
      `There can be at most ${this.#maxStreams} streams: poll for deltas, or try again later`,
      { headers: { "retry-after": String(RETRY_AFTER_SECONDS) } },
    );
  }

  /** Adds a stream that has sent its initial state. */
  add(stream: DefinitionsStream): void {
    this.#hub.add(stream);
  }

  /** Ends all streams. Their SDKs reconnect after different delays. */
  close(): void {
    for (const unfollow of this.#unfollow) unfollow();
    this.#hub.close();
  }

  #advance(source: FlagSource): void {
    const { definitions } = source;
    if (definitions === undefined) return;
    this.#feeds.advance(source, definitions);
    const streams = this.#hub.streams().filter((stream) => stream.source === source);
    // The feed of an open stream may no longer be among the recent ones.
    for (const { feed } of streams) feed.advance(definitions);
    this.#hub.update(streams);
  }
}
