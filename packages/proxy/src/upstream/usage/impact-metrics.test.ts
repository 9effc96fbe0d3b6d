import { expect, test } from "vitest";
import type { ImpactMetric, ImpactSample } from "./application-usage.ts";
import { ImpactMetricsBuffer } from "./impact-metrics.ts";
import { FairShare } from "flags-server-kit/neutral";
import { USAGE_LIMITS } from "./usage-limits.ts";

const metric = (type: ImpactMetric["type"], ...samples: readonly ImpactSample[]): ImpactMetric => ({
  name: type,
  help: "",
  type,
  samples,
});
const ignore = (): void => undefined;

const histogram = (count: number): ImpactSample => ({
  labels: {},
  count,
  sum: count / 2,
  buckets: [{ le: "+Inf", count }],
});

/** Returns the samples of everything in the buffer, as it would be sent. */
const samplesIn = (buffer: ImpactMetricsBuffer): readonly ImpactSample[] =>
  buffer
    .take()
    .flatMap(({ texts }) => texts.flatMap((text) => (JSON.parse(text) as ImpactMetric).samples));

test("metrics that could not be delivered are added to those reported in the meantime; gauges keep the newer value", () => {
  const buffer = new ImpactMetricsBuffer(new FairShare(100_000), ignore);
  const add = (value: number): number =>
    buffer.add("key", [
      metric("counter", { labels: { a: "1", b: "2" }, value }),
      metric("gauge", { labels: {}, value }),
      metric("histogram", histogram(value)),
    ]);
  add(1);
  buffer.take();
  expect(buffer.add("key", [metric("counter", { labels: { b: "2", a: "1" }, value: 2 })])).toBe(0);
  add(4);
  expect(samplesIn(buffer)).toEqual([
    { labels: expect.anything() as object, value: 7 },
    { labels: {}, value: 4 },
    histogram(5),
  ]);
});

test("release() frees the memory of delivered metrics, and no memory is claimed twice", () => {
  const memory = new FairShare(100_000);
  const buffer = new ImpactMetricsBuffer(memory, ignore);
  const one = [metric("counter", { labels: {}, value: 1 })];
  for (let round = 0; round < 1000; round += 1) {
    expect(buffer.add("key", one)).toBe(0);
    const [taken] = buffer.take();
    if (taken === undefined) throw new Error("Nothing was taken");
    expect(buffer.add("key", one)).toBe(0);
    buffer.release(taken);
    for (const rest of buffer.take()) {
      expect(rest.texts).toEqual(taken.texts);
      buffer.release(rest);
    }
  }
  expect(memory.canClaim("key", 50_000)).toBe(true);
  expect(memory.canClaim("key", 50_001)).toBe(false);
});

const LONG = "x".repeat(255);

test.each([
  { type: "counter", before: "", after: LONG },
  { type: "counter", before: LONG, after: "" },
  { type: "gauge", before: "", after: LONG },
  { type: "gauge", before: LONG, after: "" },
] as const)(
  "add() claims as much memory as is freed if the help text of a $type changes (%#)",
  ({ type, before, after }) => {
    const memory = new FairShare(100_000);
    const buffer = new ImpactMetricsBuffer(memory, ignore);
    const add = (help: string): void => {
      buffer.add("key", [{ ...metric(type, { labels: {}, value: 1 }), help }]);
    };
    const deliver = (): void => {
      for (const taken of buffer.take()) buffer.release(taken);
      expect(memory.canClaim("key", 50_000)).toBe(true);
      expect(memory.canClaim("key", 50_001)).toBe(false);
    };
    add(before);
    add(after);
    deliver();
    add(before);
    buffer.take();
    add(after);
    deliver();
    add(before);
    const taken = buffer.take();
    add(after);
    for (const one of taken) buffer.release(one);
    deliver();
  },
);

test("add() keeps sums finite", () => {
  const buffer = new ImpactMetricsBuffer(new FairShare(100_000), ignore);
  for (let round = 0; round < 3; round += 1) {
    buffer.add("key", [metric("counter", { labels: {}, value: 1e300 })]);
  }
  expect(samplesIn(buffer)).toEqual([{ labels: {}, value: 1e300 }]);
});

test("add() drops series beyond the limit of their quota, but not those of another", () => {
  const buffer = new ImpactMetricsBuffer(new FairShare(USAGE_LIMITS.bytes), ignore);
  const full = Array.from({ length: USAGE_LIMITS.impactSeries }, (_, index) => `${index}`);
  const samples = [...full, "one too many", "0"].map((l) => ({ labels: { l }, value: 1 }));
  expect(buffer.add("key", [metric("counter", ...samples)])).toBe(1);
  expect(buffer.add("other", [metric("counter", ...samples.slice(0, -1))])).toBe(1);
});

test("restore() adds metrics to those that are pending or being sent; gauges keep the newer value", () => {
  const buffer = new ImpactMetricsBuffer(new FairShare(100_000), ignore);
  const metrics = (value: number): readonly ImpactMetric[] => [
    metric("gauge", { labels: {}, value }),
    metric("counter", { labels: {}, value }),
  ];
  // The limits do not apply.
  buffer.restore("other", metrics(1));
  buffer.add("key", metrics(2).slice(0, 1));
  buffer.restore("key", metrics(1));
  expect(samplesIn(buffer)).toEqual([1, 1, 2, 1].map((value) => ({ labels: {}, value })));
  buffer.restore("key", metrics(1));
  expect(samplesIn(buffer)).toEqual([1, 1, 2, 2].map((value) => ({ labels: {}, value })));
});
