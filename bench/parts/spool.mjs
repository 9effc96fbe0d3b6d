// What the usage spool costs: usage reports to a proxy with and without it.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDocument } from "../lib/documents.mjs";
import { toTable } from "../lib/report.mjs";
import { median } from "../lib/statistics.mjs";
import { takeTurns, withGenerator } from "../load/measure-load.mjs";
import { startOurs, withServers } from "../peers/peers.mjs";

const FLAG_COUNT = 100;
const FLAGS_PER_REPORT = 20;
/** Each connection waits for the disk: fewer would measure only that. */
const CONNECTIONS = 512;
const REPORTS_PER_SECOND = 500;

/** @param plan `rounds`, `seconds` of each, and `warmUpSeconds` */
export async function runSpoolBench({ rounds, seconds, warmUpSeconds }) {
  const directory = await mkdtemp(join(tmpdir(), "flags-bench-"));
  const document = createDocument(FLAG_COUNT);
  const starters = {
    without: startOurs,
    with: (options) => startOurs({ ...options, env: { FLAGS_USAGE_SPOOL: directory } }),
  };
  try {
    return await withServers(document, starters, (servers) =>
      withGenerator(async (generator) => {
        const options = { generator, rounds, seconds, warmUp: { seconds: warmUpSeconds } };
        const load = createLoad(document);
        const closed = await takeTurns(servers, { ...load, connections: CONNECTIONS }, options);
        const open = { ...load, connections: 128, rate: REPORTS_PER_SECOND };
        return { closed, open: await takeTurns(servers, open, options) };
      }),
    );
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Reports on the same flags by one application, as most browsers send them. */
function createLoad({ features }) {
  const names = features.slice(0, FLAGS_PER_REPORT).map(({ name }) => name);
  const toggles = Object.fromEntries(names.map((name) => [name, { yes: 1, no: 1 }]));
  return {
    users: "fixed",
    method: "POST",
    path: "/proxy/client/metrics",
    body: { appName: "web", bucket: { start: new Date(0).toISOString(), toggles } },
    expectedStatus: 200,
  };
}

export function reportSpool({ closed, open }) {
  const rows = [...closed.keys()].map((name) => {
    const medianOf = (samples, field) => median(samples.get(name).map((sample) => sample[field]));
    return {
      spool: name === "with" ? "on" : "off",
      "reports/s": Math.round(medianOf(closed, "requestsPerSecond")),
      "CPU µs/report": Math.round(medianOf(closed, "cpuMicroseconds")),
      [`p50 ms at ${REPORTS_PER_SECOND}/s`]: medianOf(open, "p50Ms").toFixed(1),
      [`p99 ms at ${REPORTS_PER_SECOND}/s`]: medianOf(open, "p99Ms").toFixed(1),
    };
  });
  const ratio = median(
    closed
      .get("with")
      .map(
        (sample, round) => sample.cpuMicroseconds / closed.get("without")[round].cpuMicroseconds,
      ),
  );
  return `## Spool: usage reports with ${FLAGS_PER_REPORT} flags\n\n${toTable(rows)}\n\nCPU time with / without: ${ratio.toFixed(2)}`;
}
