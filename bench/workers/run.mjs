// What more processes on one port bring: one process beside as many workers as there are cores.
//
// Both take turns, several rounds each, under the same load.

import { availableParallelism } from "node:os";
import { createDocument } from "../documents.mjs";
import { measureLoad, withGenerator } from "../measure/load.mjs";
import { medians } from "../measure/statistics.mjs";
import { startOurs } from "../peers/ours.mjs";
import { startUpstream } from "../upstream.mjs";

const FLAG_COUNTS = [100, 1000];
const LOAD = { users: "new", expectedStatus: 200 };

/** @param plan `rounds`, `seconds` of each, and `warmUpSeconds` */
export async function runWorkersBench(plan) {
  return withGenerator(async (generator) => {
    const results = [];
    for (const flagCount of FLAG_COUNTS) {
      results.push(await benchDocument(flagCount, { ...plan, generator }));
    }
    return results;
  });
}

async function benchDocument(flagCount, plan) {
  const cores = availableParallelism();
  const upstream = await startUpstream(createDocument(flagCount));
  const start = (workers) =>
    startOurs({ upstreamUrl: upstream.url, env: { FLAGS_PROXY_WORKERS: String(workers) } });
  const servers = await Promise.all([start(1), start(cores)]);
  try {
    const [one, many] = await takeTurns(servers, plan);
    return { flagCount, cores, one, many };
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    upstream.close();
  }
}

async function takeTurns(servers, { generator, rounds, seconds, warmUpSeconds }) {
  const samples = servers.map(() => []);
  for (const [index, server] of servers.entries()) {
    // Every worker compiles for itself, and each gets a part of the requests only.
    const warmUp = { ...LOAD, seconds: warmUpSeconds * (index + 1) };
    await measureLoad(generator, server, warmUp);
  }
  for (let round = 0; round < rounds; round++) {
    for (const [index, server] of servers.entries()) {
      samples[index].push(await measureLoad(generator, server, { ...LOAD, seconds }));
    }
  }
  return samples.map(medians);
}
