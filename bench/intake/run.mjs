// What usage reports, 100,000 entries in each second, do to the answers of a loaded proxy.

import { createDocument } from "../documents.mjs";
import { measureLoad, withGenerator } from "../measure/load.mjs";
import { median } from "../measure/statistics.mjs";
import { startOurs } from "../peers/ours.mjs";
import { ask } from "../processes/ask.mjs";
import { startScript, stop } from "../processes/children.mjs";
import { atLeast, atMost } from "../report/targets.mjs";
import { toTable } from "../report/table.mjs";
import { startUpstream } from "../upstream.mjs";
import { ENTRIES_PER_REPORT } from "./usage.mjs";

const FLAG_COUNT = 1000;
const ENTRIES_PER_SECOND = 100_000;
/** A report that comes a moment late is none that was not taken in. */
const LOWEST_SHARE = 0.99;
const LOAD = { users: "new", expectedStatus: 200 };

/** @param plan `rounds`, and `seconds` of each */
export async function runIntakeBench(plan) {
  const document = createDocument(FLAG_COUNT);
  const upstream = await startUpstream(document);
  const server = await startOurs({ upstreamUrl: upstream.url });
  const reporter = startScript(new URL("reporter.mjs", import.meta.url));
  const names = document.features.map(({ name }) => name);
  try {
    return await withGenerator((generator) =>
      measure({ server, reporter, generator, names }, plan),
    );
  } finally {
    await Promise.all([server.stop(), stop(reporter)]);
    upstream.close();
  }
}

async function measure({ server, reporter, generator, names }, { rounds, seconds }) {
  const applyLoad = () => measureLoad(generator, server, { ...LOAD, seconds });
  const { port, path, headers } = server;
  const reportsPerSecond = ENTRIES_PER_SECOND / ENTRIES_PER_REPORT;
  const job = { port, path, headers, names, reportsPerSecond, seconds };
  const samples = [];
  for (let round = 0; round <= rounds; round++) {
    const without = await applyLoad();
    const [during, usage] = await Promise.all([applyLoad(), ask(reporter, job)]);
    const entriesPerSecond = (usage.accepted * ENTRIES_PER_REPORT) / seconds;
    samples.push({ without: without.p99Ms, during: during.p99Ms, entriesPerSecond });
  }
  // The first round is for the compiler.
  return samples.slice(1);
}

export function reportIntake(samples) {
  const rows = samples.map(({ without, during, entriesPerSecond }) => ({
    "p99 without ms": without.toFixed(1),
    "p99 with usage reports ms": during.toFixed(1),
    "entries/s taken in": Math.round(entriesPerSecond),
  }));
  return `## Intake: usage reports while GET /proxy is loaded, 1,000 flags\n\n${toTable(rows)}`;
}

export function intakeTargets(samples) {
  const taken = median(samples.map(({ entriesPerSecond }) => entriesPerSecond));
  const ratio = median(samples.map(({ without, during }) => during / without));
  return [
    atLeast("entries of usage taken in per second", taken, ENTRIES_PER_SECOND * LOWEST_SHARE),
    atMost("p99 of GET /proxy with them / without", ratio, 2),
  ];
}
