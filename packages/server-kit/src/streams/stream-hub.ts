import { findExcess, MAX_UNREAD_BYTES } from "../http/unread-responses.ts";
import type { EventStream } from "./event-stream.ts";
import { SlicedQueue } from "./sliced-queue.ts";
import { StreamCounts, type StreamLimits } from "./stream-limits.ts";

export interface HubStream {
  readonly events: EventStream;
  /** The key with which the stream was opened, for the limit per key. @default one key for all */
  readonly key?: string;
  readonly bytes?: number;
  /** Sends the comment that keeps it alive. @default an empty comment */
  keepAlive?(): void;
}

export interface StreamHubOptions<Stream extends HubStream> {
  readonly limits: StreamLimits;
  /** Sends a stream everything that its client lacks. Called after `update()`, and when a slow client has caught up. */
  readonly update: (stream: Stream) => void;
  /** Returns how long a client waits before it reconnects. Should be random, so that not all reconnect at the same time. */
  readonly reconnectDelayMs: (openStreams: number) => number;
  /** Maximum time between the comments that keep a stream alive. @default 20000 */
  readonly keepAliveMs?: number | undefined;
  /** How long a client may read nothing before it is disconnected. @default 30000 */
  readonly stallMs?: number | undefined;
  /** @default no limit */
  readonly maxAgeMs?: number | undefined;
  /** Memory for events that clients have not read. @default 67108864 */
  readonly maxUnreadBytes?: number | undefined;
  readonly unreadCheckMs?: number | undefined;
}

/** Why the server closed a stream; `observeClosedStreams()` describes them. */
const CLOSE_REASONS = [
  "max_age",
  "outdated",
  "revoked",
  "shutdown",
  "signature_expired",
  "stalled",
] as const;

export type StreamCloseReason = (typeof CLOSE_REASONS)[number];

export type ClosedStreams = Readonly<Record<StreamCloseReason, number>>;

/** The minimum duration of a stream as a share of `maxAgeMs`, so that not all end at the same time. */
const MIN_AGE_SHARE = 0.75;

/** Keeps open streams up to date and alive, counts them against their limits, and ends them. */
export class StreamHub<Stream extends HubStream> {
  readonly #options: StreamHubOptions<Stream>;
  readonly #stallMs: number;
  readonly #maxAgeMs: number;
  readonly #counts: StreamCounts;
  /** Each stream with the time at which it ends. */
  readonly #streams = new Map<Stream, number>();
  readonly #updates: SlicedQueue<Stream>;
  readonly #closed = Object.fromEntries(CLOSE_REASONS.map((reason) => [reason, 0])) as Record<
    StreamCloseReason,
    number
  >;
  readonly #checks = new SlicedQueue<Stream>((stream) => this.#check(stream));
  readonly #stops: readonly (() => void)[];
  #isClosed = false;

  constructor(options: StreamHubOptions<Stream>) {
    const { keepAliveMs = 20_000, stallMs = 30_000, maxAgeMs = Infinity } = options;
    const { maxUnreadBytes = MAX_UNREAD_BYTES, unreadCheckMs = 1000 } = options;
    this.#options = options;
    this.#stallMs = stallMs;
    this.#maxAgeMs = maxAgeMs;
    this.#counts = new StreamCounts(options.limits);
    this.#updates = new SlicedQueue(options.update);
    const checkMs = Math.min(keepAliveMs, maxAgeMs / 8);
    this.#stops = [
      repeat(() => this.#checks.add(this.#streams.keys()), checkMs),
      repeat(() => this.#limitUnread(maxUnreadBytes, unreadCheckMs / 2), unreadCheckMs),
    ];
  }

  get size(): number {
    return this.#counts.streams;
  }

  get bytes(): number {
    return this.#counts.bytes;
  }

  /** Streams that were closed by the hub, by reason. Clients that disconnected are not counted. */
  get closed(): ClosedStreams {
    return this.#closed;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  streams(): readonly Stream[] {
    return [...this.#streams.keys()];
  }

  has(stream: Stream): boolean {
    return this.#streams.has(stream);
  }

  hasCapacity(key = "", bytes = 0): boolean {
    return this.#counts.allows(key, bytes);
  }

  /** Adds a stream until its client disconnects. Ends it immediately if the hub is closed. */
  add(stream: Stream): void {
    if (this.#isClosed) {
      stream.events.end();
      return;
    }
    const share = MIN_AGE_SHARE + Math.random() * (1 - MIN_AGE_SHARE);
    this.#streams.set(stream, performance.now() + this.#maxAgeMs * share);
    this.#counts.add(stream.key ?? "", stream.bytes ?? 0);
    stream.events.onClose(() => this.remove(stream));
    stream.events.onDrain(() => this.update([stream]));
  }

  update(streams: Iterable<Stream>): void {
    this.#updates.add(streams);
  }

  keepAlive(streams: Iterable<Stream>): void {
    this.#checks.add(streams);
  }

  end(stream: Stream, reason: StreamCloseReason): void {
    if (!this.remove(stream)) return;
    this.#closed[reason] += 1;
    stream.events.retryAfter(this.reconnectDelayMs());
    stream.events.end();
  }

  endIf(condition: (stream: Stream) => boolean, reason: StreamCloseReason): void {
    for (const stream of this.streams()) if (condition(stream)) this.end(stream, reason);
  }

  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    this.#updates.clear();
    this.#checks.clear();
    for (const { events } of this.#streams.keys()) {
      this.#closed.shutdown += 1;
      events.retryAfter(this.reconnectDelayMs());
      events.end();
    }
  }

  reconnectDelayMs(): number {
    return this.#options.reconnectDelayMs(this.size);
  }

  protected remove(stream: Stream): boolean {
    if (!this.#streams.delete(stream)) return false;
    this.#counts.remove(stream.key ?? "", stream.bytes ?? 0);
    this.#updates.delete(stream);
    this.#checks.delete(stream);
    return true;
  }

  /** @param lateMs how long a client must have made no progress, unless the events take far too much memory */
  #limitUnread(maxBytes: number, lateMs: number): void {
    const nowMs = performance.now();
    const blocked = this.streams().flatMap((stream) => {
      const { unread, blockedSinceMs = nowMs } = stream.events;
      return unread.size === 0
        ? []
        : [{ stream, unread, isLate: nowMs - blockedSinceMs >= lateMs }];
    });
    const readers = new Map<ArrayBufferLike, number>();
    for (const { unread } of blocked) {
      for (const buffer of unread) readers.set(buffer, (readers.get(buffer) ?? 0) + 1);
    }
    const measured = blocked.map(({ unread, ...rest }) => {
      let bytes = 0;
      for (const buffer of unread) bytes += buffer.byteLength / (readers.get(buffer) ?? 1);
      return { ...rest, bytes };
    });
    for (const { stream } of findExcess(measured, maxBytes).largest) this.#disconnect(stream);
  }

  #check(stream: Stream): void {
    const { blockedSinceMs } = stream.events;
    const nowMs = performance.now();
    if (blockedSinceMs !== undefined && nowMs - blockedSinceMs > this.#stallMs) {
      this.#disconnect(stream);
    } else if (nowMs >= (this.#streams.get(stream) ?? 0)) {
      this.end(stream, "max_age");
    } else if (stream.keepAlive === undefined) {
      stream.events.keepAlive();
    } else {
      stream.keepAlive();
    }
  }

  #disconnect(stream: Stream): void {
    this.#closed.stalled += 1;
    stream.events.destroy();
  }
}

export function repeat(action: () => void, intervalMs: number): () => void {
  const timer = setInterval(action, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
