// Evaluations and requests to the proxy with long and short lists in segments: the length must not matter.

import { compileSnapshot, parseDocument } from "flags-engine";
import { createContext, createDocument } from "../lib/documents.mjs";
import { atMost, toTable } from "../lib/report.mjs";
import { medianRatio, medians } from "../lib/statistics.mjs";
import { takeTurns, withGenerator } from "../load/measure-load.mjs";
import { startOurs, withServers } from "../peers/peers.mjs";

const FLAG_COUNT = 100;
const USER_COUNT = 500;
const LENGTHS = { short: 10, long: 10_000 };
const LOAD = { users: "new", headers: {}, expectedStatus: 200 };
const WARM_UP = { requests: 20_000 };
/** Long lists take more memory, which is in the processor's cache less often. */
const TARGET = 1.2;

/** @param plan `rounds`, and `seconds` of each */
export async function runLongListsBench(plan) {
  const documents = Object.fromEntries(
    Object.entries(LENGTHS).map(([name, length]) => [name, withList(length)]),
  );
  return [
    { measured: "evaluation of all flags, µs", ...compareEvaluations(documents, plan) },
    { measured: "request, µs of CPU time", ...(await compareRequests(documents, plan)) },
  ];
}

/** All flags use one segment. No user of the load is in its list, so that all responses have the same length. */
function withList(length) {
  const document = createDocument(FLAG_COUNT, "plain");
  const values = Array.from({ length }, (_, index) => `customer-${index}`);
  const constraints = [{ contextName: "userId", operator: "IN", values }];
  return {
    ...document,
    segments: [{ id: 1, name: "long", constraints }],
    features: document.features.map((feature) => ({
      ...feature,
      strategies: [{ name: "default", parameters: {}, segments: [1] }],
    })),
  };
}

function compareEvaluations(documents, { rounds, seconds }) {
  const contexts = Array.from({ length: USER_COUNT }, (_, index) => createContext(index));
  const passes = Object.entries(documents).map(([name, document]) => {
    const snapshot = compileSnapshot(parseDocument(document), {
      now: Date.now,
      random: Math.random,
    });
    return [name, (index) => snapshot.evaluateAll(contexts[index % USER_COUNT])];
  });
  const samples = { short: [], long: [] };
  for (const [, pass] of passes) runFor(pass, seconds);
  for (let round = 0; round < rounds; round++) {
    for (const [name, pass] of passes) samples[name].push({ microseconds: runFor(pass, seconds) });
  }
  return toRow(samples, "microseconds");
}

/** Repeats a pass for at least so many seconds. Returns the microseconds of one. */
function runFor(pass, seconds) {
  const startMs = performance.now();
  let count = 0;
  let elapsedMs = 0;
  while (elapsedMs < seconds * 1000) {
    pass(count++);
    elapsedMs = performance.now() - startMs;
  }
  return (elapsedMs * 1000) / count;
}

function compareRequests(documents, plan) {
  return withGenerator((generator) =>
    withServers(documents.short, { short: startOurs }, (short) =>
      withServers(documents.long, { long: startOurs }, async (long) => {
        const servers = new Map([...short, ...long]);
        const samples = await takeTurns(servers, LOAD, { ...plan, generator, warmUp: WARM_UP });
        return toRow(Object.fromEntries(samples), "cpuMicroseconds");
      }),
    ),
  );
}

function toRow({ short, long }, field) {
  return {
    short: medians(short)[field].toFixed(1),
    long: medians(long)[field].toFixed(1),
    "long / short": medianRatio(long, short, field).toFixed(2),
  };
}

export function longListsTargets(rows) {
  return rows.map((row) =>
    atMost(`Long lists: ${row.measured}, long / short`, Number(row["long / short"]), TARGET),
  );
}

export function reportLongLists(rows) {
  const title = `## Lists of ${LENGTHS.long} values instead of ${LENGTHS.short}`;
  return `${title}\n\n${toTable(rows)}`;
}
