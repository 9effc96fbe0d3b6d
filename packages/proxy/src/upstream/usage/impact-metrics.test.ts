import { expect, test } from "vitest";
import type { ImpactMetric, ImpactSample } from "./application-usage.ts";
import { IMPACT_METRICS, joinSamples, toSingleSamples } from "./impact-metrics.ts";
import { ItemBuffer } from "./item-buffer.ts";
import { FairShare } from "flags-server-kit/neutral";

const metric = (type: ImpactMetric["type"], ...samples: readonly ImpactSample[]): ImpactMetric => ({
  name: type,
  help: "",
  type,
  samples,
});
const ignore = (): void => undefined;

/** Accepts metrics with several samples, as they are reported. */
class ImpactMetricsBuffer extends ItemBuffer<ImpactMetric> {
  constructor(memory: FairShare) {
    super(IMPACT_METRICS, memory, ignore);
  }

  override add(quotaId: string, metrics: readonly ImpactMetric[]): number {
    return super.add(quotaId, metrics.flatMap(toSingleSamples));
  }
}

const histogram = (count: number): ImpactSample => ({
  labels: {},
  count,
  sum: count / 2,
  buckets: [{ le: "+Inf", count }],
});

/** Returns the samples of everything in the buffer, as it would be sent. */
const samplesIn = (buffer: ImpactMetricsBuffer): readonly ImpactSample[] =>
  buffer.take().flatMap(({ item }) => item.samples);

test("metrics that could not be delivered are added to those reported in the meantime; gauges keep the newer value", () => {
  const buffer = new ImpactMetricsBuffer(new FairShare(100_000));
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
  const buffer = new ImpactMetricsBuffer(memory);
  const one = [metric("counter", { labels: {}, value: 1 })];
  for (let round = 0; round < 1000; round += 1) {
    expect(buffer.add("key", one)).toBe(0);
    const taken = buffer.take();
    expect(buffer.add("key", one)).toBe(0);
    buffer.release(taken);
    const rest = buffer.take();
    expect(rest).toEqual(taken);
    buffer.release(rest);
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
    const buffer = new ImpactMetricsBuffer(memory);
    const add = (help: string): void => {
      buffer.add("key", [{ ...metric(type, { labels: {}, value: 1 }), help }]);
    };
    const deliver = (): void => {
      buffer.release(buffer.take());
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
    buffer.release(taken);
    deliver();
  },
);

test("add() keeps sums finite", () => {
  const buffer = new ImpactMetricsBuffer(new FairShare(100_000));
  for (let round = 0; round < 3; round += 1) {
    buffer.add("key", [metric("counter", { labels: {}, value: 1e300 })]);
  }
  expect(samplesIn(buffer)).toEqual([{ labels: {}, value: 1e300 }]);
});

test("joinSamples() joins only what follows each other and has the same name, type and help text", () => {
  const one = metric("counter", { labels: {}, value: 1 }, { labels: { a: "1" }, value: 2 });
  const other = { ...one, help: "other" };
  expect(joinSamples([one, other, one].flatMap(toSingleSamples))).toEqual([one, other, one]);
});

test("add() drops series beyond the limit of their quota, but not those of another", () => {
  const buffer = new ImpactMetricsBuffer(new FairShare(32 * 1024 * 1024));
  const full = Array.from({ length: 1000 }, (_, index) => `${index}`);
  const samples = [...full, "one too many", "0"].map((l) => ({ labels: { l }, value: 1 }));
  expect(buffer.add("key", [metric("counter", ...samples)])).toBe(1);
  expect(buffer.add("other", [metric("counter", ...samples.slice(0, -1))])).toBe(1);
});
