import { type SpanContext, TraceFlags } from "@opentelemetry/api";
import { TokenBucket } from "../http/token-bucket.ts";

/**
 * How many requests may be traced because their clients request it. Otherwise anybody could make
 * the proxy trace and export every request.
 */
const REMOTE_BUDGET = { burst: 100, perSecond: 100 };

interface SamplerOptions {
  /** Share of the requests without a remote parent that are traced, from 0 to 1. */
  readonly ratio: number;
  /** Whether a remote parent decides, within a limited rate. Otherwise the ratio applies to all. */
  readonly isParentBased: boolean;
  /** Returns a number from 0 up to, but not including, 1. */
  readonly random: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
}

/**
 * Decides which requests are traced.
 *
 * NOTE: does not derive the decision from the trace id, as the samplers of the library do, because
 * clients choose it. It is also made before a span is created, because most requests are not traced.
 */
export class Sampler {
  readonly #options: SamplerOptions;
  readonly #remote: TokenBucket;

  constructor(options: SamplerOptions) {
    this.#options = options;
    this.#remote = new TokenBucket(REMOTE_BUDGET, options.now());
  }

  /** @param remote the parent that a client named; undefined if none */
  isSampled(remote: SpanContext | undefined): boolean {
    const { ratio, isParentBased, random, now } = this.#options;
    if (remote === undefined || !isParentBased) return random() < ratio;
    if ((remote.traceFlags & TraceFlags.SAMPLED) === 0) return false;
    return this.#remote.tryTake(1, now()) === 0;
  }
}
