import { atLeast } from "../report/targets.mjs";
import { toTable } from "../report/table.mjs";

const MEASURES = { timesOld: "× old proxy", shareOfBare: "share of bare node:http" };

/** A table for each case. */
export function reportHttp(results) {
  const titles = [...new Set(results.map(({ testCase }) => testCase.title))];
  const parts = titles.flatMap((title) => {
    const rows = results.filter(({ testCase }) => testCase.title === title).map(toRow);
    return [`### /proxy: ${title}`, toTable(rows)];
  });
  return ["## HTTP", ...parts].join("\n\n");
}

/** What the issue wants of these results; nothing where a peer was left out. */
export function httpTargets(results) {
  return results.flatMap((result) => {
    const { testCase, flagCount } = result;
    return Object.entries(testCase.targets[flagCount] ?? {})
      .filter(([measure]) => result[measure] !== undefined)
      .map(([measure, wanted]) => {
        const what = `${testCase.title}, ${flagCount} flags: ${MEASURES[measure]}`;
        return atLeast(what, result[measure], wanted);
      });
  });
}

const RATIOS = {
  shareOfBare: "ours / bare",
  previousShareOfBare: "previous / bare",
  timesPrevious: "ours / previous",
  timesOld: "ours / old",
  timesEdge: "ours / edge",
};

function toRow({ flagCount, bodyBytes, peers, ...measures }) {
  const ratios = Object.entries(RATIOS)
    .filter(([measure]) => measures[measure] !== undefined)
    .map(([measure, title]) => [title, measures[measure].toFixed(2)]);
  const names = Object.keys(peers);
  const cells = (label, show) =>
    Object.fromEntries(names.map((name) => [`${name} ${label}`, show(peers[name])]));
  return {
    flags: flagCount,
    "body bytes": bodyBytes,
    ...Object.fromEntries(ratios),
    ...cells("req/s", ({ requestsPerSecond }) => Math.round(requestsPerSecond)),
    ...cells("CPU µs/req", ({ cpuMicroseconds }) => cpuMicroseconds.toFixed(1)),
    ...cells("p99 ms", ({ p99Ms }) => p99Ms.toFixed(1)),
    ...cells("load busy", ({ generatorBusy }) => `${Math.round(generatorBusy * 100)} %`),
  };
}
