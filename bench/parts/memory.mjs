// Resident memory of the proxy after load, compared with the old proxy, and whether it grows with the
// number of distinct contexts, and with that of connections.

import { createDocument } from "../lib/documents.mjs";
import { atMost, toTable } from "../lib/report.mjs";
import { measureLoad, withGenerator } from "../load/measure-load.mjs";
import { startOldProxy, startOurs, withServers } from "../peers/peers.mjs";

const FLAG_COUNT = 1000;
const OLD_PROXY_REQUESTS = 1000;
const SAMPLE_COUNT = 10;
const LOAD = { users: "new", expectedStatus: 200 };
/** Each sends one request. */
const SHORT_CONNECTIONS = { ...LOAD, path: "/live", connections: 500, requests: 500 };
const CONNECTION_ROUNDS = 40;
const ROUNDS_PER_SAMPLE = 10;
/** Limit of memory after all contexts, relative to memory after the first tenth of them. */
const MAX_GROWTH = 1.1;
/** The same over connections, whose memory is released later. */
const MAX_CONNECTION_GROWTH = 1.25;

/** @param plan `contexts`, the number of distinct contexts that our proxy evaluates */
export async function runMemoryBench({ contexts }) {
  const requests = Math.ceil(contexts / SAMPLE_COUNT);
  const tenth = { ...LOAD, requests };
  const samples = await sampleMemory(startOurs, [
    ...Array.from({ length: SAMPLE_COUNT }, () => tenth),
    ...Array.from({ length: CONNECTION_ROUNDS }, () => SHORT_CONNECTIONS),
  ]);
  const [old] = await sampleMemory(startOldProxy, [{ ...LOAD, requests: OLD_PROXY_REQUESTS }]);
  const ours = samples.slice(0, SAMPLE_COUNT);
  return { contexts, ours, old, connections: lowest(samples.slice(SAMPLE_COUNT)) };
}

/** The lowest of every ten samples: closed connections use memory until the next garbage collection. */
function lowest(samples) {
  const groups = Array.from({ length: samples.length / ROUNDS_PER_SAMPLE }, (_, index) =>
    samples.slice(index * ROUNDS_PER_SAMPLE, (index + 1) * ROUNDS_PER_SAMPLE),
  );
  return groups.map((group) => Math.min(...group));
}

/** Resident memory in MiB after each of some loads. */
function sampleMemory(start, loads) {
  return withServers(createDocument(FLAG_COUNT), { server: start }, (servers) =>
    withGenerator(async (generator) => {
      const samples = [];
      for (const load of loads) {
        const { memoryMiB } = await measureLoad(generator, servers.get("server"), load);
        samples.push(memoryMiB);
      }
      return samples;
    }),
  );
}

export function reportMemory({ contexts, ours, old, connections }) {
  const row = {
    contexts,
    "ours MiB, after each tenth": ours.map(Math.round).join(" "),
    "old MiB": Math.round(old),
    "ours MiB, after each 5000 further connections": connections.map(Math.round).join(" "),
  };
  return `## Memory: resident, ${FLAG_COUNT} flags, after load\n\n${toTable([row])}`;
}

export function memoryTargets({ ours, old, connections }) {
  const last = ours.at(-1);
  return [
    atMost("resident memory / that of the old proxy", last / old, 1),
    atMost("growth of memory over distinct contexts", last / ours[0], MAX_GROWTH),
    atMost(
      "growth of memory over connections",
      connections.at(-1) / connections[0],
      MAX_CONNECTION_GROWTH,
    ),
  ];
}
