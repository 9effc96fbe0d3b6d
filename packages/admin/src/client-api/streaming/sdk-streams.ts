import {
  DeltaHub,
  type DeltaHubOptions,
  DeltaStream,
  type EventStream,
  repeat,
} from "flags-server-kit/http";
import { isExpired, type ApiToken } from "../../access/token.ts";
import { findTokensById } from "../../access/find-tokens.ts";
import { ApiError } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import type { Storage } from "../../storage/storage.ts";
import { CoalescedTask } from "./coalesced-task.ts";
import type { EnvironmentFeed, EnvironmentFeeds } from "./environment-feed.ts";

/** A stream that sends an SDK the flags in the scope of its token, and every change. */
export class SdkStream extends DeltaStream<EnvironmentFeed> {
  /** The token as it was when it was last checked. */
  token: ApiToken;

  constructor(token: ApiToken, feed: EnvironmentFeed, events: EventStream) {
    super(feed, events);
    this.token = token;
  }
}

/** By default there are at most 10,000 streams. */
export interface SdkStreamsOptions extends Partial<DeltaHubOptions> {
  /** How often to check for changes whose notification was missed. @default 1000 */
  readonly checkIntervalMs?: number;
}

/** Keeps the streams to SDKs up to date, and ends those whose token was revoked or has expired. */
export class SdkStreams {
  readonly #storage: Storage;
  readonly #feeds: EnvironmentFeeds;
  readonly #hub: DeltaHub<SdkStream>;
  readonly #check = new CoalescedTask(() => this.#checkStreams());
  readonly #stops: readonly (() => void)[];
  /** The revision up to which all streams are up to date. */
  #checkedRevision: number | undefined;

  constructor(storage: Storage, feeds: EnvironmentFeeds, options: SdkStreamsOptions = {}) {
    const { maxStreams = LIMITS.streams, checkIntervalMs = 1000, ...intervals } = options;
    this.#storage = storage;
    this.#feeds = feeds;
    this.#hub = new DeltaHub({ ...intervals, maxStreams });
    this.#stops = [
      storage.onChange(() => this.#check.request()),
      repeat(() => this.#check.request(), checkIntervalMs),
    ];
  }

  get size(): number {
    return this.#hub.size;
  }

  /** @throws {ApiError} 503 with `Retry-After` if the limit of streams is reached */
  checkCapacity(): void {
    const { rejection } = this.#hub;
    if (rejection === undefined) return;
    const { message, headers } = rejection;
    throw new ApiError("TooManyStreamsError", message, { headers });
  }

  /** Adds a stream that has sent its initial state. */
  add(stream: SdkStream): void {
    this.#hub.add(stream);
    // The token or the flags may have changed since they were read.
    this.#checkedRevision = undefined;
    this.#check.request();
  }

  /** Ends all open streams. Their SDKs reconnect after different delays. */
  endAll(): void {
    for (const stream of this.#hub.streams()) this.#hub.end(stream);
  }

  /** Ends all streams, also those that are added later. Their SDKs reconnect after different delays. */
  close(): void {
    for (const stop of this.#stops) stop();
    this.#hub.close();
  }

  async #checkStreams(): Promise<void> {
    if (this.#hub.size === 0) return;
    this.#endWhere(({ token }) => isExpired(token, new Date()));

    const revision = await this.#storage.revision();
    if (revision === this.#checkedRevision) return;
    this.#checkedRevision = revision;
    try {
      await this.#endRevoked();
      const streams = this.#hub.streams();
      await this.#feeds.advance(new Set(streams.map(({ feed }) => feed)));
      this.#hub.update(streams);
    } catch (error) {
      this.#checkedRevision = undefined;
      throw error;
    }
  }

  async #endRevoked(): Promise<void> {
    const ids = new Set(this.#hub.streams().map(({ token }) => token.id));
    const accepted = await findTokensById(this.#storage.db, [...ids]);
    this.#endWhere(({ token }) => ids.has(token.id) && !accepted.has(token.id));
    for (const stream of this.#hub.streams()) {
      stream.token = accepted.get(stream.token.id) ?? stream.token;
    }
  }

  #endWhere(isOver: (stream: SdkStream) => boolean): void {
    for (const stream of this.#hub.streams()) {
      if (!isOver(stream)) continue;
      this.#hub.remove(stream);
      stream.events.end();
    }
  }
}
