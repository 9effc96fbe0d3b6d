// The cost of one more flag for a request of a new user, by kind of flag, in the engine and over HTTP.

import { compileSnapshot, parseDocument } from "flags-engine";
import { KINDS, MIXED, createContext, createDocument } from "../lib/documents.mjs";
import { atMost, toTable } from "../lib/report.mjs";
import { median } from "../lib/statistics.mjs";
import { measureLoad, withGenerator } from "../load/measure-load.mjs";
import { startBare, startOurs, withServers } from "../peers/peers.mjs";
import { fetchFlags } from "./http/responses.mjs";

const FEW = 100;
const MANY = 10_000;
const LOAD = { users: "new", expectedStatus: 200 };
const CONTEXTS = Array.from({ length: 500 }, (_, index) => createContext(index));
const ENGINE_PASS_MS = 50;

/** Limit for flags that are evaluated without a hash of the context. */
const TARGET_NS = 5;
/** Limits for flags that need a hash, and for the mix, of which 30% do. */
const OTHER_TARGETS_NS = { "half rollout": 100, variants: 100, [MIXED]: 50 };

/**
 * Resolves to one row per kind: nanoseconds per additional flag.
 *
 * @param plan `rounds`, `seconds` of each, and `warmUpSeconds`
 */
export function runSlopeBench(plan) {
  return withGenerator(async (generator) => {
    const rows = [];
    for (const kind of [MIXED, ...KINDS]) {
      const engineNs = measureEngineSlope(kind, plan);
      const httpNs = await measureHttpSlope(kind, { ...plan, generator });
      rows.push({ kind, engineNs, httpNs });
    }
    return rows;
  });
}

function measureEngineSlope(kind, { rounds }) {
  const [small, large] = [FEW, MANY].map((count) =>
    compileSnapshot(parseDocument(createDocument(count, kind)), {
      now: Date.now,
      random: Math.random,
    }),
  );
  const samples = { small: [], large: [] };
  for (let round = 0; round <= rounds; round++) {
    samples.small.push(timeEvaluation(small));
    samples.large.push(timeEvaluation(large));
  }
  // The first round warms up.
  const [smallNs, largeNs] = [samples.small, samples.large].map((list) => median(list.slice(1)));
  return (largeNs - smallNs) / (MANY - FEW);
}

/** Nanoseconds of one evaluation of all flags. */
function timeEvaluation(snapshot) {
  const startMs = performance.now();
  let count = 0;
  let elapsedMs = 0;
  while (elapsedMs < ENGINE_PASS_MS) {
    snapshot.evaluateAll(CONTEXTS[count++ % CONTEXTS.length]);
    elapsedMs = performance.now() - startMs;
  }
  return (elapsedMs * 1e6) / count;
}

/**
 * CPU time per additional flag, minus the cost of sending the additional bytes, as measured with the bare server.
 * All four servers take turns, so that a slow moment of the machine affects all of them.
 */
function measureHttpSlope(kind, plan) {
  const starters = { ours: startOurs, bare: startBare };
  const few = createDocument(FEW, kind);
  const many = createDocument(MANY, kind);
  return withServers(few, starters, (small) =>
    withServers(many, starters, async (large) => {
      for (const servers of [small, large]) await warmUp(servers, plan);
      const samples = [];
      for (let round = 0; round < plan.rounds; round++) {
        const smallCost = await measureOwnCost(small, plan);
        const largeCost = await measureOwnCost(large, plan);
        samples.push(((largeCost - smallCost) * 1000) / (MANY - FEW));
      }
      return median(samples);
    }),
  );
}

async function warmUp(servers, { generator, warmUpSeconds }) {
  await servers.get("bare").respondWith(await fetchFlags(servers.get("ours"), 0));
  for (const server of servers.values()) {
    await measureLoad(generator, server, { ...LOAD, seconds: warmUpSeconds });
  }
}

/** CPU time per request beyond that of the bare server, in microseconds. */
async function measureOwnCost(servers, { generator, seconds }) {
  const ours = await measureLoad(generator, servers.get("ours"), { ...LOAD, seconds });
  const bare = await measureLoad(generator, servers.get("bare"), { ...LOAD, seconds });
  return ours.cpuMicroseconds - bare.cpuMicroseconds;
}

export function reportSlope(rows) {
  const table = rows.map(({ kind, engineNs, httpNs }) => ({
    "kind of flag": kind,
    "engine ns": engineNs.toFixed(1),
    "HTTP CPU ns": httpNs.toFixed(1),
  }));
  return `## Slope: cost of one more flag, ${FEW} to ${MANY} flags, new users\n\n${toTable(table)}`;
}

/**
 * Limits for the engine alone. Over HTTP, copying the fragment of a flag into the body takes most of the time, which the
 * part `http` limits by comparison with the bare server.
 */
export function slopeTargets(rows) {
  return rows.map(({ kind, engineNs }) => {
    const limitNs = OTHER_TARGETS_NS[kind] ?? TARGET_NS;
    return atMost(`one more flag (${kind}) in the engine, ns`, engineNs, limitNs);
  });
}
