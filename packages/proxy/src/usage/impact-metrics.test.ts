import { expect, test } from "vitest";
import { readImpactMetrics } from "./impact-metrics.ts";

const METRIC = { name: "latency", help: "Latency", type: "histogram" };
const SAMPLE = { labels: { route: "/" }, count: 3, sum: 1.5, buckets: [{ le: 1, count: 2 }] };

test("readImpactMetrics() reads only the members that it knows, at every level", () => {
  const unknown = { unknown: [[]] };
  const [bucket] = SAMPLE.buckets;
  const sample = { ...SAMPLE, ...unknown, buckets: [{ ...bucket, ...unknown }] };
  const numeric = { labels: {}, value: 2 };
  const sent = [
    { ...METRIC, ...unknown, samples: [sample] },
    { ...METRIC, type: "counter", samples: [{ ...numeric, ...unknown }] },
  ];
  expect(readImpactMetrics(sent)).toEqual([
    { ...METRIC, samples: [SAMPLE] },
    { ...METRIC, type: "counter", samples: [numeric] },
  ]);
});

test("readImpactMetrics() skips histograms with invalid buckets", () => {
  for (const invalid of [{ le: "1", count: 1 }, { le: 1, count: -1 }, { le: 1 }, [], null]) {
    const samples = [{ ...SAMPLE, buckets: [invalid] }, SAMPLE];
    expect(readImpactMetrics([{ ...METRIC, samples }])).toEqual([{ ...METRIC, samples: [SAMPLE] }]);
  }
});
