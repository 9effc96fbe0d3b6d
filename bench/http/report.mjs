import { toTable } from "../report/table.mjs";

/** The results as text: a table for each case, and the targets. */
export function reportHttp(results) {
  const titles = [...new Set(results.map(({ testCase }) => testCase.title))];
  const parts = titles.flatMap((title) => {
    const rows = results.filter(({ testCase }) => testCase.title === title).map(toRow);
    return [`### HTTP: ${title}`, toTable(rows)];
  });
  return [...parts, "### HTTP: targets", toTable(results.flatMap(toTargetRows))].join("\n\n");
}

function toRow({ flagCount, bodyBytes, peers }) {
  const names = Object.keys(peers);
  const cells = (label, show) =>
    Object.fromEntries(names.map((n) => [`${n} ${label}`, show(peers[n])]));
  return {
    flags: flagCount,
    "body bytes": bodyBytes,
    ...cells("req/s", ({ requestsPerSecond }) => Math.round(requestsPerSecond)),
    ...cells("CPU µs/req", ({ cpuMicroseconds }) => cpuMicroseconds.toFixed(1)),
    ...cells("p99 ms", ({ p99Ms }) => p99Ms.toFixed(1)),
    ...cells("load busy", ({ generatorBusy }) => `${Math.round(generatorBusy * 100)} %`),
    "our MiB": Math.round(peers.ours.memoryMiB),
  };
}

function toTargetRows(result) {
  const { testCase, flagCount } = result;
  return Object.entries(testCase.targets[flagCount] ?? {})
    .filter(([measure]) => result[measure] !== undefined)
    .map(([measure, wanted]) => ({
      case: testCase.title,
      flags: flagCount,
      measure: MEASURES[measure],
      wanted: `≥ ${wanted}`,
      measured: result[measure].toFixed(2),
      reached: result[measure] >= wanted ? "yes" : "no",
    }));
}

const MEASURES = { timesOld: "× old proxy", shareOfBare: "share of bare node:http" };
