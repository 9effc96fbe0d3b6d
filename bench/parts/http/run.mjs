// Requests per second of `/proxy` of our proxy, the old proxy, Edge and a bare `node:http` server.

import { setTimeout as delay } from "node:timers/promises";
import { createDocument } from "../../lib/documents.mjs";
import { readUsage } from "../../lib/process-usage.mjs";
import { atLeast, toTable } from "../../lib/report.mjs";
import { medianRatio, medians } from "../../lib/statistics.mjs";
import { measureLoad, takeTurns, withGenerator } from "../../load/measure-load.mjs";
import { PEERS, withServers } from "../../peers/peers.mjs";
import { CASES } from "./cases.mjs";
import { checkAgreement, EXAMPLE_USER, fetchExample } from "./responses.mjs";

const COMPARED_USERS = 5;

const RATIOS = {
  shareOfBare: { of: ["ours", "bare"], title: "ours / bare" },
  previousShareOfBare: { of: ["previous", "bare"], title: "previous / bare" },
  timesPrevious: { of: ["ours", "previous"], title: "ours / previous" },
  timesOld: { of: ["ours", "old"], title: "ours / old" },
  timesEdge: { of: ["ours", "edge"], title: "ours / edge" },
};

/**
 * Measures every case with every number of flags.
 *
 * @param plan `cases`, `flagCounts` and `peers` to measure, `rounds`, `seconds` of each, `warmUpSeconds`
 *   before each case, `firstWarmUpSeconds` for servers that have just started, and `idleSeconds`
 */
export async function runHttpBench(plan) {
  return withGenerator(async (generator) => {
    const results = { cases: [], memory: [] };
    for (const flagCount of plan.flagCounts) {
      const starters = Object.fromEntries(plan.peers.map((name) => [name, PEERS[name]]));
      await withServers(createDocument(flagCount), starters, async (servers) => {
        results.cases.push(...(await benchDocument(servers, { ...plan, generator, flagCount })));
        results.memory.push({ flagCount, memoryMiB: readMemory(servers) });
      });
    }
    return results;
  });
}

/** Resident memory of each server in MiB, by name. */
function readMemory(servers) {
  return Object.fromEntries(
    [...servers].map(([name, { child }]) => [name, readUsage(child.pid).memoryMiB]),
  );
}

async function benchDocument(servers, plan) {
  const evaluating = [...servers].filter(([name]) => name !== "bare").map(([, server]) => server);
  for (let number = 0; number < COMPARED_USERS; number++) {
    await checkAgreement(evaluating, EXAMPLE_USER - number);
  }
  const cases = CASES.filter(({ name }) => plan.cases.includes(name));
  if (plan.idleSeconds !== undefined) await idle(evaluating, cases, plan);
  const results = [];
  let warmUpSeconds = plan.firstWarmUpSeconds;
  for (const testCase of cases) {
    results.push(await benchCase(testCase, servers, { ...plan, warmUpSeconds }));
    ({ warmUpSeconds } = plan);
  }
  return results;
}

/**
 * Applies each load, then none.
 *
 * NOTE: V8 optimises `process.nextTick()` of Node 20 for the hidden classes of its entries, and collects these when it
 * collects all garbage a few times while no entry exists, which an idle process does. From then on, each request costs
 * up to 3 µs more. A server that collects garbage while it starts has this cost from the beginning.
 */
async function idle(servers, cases, { generator, warmUpSeconds: seconds, idleSeconds }) {
  for (const server of servers) {
    for (const { load } of cases) await measureLoad(generator, server, { ...load, seconds });
  }
  await delay(idleSeconds * 1000);
}

async function benchCase(testCase, servers, plan) {
  const { load, without } = testCase;
  const example = await fetchExample(servers.get("ours"), EXAMPLE_USER, load.isConditional);
  await servers.get("bare")?.respondWith(example);
  const measured = new Map([...servers].filter(([name]) => !without?.includes(name)));
  const samples = await takeTurns(measured, load, {
    ...plan,
    warmUp: { seconds: plan.warmUpSeconds },
  });
  return {
    testCase,
    flagCount: plan.flagCount,
    bodyBytes: Buffer.byteLength(example.body),
    peers: Object.fromEntries([...samples].map(([name, list]) => [name, medians(list)])),
    ratios: Object.fromEntries(
      Object.entries(RATIOS)
        .filter(([, { of }]) => of.every((name) => samples.has(name)))
        .map(([name, { of }]) => [
          name,
          medianRatio(...of.map((peer) => samples.get(peer)), "requestsPerSecond"),
        ]),
    ),
  };
}

/** One table per case, and one of memory. */
export function reportHttp({ cases, memory }) {
  const titles = [...new Set(cases.map(({ testCase }) => testCase.title))];
  const tables = titles.flatMap((title) => {
    const rows = cases.filter(({ testCase }) => testCase.title === title).map(toRow);
    return [`### /proxy: ${title}`, toTable(rows)];
  });
  const memoryRows = memory.map(({ flagCount, memoryMiB }) => ({
    flags: flagCount,
    ...Object.fromEntries(
      Object.entries(memoryMiB).map(([name, value]) => [`${name} MiB`, Math.round(value)]),
    ),
  }));
  const parts = [...tables, "### Resident memory after all cases", toTable(memoryRows)];
  return ["## HTTP", ...parts].join("\n\n");
}

function toRow({ flagCount, bodyBytes, peers, ratios }) {
  const cells = (label, show) =>
    Object.fromEntries(
      Object.entries(peers).map(([name, sample]) => [`${name} ${label}`, show(sample)]),
    );
  return {
    flags: flagCount,
    "body bytes": bodyBytes,
    ...Object.fromEntries(
      Object.entries(ratios).map(([name, ratio]) => [RATIOS[name].title, ratio.toFixed(2)]),
    ),
    ...cells("req/s", ({ requestsPerSecond }) => Math.round(requestsPerSecond)),
    ...cells("CPU µs/req", ({ cpuMicroseconds }) => cpuMicroseconds.toFixed(1)),
    ...cells("p99 ms", ({ p99Ms }) => p99Ms.toFixed(1)),
    ...cells("generator busy", ({ generatorBusy }) => `${Math.round(generatorBusy * 100)} %`),
  };
}

/** Targets whose servers were measured. */
export function httpTargets({ cases }) {
  return cases.flatMap(({ testCase, flagCount, ratios }) =>
    Object.entries(testCase.targets[flagCount] ?? {})
      .filter(([name]) => ratios[name] !== undefined)
      .map(([name, limit]) => {
        const what = `${testCase.title}, ${flagCount} flags: ${RATIOS[name].title}`;
        return atLeast(what, ratios[name], limit);
      }),
  );
}
