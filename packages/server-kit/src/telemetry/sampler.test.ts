import { type SpanContext, TraceFlags } from "@opentelemetry/api";
import { expect, test } from "vitest";
import { createSampler } from "./sampler.ts";

const remote = (traceFlags: TraceFlags): SpanContext => ({
  // The library samples by the trace id, and this one would be sampled at any ratio.
  traceId: "00000000000000000000000000000001",
  spanId: "b7ad6b7169203331",
  traceFlags,
  isRemote: true,
});
const SAMPLED = remote(TraceFlags.SAMPLED);
const NOT_SAMPLED = remote(TraceFlags.NONE);

interface Setup {
  readonly ratio: number;
  readonly isParentBased: boolean;
  readonly random?: number;
}

function setUp({ ratio, isParentBased, random = 0.5 }: Setup) {
  const clock = { nowMs: 1000 };
  const sampler = createSampler({
    ratio,
    isParentBased,
    random: () => random,
    now: () => clock.nowMs,
  });
  return { sampler, clock };
}

test.each([
  ["without a parent", undefined, [false, true, true]],
  ["with a parent that is sampled", SAMPLED, [false, true, true]],
  ["with a parent that is not sampled", NOT_SAMPLED, [false, true, true]],
])("a ratio alone decides %s", (_, parent, expected) => {
  const decisions = [0, 0.6, 1].map((ratio) =>
    setUp({ ratio, isParentBased: false }).sampler(parent),
  );
  expect(decisions).toEqual(expected);
});

test("with parents, the ratio decides only about requests without one", () => {
  const never = setUp({ ratio: 0, isParentBased: true }).sampler;
  expect(never(undefined)).toBe(false);
  expect(never(SAMPLED)).toBe(true);
  const always = setUp({ ratio: 1, isParentBased: true }).sampler;
  expect(always(undefined)).toBe(true);
  expect(always(NOT_SAMPLED)).toBe(false);
});

test("clients can cause up to 100 traces per second, without affecting requests without a parent", () => {
  const { sampler, clock } = setUp({ ratio: 1, isParentBased: true });
  const countOf = (requests: number): number =>
    Array.from({ length: requests }, () => sampler(SAMPLED)).filter(Boolean).length;
  expect(countOf(1000)).toBe(100);
  expect(sampler(undefined)).toBe(true);
  clock.nowMs += 500;
  expect(countOf(1000)).toBe(50);
  clock.nowMs += 3_600_000;
  expect(countOf(1000)).toBe(100);
});
