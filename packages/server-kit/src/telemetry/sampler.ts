import { type SpanContext, TraceFlags } from "@opentelemetry/api";
import { TokenBucket } from "../http/token-bucket.ts";

/** Without a limit, anybody could make the proxy trace and export every request. */
const REMOTE_BUDGET = { burst: 100, perSecond: 100 };

interface SamplerOptions {
  /** Share of the requests without a remote parent that are traced, from 0 to 1. */
  readonly ratio: number;
  /** Whether a remote parent decides, within a limited rate. Otherwise the ratio applies to all. */
  readonly isParentBased: boolean;
  /** Returns a number from 0 up to, but not including, 1. */
  readonly random: () => number;
  readonly now: () => number;
}

/** Decides whether a request is traced, by the parent that its client named, if any. */
export type Sampler = (remote: SpanContext | undefined) => boolean;

/**
 * NOTE: does not derive the decision from the trace id, as the samplers of the library do, because clients choose it. It
 * is also made before a span is created, because most requests are not traced.
 */
export function createSampler({ ratio, isParentBased, random, now }: SamplerOptions): Sampler {
  const budget = new TokenBucket(REMOTE_BUDGET, now());
  return (remote) => {
    if (remote === undefined || !isParentBased) return random() < ratio;
    return (remote.traceFlags & TraceFlags.SAMPLED) !== 0 && budget.tryTake(1, now()) === 0;
  };
}
