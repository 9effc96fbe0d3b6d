import type { FlagSource } from "flags-sdk";
import type { Registry } from "prom-client";
import { noRoomForStream } from "../errors.ts";
import { createPushMetrics, type PushMetrics } from "./push-metrics.ts";
import type { PushStream } from "./push-stream.ts";
import type { SharedAnswers } from "./shared-answers.ts";
import { SlicedQueue } from "./sliced-queue.ts";

/** How streams are treated. */
export interface PushRules {
  /** Streams that may be open at a time. */
  readonly maxStreams: number;
  /** After so long a stream is ended at the latest. */
  readonly maxAgeMs: number;
  /** How often streams show that they are alive. @default 20000 */
  readonly heartbeatMs?: number;
  /** How long a reader may take nothing before it is given up. @default 30000 */
  readonly stallMs?: number;
  /** How often rules are asked again whose answer changes with time. @default 10000 */
  readonly clockMs?: number;
}

interface PushParts {
  readonly answers: ReadonlyMap<FlagSource, SharedAnswers>;
  readonly registry: Registry;
}

/** The earliest a stream may end of old age, in shares of `maxAgeMs`: they should not all at once. */
const EARLIEST_END = 0.75;

/** Clients that lose their stream together come back at no more than this rate, and not at once. */
const RETURNS_PER_MS = 1;
const MIN_RETURN_MS = 1000;
const MIN_SPREAD_MS = 4000;

/** Keeps all open streams up to date, alive and in bounds. */
export class PushHub {
  readonly #rules: Required<PushRules>;
  readonly #answers: ReadonlyMap<FlagSource, SharedAnswers>;
  readonly #metrics: PushMetrics;
  /** Each stream with the moment at which it is to end. */
  readonly #streams = new Map<PushStream, number>();
  readonly #updates = new SlicedQueue<PushStream>((stream) => this.#update(stream));
  readonly #checks = new SlicedQueue<PushStream>((stream) => this.#check(stream));
  readonly #stops: readonly (() => void)[];
  #isClosed = false;

  constructor(rules: PushRules, { answers, registry }: PushParts) {
    const { heartbeatMs = 20_000, stallMs = 30_000, clockMs = 10_000, maxAgeMs } = rules;
    this.#rules = { ...rules, heartbeatMs, stallMs, clockMs };
    this.#answers = answers;
    this.#metrics = createPushMetrics(registry, () => this.size);
    this.#stops = [
      repeat(() => this.#checks.add(this.#streams.keys()), Math.min(heartbeatMs, maxAgeMs / 8)),
      repeat(() => this.#passTime(), clockMs),
      ...Array.from(answers.keys(), (source) => this.#follow(source)),
    ];
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Throws a 503 when there is no room for another stream. */
  checkRoom(): void {
    if (this.size < this.#rules.maxStreams && !this.#isClosed) return;
    this.#metrics.refused.inc();
    throw noRoomForStream(Math.ceil(this.#returnDelayMs() / 1000));
  }

  /** Takes care of a stream from now on, beginning with its answer. */
  add(stream: PushStream): void {
    const share = EARLIEST_END + Math.random() * (1 - EARLIEST_END);
    this.#streams.set(stream, performance.now() + this.#rules.maxAgeMs * share);
    this.#metrics.opened.inc();
    stream.events.onClose(() => this.#forget(stream));
    stream.events.onDrain(() => this.#updates.add([stream]));
    stream.events.retryAfter(this.#returnDelayMs());
    this.#update(stream);
  }

  /** Ends all streams; their clients come back, to others, one after the other. */
  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    this.#updates.clear();
    this.#checks.clear();
    for (const stream of this.#streams.keys()) stream.end(this.#returnDelayMs());
  }

  #follow(source: FlagSource): () => void {
    const onChanged = (): void => this.#updates.add(this.#streamsOf(source));
    source.on("changed", onChanged);
    return () => void source.off("changed", onChanged);
  }

  #passTime(): void {
    for (const [source, answers] of this.#answers) {
      const { readsClock, callsCustomStrategy } = source.snapshot?.relevance ?? {};
      if (readsClock !== true && callsCustomStrategy !== true) continue;
      answers.forget();
      this.#updates.add(this.#streamsOf(source));
    }
  }

  #streamsOf(source: FlagSource): readonly PushStream[] {
    return [...this.#streams.keys()].filter((stream) => stream.source === source);
  }

  /** NOTE: looks up the snapshot here and now, so an older answer never follows a newer one. */
  #update(stream: PushStream): void {
    const { snapshot } = stream.source;
    const answers = this.#answers.get(stream.source);
    if (snapshot === undefined || answers === undefined) return;
    if (stream.offer(answers.answer(snapshot, stream.question))) this.#metrics.events.inc();
  }

  #check(stream: PushStream): void {
    const { blockedSince } = stream.events;
    const nowMs = performance.now();
    const isOver = nowMs >= (this.#streams.get(stream) ?? 0);
    if (blockedSince !== undefined && (isOver || nowMs - blockedSince > this.#rules.stallMs)) {
      this.#metrics.dropped.inc();
      stream.events.destroy();
    } else if (isOver) {
      this.#forget(stream);
      stream.end(this.#returnDelayMs());
    } else {
      stream.events.keepAlive();
    }
  }

  #forget(stream: PushStream): void {
    this.#streams.delete(stream);
    this.#updates.delete(stream);
    this.#checks.delete(stream);
  }

  #returnDelayMs(): number {
    const spreadMs = Math.max(MIN_SPREAD_MS, this.size / RETURNS_PER_MS);
    return MIN_RETURN_MS + Math.random() * spreadMs;
  }
}

function repeat(action: () => void, intervalMs: number): () => void {
  const timer = setInterval(action, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}
