import { ApiError } from "../../errors.ts";
import { findTokensById } from "../../access/find-tokens.ts";
import { LIMITS } from "../../limits.ts";
import { isExpired } from "../../access/token.ts";
import type { Storage } from "../../storage/storage.ts";
import type { FlagStream } from "./flag-stream.ts";
import { RepeatedTask } from "./repeated-task.ts";
import type { ScopeFeeds } from "./scope-feeds.ts";

/** Long enough that those who are refused do not keep the service from serving the others. */
const RETRY_AFTER_SECONDS = 10;

/** Readers that lose their stream together come back within this time, and not at once. */
const MAX_RECONNECT_MS = 5000;

export interface StreamOptions {
  /** Most streams that may be open, as each takes memory and a connection. @default 10000 */
  readonly maxStreams?: number;
  /** How often streams show that they are alive. @default 20000 */
  readonly keepAliveMs?: number;
  /** How long a reader may take nothing before it is given up. @default 30000 */
  readonly stallMs?: number;
  /** How often it is looked whether a change went by unheard. @default 1000 */
  readonly checkIntervalMs?: number;
}

/** Keeps all open streams up to date, and ends those whose token is not accepted any more. */
export class StreamHub {
  readonly #storage: Storage;
  readonly #feeds: ScopeFeeds;
  readonly #stallMs: number;
  readonly #maxStreams: number;
  readonly #streams = new Set<FlagStream>();
  readonly #check = new RepeatedTask(() => this.#checkStreams());
  readonly #stops: readonly (() => void)[];
  /** Revision for which all streams were seen to. */
  #checkedRevision: number | undefined;
  #isClosed = false;

  constructor(storage: Storage, feeds: ScopeFeeds, options: StreamOptions = {}) {
    const { keepAliveMs = 20_000, stallMs = 30_000, checkIntervalMs = 1000 } = options;
    this.#storage = storage;
    this.#feeds = feeds;
    this.#stallMs = stallMs;
    this.#maxStreams = options.maxStreams ?? LIMITS.streams;
    this.#stops = [
      storage.onChange(() => this.#check.request()),
      repeat(() => this.#check.request(), checkIntervalMs),
      repeat(() => this.#keepAlive(), keepAliveMs),
    ];
  }

  get size(): number {
    return this.#streams.size;
  }

  /**
   * @throws {ApiError} when as many streams are open as may be
   */
  requireRoom(): void {
    if (this.#streams.size < this.#maxStreams) return;
    throw new ApiError(
      "TooManyStreamsError",
      `There can be at most ${this.#maxStreams} streams: ask for deltas, or try again later`,
      { headers: { "retry-after": String(RETRY_AFTER_SECONDS) } },
    );
  }

  /** Takes care of a stream from now on. */
  add(stream: FlagStream): void {
    if (this.#isClosed) {
      stream.events.end();
      return;
    }
    this.#streams.add(stream);
    stream.events.onClose(() => this.#streams.delete(stream));
    // Something may have changed since its token and its feed were looked up.
    this.#checkedRevision = undefined;
    this.#check.request();
  }

  /** Ends all streams, and has their readers come back one after the other. */
  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    for (const { events } of this.#streams) {
      events.retryAfter(Math.random() * MAX_RECONNECT_MS);
      events.end();
    }
  }

  async #checkStreams(): Promise<void> {
    if (this.#streams.size === 0) return;
    this.#endThose(({ token }) => isExpired(token, new Date()));

    const revision = await this.#storage.revision();
    if (revision === this.#checkedRevision) return;
    this.#checkedRevision = revision;
    try {
      await this.#endUnaccepted();
      await this.#pushChanges();
    } catch (error) {
      this.#checkedRevision = undefined;
      throw error;
    }
  }

  async #endUnaccepted(): Promise<void> {
    const ids = new Set(Array.from(this.#streams, ({ token }) => token.id));
    const accepted = await findTokensById(this.#storage.db, [...ids]);
    this.#endThose(({ token }) => ids.has(token.id) && !accepted.has(token.id));
    for (const stream of this.#streams)
      stream.token = accepted.get(stream.token.id) ?? stream.token;
  }

  async #pushChanges(): Promise<void> {
    await this.#feeds.advance(new Set(Array.from(this.#streams, ({ feed }) => feed)));
    for (const stream of this.#streams) stream.push();
  }

  #endThose(isOver: (stream: FlagStream) => boolean): void {
    for (const stream of this.#streams) {
      if (!isOver(stream)) continue;
      this.#streams.delete(stream);
      stream.events.end();
    }
  }

  #keepAlive(): void {
    const now = performance.now();
    for (const { events } of this.#streams) {
      if (now - (events.blockedSince ?? now) > this.#stallMs) events.destroy();
      else events.keepAlive();
    }
  }
}

function repeat(action: () => void, intervalMs: number): () => void {
  const timer = setInterval(action, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
