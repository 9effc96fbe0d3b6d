import type { FlagSource } from "flags-sdk";
import { HttpError } from "../../errors.ts";
import type { DefinitionsFeeds } from "./definitions-feeds.ts";
import type { DefinitionsStream } from "./definitions-stream.ts";

/** Most streams that may be open, as each takes memory and a connection. */
const MAX_STREAMS = 10_000;
const KEEP_ALIVE_MS = 20_000;
/** How long a reader may take nothing before it is given up. */
const STALL_MS = 30_000;
const RETRY_AFTER_SECONDS = 10;
const MAX_RECONNECT_MS = 5000;

export interface StreamLimits {
  readonly maxStreams?: number;
  readonly keepAliveMs?: number;
  readonly stallMs?: number;
}

/** Keeps all open streams of definitions up to date, and gives up those that do not read. */
export class DefinitionsStreams {
  readonly #streams = new Set<DefinitionsStream>();
  readonly #maxStreams: number;
  readonly #stallMs: number;
  readonly #stops: readonly (() => void)[];
  #isClosed = false;

  constructor(
    sources: readonly FlagSource[],
    feeds: DefinitionsFeeds,
    {
      maxStreams = MAX_STREAMS,
      keepAliveMs = KEEP_ALIVE_MS,
      stallMs = STALL_MS,
    }: StreamLimits = {},
  ) {
    this.#maxStreams = maxStreams;
    this.#stallMs = stallMs;
    const timer = setInterval(() => this.#keepAlive(), keepAliveMs).unref();
    this.#stops = [
      () => clearInterval(timer),
      ...sources.map((source) => {
        const onChange = (): void => this.#advance(source, feeds);
        source.on("changed", onChange);
        return () => void source.off("changed", onChange);
      }),
    ];
  }

  get size(): number {
    return this.#streams.size;
  }

  /**
   * To be asked before a stream is opened.
   *
   * @throws {HttpError} when as many are open as may be
   */
  requireRoom(): void {
    if (this.#streams.size < this.#maxStreams) return;
    throw new HttpError(
      503,
      `There can be at most ${this.#maxStreams} streams: ask for deltas, or try again later`,
      { headers: { "retry-after": String(RETRY_AFTER_SECONDS) } },
    );
  }

  /** Takes care of a stream from now on. */
  add(stream: DefinitionsStream): void {
    if (this.#isClosed) {
      stream.events.end();
      return;
    }
    this.#streams.add(stream);
    stream.events.onClose(() => this.#streams.delete(stream));
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

  #advance(source: FlagSource, feeds: DefinitionsFeeds): void {
    const { definitions } = source;
    if (definitions === undefined) return;
    feeds.advance(source, definitions);
    for (const stream of this.#streams) {
      if (stream.source === source) stream.advance(definitions);
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
