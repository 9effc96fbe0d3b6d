import {
  type ClosedStreams,
  DeltaHub,
  type DeltaHubOptions,
  DeltaStream,
  type EventStream,
  repeat,
} from "flags-server-kit/http";
import { findTokensById } from "../access/token-store.ts";
import { type ApiToken, grantsProject, isExpired } from "../access/token.ts";
import { CoalescedTask } from "../scheduling/coalesced-task.ts";
import { ApiError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { Storage } from "../storage/storage.ts";
import type { EnvironmentFeed, EnvironmentFeeds } from "./environment-feed.ts";

/** A stream that sends an SDK the flags in the scope of its token, and every change. */
export class SdkStream extends DeltaStream<EnvironmentFeed> {
  /** The token as it was when it was last checked. */
  token: ApiToken;

  constructor(token: ApiToken, feed: EnvironmentFeed, events: EventStream) {
    super(token.id, feed, events);
    this.token = token;
  }
}

/** Maximum memory for the feeds of all open streams: 200 feeds of 5,000 flags. */
const MAX_FEED_BYTES = 100 * 1024 * 1024;

/** By default there are at most 10,000 streams, whose feeds may use 100 MiB. */
export interface SdkStreamsOptions extends Partial<Omit<DeltaHubOptions, "toError">> {
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
  /** The revision up to which all streams except the added ones are up to date. */
  #checkedRevision: number | undefined;
  /** Streams that have been added since the last check: their token or flags may have changed meanwhile. */
  #added: SdkStream[] = [];

  constructor(storage: Storage, feeds: EnvironmentFeeds, options: SdkStreamsOptions = {}) {
    const {
      maxStreams = LIMITS.streams,
      maxFeedBytes = MAX_FEED_BYTES,
      checkIntervalMs = 1000,
      ...intervals
    } = options;
    this.#storage = storage;
    this.#feeds = feeds;
    this.#hub = new DeltaHub({
      ...intervals,
      maxStreams,
      maxFeedBytes,
      toError: (message, headers) => new ApiError("TooManyStreamsError", message, { headers }),
    });
    this.#stops = [
      storage.onChange(() => this.#check.request()),
      repeat(() => {
        this.#endExpired();
        this.#check.request();
      }, checkIntervalMs),
    ];
  }

  get size(): number {
    return this.#hub.size;
  }

  get closed(): ClosedStreams {
    return this.#hub.closed;
  }

  /** @throws {ApiError} 503 with `Retry-After` if a limit is reached: of streams, or of different filters for a token */
  checkCapacity({ id }: ApiToken, feed: EnvironmentFeed): void {
    this.#hub.checkCapacity(id, feed);
  }

  /** Adds a stream that has sent its initial state. */
  add(stream: SdkStream): void {
    this.#hub.add(stream);
    this.#added.push(stream);
    this.#check.request();
  }

  /** Ends all open streams, because the database lacks changes that they have sent. Their SDKs reconnect after different delays. */
  endAll(): void {
    this.#hub.endIf(() => true, "outdated");
  }

  /**
   * Ends all streams, including those that are added later. Their SDKs reconnect after different
   * delays.
   */
  close(): void {
    for (const stop of this.#stops) stop();
    this.#hub.close();
  }

  /** NOTE: many SDKs may connect at the same time, so adding a stream must not cost time for all of them. */
  async #checkStreams(): Promise<void> {
    if (this.#hub.size === 0) {
      this.#added = [];
      return;
    }
    const revision = await this.#storage.revision();
    const hasChanged = revision !== this.#checkedRevision;
    const streams = hasChanged ? this.#hub.streams() : this.#added;
    this.#added = [];
    this.#checkedRevision = revision;
    if (streams.length === 0) return;
    try {
      await this.#endRevoked(streams);
      await this.#feeds.advance(new Set(streams.map(({ feed }) => feed)));
      this.#hub.update(streams.filter((stream) => this.#hub.has(stream)));
    } catch (error) {
      this.#checkedRevision = undefined;
      throw error;
    }
  }

  async #endRevoked(streams: readonly SdkStream[]): Promise<void> {
    const ids = new Set(streams.map(({ token }) => token.id));
    const accepted = await findTokensById(this.#storage.db, [...ids]);
    for (const stream of streams) {
      const token = accepted.get(stream.token.id);
      if (token === undefined || lacksProject(token, stream.token))
        this.#hub.end(stream, "revoked");
      stream.token = token ?? stream.token;
    }
  }

  #endExpired(): void {
    const now = new Date();
    this.#hub.endIf(({ token }) => isExpired(token, now), "revoked");
  }
}

/**
 * Whether a token no longer grants access to a project. NOTE: the project was deleted, but a new one can have its id, and
 * the stream would send its flags.
 */
function lacksProject(now: ApiToken, before: ApiToken): boolean {
  return !before.projects.every((project) => grantsProject(now, project));
}
