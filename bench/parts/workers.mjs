// The gain of one worker per core over a single process. Both take turns under the same load.

import { availableParallelism } from "node:os";
import { createDocument } from "../lib/documents.mjs";
import { toTable } from "../lib/report.mjs";
import { medians } from "../lib/statistics.mjs";
import { takeTurns, withGenerator } from "../load/measure-load.mjs";
import { startOurs, withServers } from "../peers/peers.mjs";

const FLAG_COUNTS = [100, 1000];
const LOAD = { users: "new", expectedStatus: 200 };

/** @param plan `rounds`, `seconds` of each, and `warmUpSeconds`, in which every worker has to warm up */
export async function runWorkersBench(plan) {
  const cores = availableParallelism();
  const starters = { one: startWith(1), many: startWith(cores) };
  return withGenerator(async (generator) => {
    const results = [];
    for (const flagCount of FLAG_COUNTS) {
      const samples = await withServers(createDocument(flagCount), starters, (servers) =>
        takeTurns(servers, LOAD, { ...plan, generator, warmUp: { seconds: plan.warmUpSeconds } }),
      );
      const [one, many] = [...samples.values()].map(medians);
      results.push({ flagCount, cores, one, many });
    }
    return results;
  });
}

function startWith(workers) {
  return (options) => startOurs({ ...options, env: { FLAGS_PROXY_WORKERS: String(workers) } });
}

export function reportWorkers(results) {
  return `## Workers: one process, and one worker per core\n\n${toTable(results.map(toRow))}`;
}

function toRow({ flagCount, cores, one, many }) {
  const ratio = many.requestsPerSecond / one.requestsPerSecond;
  // With a worker on every core, the generator uses CPU time that the workers would use.
  const withoutGenerator = (ratio * cores) / (cores - many.generatorBusy);
  const byProcessorTime = (cores * one.cpuMicroseconds) / many.cpuMicroseconds;
  return {
    flags: flagCount,
    workers: cores,
    "one process req/s": Math.round(one.requestsPerSecond),
    "workers req/s": Math.round(many.requestsPerSecond),
    ratio: ratio.toFixed(2),
    "ratio with generator elsewhere": withoutGenerator.toFixed(2),
    "ratio by CPU time": byProcessorTime.toFixed(2),
    "generator busy": `${Math.round(many.generatorBusy * 100)} %`,
    "one process CPU µs/req": one.cpuMicroseconds.toFixed(1),
    "workers CPU µs/req": many.cpuMicroseconds.toFixed(1),
    "one process MiB": Math.round(one.memoryMiB),
    "all workers MiB": Math.round(many.memoryMiB),
  };
}
