import { expect, test } from "vitest";
import { parseImpactMetrics } from "./impact-metrics.ts";

const METRIC = { name: "latency", help: "Latency", type: "histogram" };
const SAMPLE = { labels: { route: "/" }, count: 3, sum: 1.5, buckets: [{ le: 1, count: 2 }] };

test("parseImpactMetrics() reads only the members that it knows, at every level", () => {
  const unknown = { unknown: [[]] };
  const [bucket] = SAMPLE.buckets;
  const sample = { ...SAMPLE, ...unknown, buckets: [{ ...bucket, ...unknown }] };
  const numeric = { labels: {}, value: 2 };
  const sent = [
    { ...METRIC, ...unknown, samples: [sample] },
    { ...METRIC, type: "counter", samples: [{ ...numeric, ...unknown }] },
  ];
  expect(parseImpactMetrics(sent)).toEqual([
    { ...METRIC, samples: [SAMPLE] },
    { ...METRIC, type: "counter", samples: [numeric] },
  ]);
});

test("parseImpactMetrics() skips histograms with invalid buckets", () => {
  for (const invalid of [{ le: "1", count: 1 }, { le: 1, count: -1 }, { le: 1 }, [], null]) {
    const samples = [{ ...SAMPLE, buckets: [invalid] }, SAMPLE];
    expect(parseImpactMetrics([{ ...METRIC, samples }])).toEqual([
      { ...METRIC, samples: [SAMPLE] },
    ]);
  }
});

test("parseImpactMetrics() reads what is as large as a limit allows, and skips anything larger", () => {
  const text = (length: number): string => "x".repeat(length);
  const listOf = <T>(length: number, create: (index: number) => T): readonly T[] =>
    Array.from({ length }, (_, index) => create(index));
  const labelsOf = (count: number) =>
    Object.fromEntries(listOf(count, (index) => [`label-${index}`, "a"]));
  const metric = (more: object) => [{ ...METRIC, samples: [SAMPLE], ...more }];
  const sample = (more: object) => metric({ samples: [{ ...SAMPLE, ...more }] });
  const bucket = (more: object) => sample({ buckets: [{ le: 1, count: 1, ...more }] });

  const largest = 1e15;
  for (const [allowed, rejected] of [
    [metric({ name: text(255) }), metric({ name: text(256) })],
    [metric({ help: text(255) }), metric({ help: text(256) })],
    [sample({ labels: labelsOf(20) }), sample({ labels: labelsOf(21) })],
    [sample({ labels: { [text(255)]: "a" } }), sample({ labels: { [text(256)]: "a" } })],
    [sample({ labels: { a: text(255) } }), sample({ labels: { a: text(256) } })],
    [sample({ count: largest }), sample({ count: largest + 1 })],
    [sample({ count: 0 }), sample({ count: -1 })],
    [sample({ sum: largest }), sample({ sum: largest + 1 })],
    [sample({ sum: -largest }), sample({ sum: -largest - 1 })],
    [bucket({ le: largest }), bucket({ le: largest + 1 })],
    [bucket({ count: 0 }), bucket({ count: -1 })],
    [
      sample({ buckets: listOf(100, (le) => ({ le, count: 1 })) }),
      sample({ buckets: listOf(101, (le) => ({ le, count: 1 })) }),
    ],
  ]) {
    expect(parseImpactMetrics(allowed)).toEqual(allowed);
    expect(parseImpactMetrics(rejected)).toEqual([]);
  }

  const metrics = listOf(101, (index) => ({ ...METRIC, name: `m${index}`, samples: [SAMPLE] }));
  expect(parseImpactMetrics(metrics)).toEqual(metrics.slice(0, 100));
  const samples = listOf(501, (count) => ({ ...SAMPLE, count }));
  expect(parseImpactMetrics(metric({ samples }))).toEqual(
    metric({ samples: samples.slice(0, 500) }),
  );
});
