// How usage reports, 100,000 entries per second, affect the responses of a loaded proxy.

import { createDocument } from "../lib/documents.mjs";
import { call, startScript, stop } from "../lib/processes.mjs";
import { atLeast, atMost, toTable } from "../lib/report.mjs";
import { median } from "../lib/statistics.mjs";
import { measureLoad, withGenerator } from "../load/measure-load.mjs";
import { startOurs, withServers } from "../peers/peers.mjs";

const FLAG_COUNT = 1000;
const ENTRIES_PER_SECOND = 100_000;
/** An entry is one flag with its counts. */
const ENTRIES_PER_REPORT = 100;
/** The last reports of a run may be late without having been rejected. */
const MIN_ACCEPTED_SHARE = 0.99;
const LOAD = { users: "new", expectedStatus: 200 };

/** @param plan `rounds`, and `seconds` of each */
export async function runIngestionBench(plan) {
  const document = createDocument(FLAG_COUNT);
  const names = document.features.map(({ name }) => name);
  return withServers(document, { ours: startOurs }, async (servers) => {
    const reporter = startScript(new URL("../load/usage-reporter.mjs", import.meta.url));
    try {
      return await withGenerator((generator) =>
        measure({ server: servers.get("ours"), reporter, generator, names }, plan),
      );
    } finally {
      await stop(reporter);
    }
  });
}

async function measure({ server, reporter, generator, names }, { rounds, seconds }) {
  const applyLoad = () => measureLoad(generator, server, { ...LOAD, seconds });
  const { port, path, headers } = server;
  const job = {
    port,
    path,
    headers,
    names,
    entriesPerReport: ENTRIES_PER_REPORT,
    reportsPerSecond: ENTRIES_PER_SECOND / ENTRIES_PER_REPORT,
    seconds,
  };
  const samples = [];
  for (let round = 0; round <= rounds; round++) {
    const without = await applyLoad();
    const [during, usage] = await Promise.all([applyLoad(), call(reporter, job)]);
    const entriesPerSecond = (usage.accepted * ENTRIES_PER_REPORT) / seconds;
    samples.push({ without: without.p99Ms, during: during.p99Ms, entriesPerSecond });
  }
  // The first round warms up.
  return samples.slice(1);
}

export function reportIngestion(samples) {
  const rows = samples.map(({ without, during, entriesPerSecond }) => ({
    "p99 without ms": without.toFixed(1),
    "p99 with usage reports ms": during.toFixed(1),
    "accepted entries/s": Math.round(entriesPerSecond),
  }));
  return `## Ingestion: usage reports while GET /proxy is loaded, ${FLAG_COUNT} flags\n\n${toTable(rows)}`;
}

export function ingestionTargets(samples) {
  const accepted = median(samples.map(({ entriesPerSecond }) => entriesPerSecond));
  const ratio = median(samples.map(({ during, without }) => during / without));
  return [
    atLeast("accepted usage entries per second", accepted, ENTRIES_PER_SECOND * MIN_ACCEPTED_SHARE),
    atMost("p99 of GET /proxy with usage reports / without", ratio, 2),
  ];
}
