import type { FlagSource } from "flags-sdk";
import type { Registry } from "prom-client";
import { streamLimitReached } from "../errors.ts";
import { createPushMetrics, type PushMetrics } from "./stream-metrics.ts";
import type { PushStream } from "./flag-stream.ts";
import type { SharedEvents } from "./shared-events.ts";
import { SlicedQueue } from "./sliced-queue.ts";
import { StreamCounts, type StreamLimits } from "./stream-limits.ts";

/** How streams are treated. */
export interface PushRules extends StreamLimits {
  /** A stream is ended after this time at the latest. */
  readonly maxAgeMs: number;
  /** How often a comment shows that a stream is alive. @default 20000 */
  readonly heartbeatMs?: number;
  /** How long a client may read nothing before it is disconnected. @default 30000 */
  readonly stallMs?: number;
  /** How often rules that depend on the time are evaluated again. @default 10000 */
  readonly clockMs?: number;
}

interface PushDependencies {
  readonly events: ReadonlyMap<FlagSource, SharedEvents>;
  readonly registry: Registry;
}

/** The shortest life of a stream, as a share of `maxAgeMs`: they should not all end at once. */
const MIN_AGE_SHARE = 0.75;

/** Clients that lose their stream together reconnect at this rate at most, and not at once. */
const RECONNECTS_PER_MS = 1;
const MIN_RECONNECT_MS = 1000;
const MIN_SPREAD_MS = 4000;

/** Keeps all open streams up to date and alive, and enforces their limits. */
export class PushHub {
  readonly #rules: Required<PushRules>;
  readonly #events: ReadonlyMap<FlagSource, SharedEvents>;
  readonly #metrics: PushMetrics;
  readonly #counts: StreamCounts;
  /** Each stream with the time at which it is to end. */
  readonly #streams = new Map<PushStream, number>();
  readonly #updates = new SlicedQueue<PushStream>((stream) => this.#update(stream));
  readonly #checks = new SlicedQueue<PushStream>((stream) => this.#check(stream));
  readonly #stops: readonly (() => void)[];
  #isClosed = false;

  constructor(rules: PushRules, { events, registry }: PushDependencies) {
    const { heartbeatMs = 20_000, stallMs = 30_000, clockMs = 10_000, maxAgeMs } = rules;
    this.#rules = { ...rules, heartbeatMs, stallMs, clockMs };
    this.#events = events;
    this.#counts = new StreamCounts(rules);
    this.#metrics = createPushMetrics(registry, this.#counts);
    this.#stops = [
      repeat(() => this.#checks.add(this.#streams.keys()), Math.min(heartbeatMs, maxAgeMs / 8)),
      repeat(() => this.#reevaluateTime(), clockMs),
      ...Array.from(events.keys(), (source) => this.#follow(source)),
    ];
  }

  get size(): number {
    return this.#streams.size;
  }

  /**
   * Checks that a client key may open another stream.
   *
   * @param bytes memory for its subscription
   * @throws {HttpError} 503 with `Retry-After`
   */
  checkCapacity(clientKey: string, bytes: number): void {
    if (!this.#isClosed && this.#counts.allows(clientKey, bytes)) return;
    this.#metrics.refused.inc();
    throw streamLimitReached(Math.ceil(this.#reconnectDelayMs() / 1000));
  }

  /** Adds a stream, and sends it its current flags. */
  add(stream: PushStream): void {
    const share = MIN_AGE_SHARE + Math.random() * (1 - MIN_AGE_SHARE);
    this.#streams.set(stream, performance.now() + this.#rules.maxAgeMs * share);
    this.#counts.add(stream.clientKey, stream.bytes);
    this.#metrics.opened.inc();
    stream.events.onClose(() => this.#forget(stream));
    stream.events.onDrain(() => this.#updates.add([stream]));
    stream.events.retryAfter(this.#reconnectDelayMs());
    this.#update(stream);
  }

  /** Ends all streams. Their clients reconnect elsewhere, one after the other. */
  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    this.#updates.clear();
    this.#checks.clear();
    for (const stream of this.#streams.keys()) stream.end(this.#reconnectDelayMs());
  }

  #follow(source: FlagSource): () => void {
    const onChanged = (): void => this.#updates.add(this.#streamsOf(source));
    source.on("changed", onChanged);
    return () => void source.off("changed", onChanged);
  }

  #reevaluateTime(): void {
    for (const [source, events] of this.#events) {
      const { readsClock, callsCustomStrategy } = source.snapshot?.contextDependencies ?? {};
      if (readsClock !== true && callsCustomStrategy !== true) continue;
      events.clear();
      this.#updates.add(this.#streamsOf(source));
    }
  }

  #streamsOf(source: FlagSource): readonly PushStream[] {
    return [...this.#streams.keys()].filter((stream) => stream.source === source);
  }

  /** NOTE: reads the snapshot only now, so that an older event never follows a newer one. */
  #update(stream: PushStream): void {
    const { snapshot } = stream.source;
    const events = this.#events.get(stream.source);
    if (snapshot === undefined || events === undefined) return;
    if (stream.isOutdated(snapshot.contextDependencies)) {
      this.#end(stream);
    } else if (stream.offer(events.get(snapshot, stream.subscription()))) {
      this.#metrics.events.inc();
    }
  }

  #check(stream: PushStream): void {
    const { blockedSince } = stream.events;
    const nowMs = performance.now();
    const isOver = nowMs >= (this.#streams.get(stream) ?? 0);
    if (blockedSince !== undefined && (isOver || nowMs - blockedSince > this.#rules.stallMs)) {
      this.#metrics.dropped.inc();
      stream.events.destroy();
    } else if (isOver) {
      this.#end(stream);
    } else {
      stream.events.keepAlive();
    }
  }

  #end(stream: PushStream): void {
    this.#forget(stream);
    stream.end(this.#reconnectDelayMs());
  }

  #forget(stream: PushStream): void {
    if (!this.#streams.delete(stream)) return;
    this.#counts.remove(stream.clientKey, stream.bytes);
    this.#updates.delete(stream);
    this.#checks.delete(stream);
  }

  #reconnectDelayMs(): number {
    const spreadMs = Math.max(MIN_SPREAD_MS, this.size / RECONNECTS_PER_MS);
    return MIN_RECONNECT_MS + Math.random() * spreadMs;
  }
}

function repeat(action: () => void, intervalMs: number): () => void {
  const timer = setInterval(action, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
