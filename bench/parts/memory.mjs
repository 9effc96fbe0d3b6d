// Resident memory of the proxy after load, compared with the old proxy, and whether it grows with the
// number of distinct contexts.

import { createDocument } from "../lib/documents.mjs";
import { atMost, toTable } from "../lib/report.mjs";
import { measureLoad, withGenerator } from "../load/measure-load.mjs";
import { startOldProxy, startOurs, withServers } from "../peers/peers.mjs";

const FLAG_COUNT = 1000;
const OLD_PROXY_REQUESTS = 1000;
const SAMPLE_COUNT = 10;
const LOAD = { users: "new", expectedStatus: 200 };
const TARGET_MIB = 110;
/** Limit of memory after all contexts, relative to memory after the first tenth of them. */
const MAX_GROWTH = 1.1;

/** @param plan `contexts`, the number of distinct contexts that our proxy evaluates */
export async function runMemoryBench({ contexts }) {
  const perSample = Math.ceil(contexts / SAMPLE_COUNT);
  const ours = await sampleMemory(
    startOurs,
    Array.from({ length: SAMPLE_COUNT }, () => perSample),
  );
  const [old] = await sampleMemory(startOldProxy, [OLD_PROXY_REQUESTS]);
  return { contexts, ours, old };
}

/** Resident memory in MiB after each of some loads, given as numbers of requests. */
function sampleMemory(start, loads) {
  return withServers(createDocument(FLAG_COUNT), { server: start }, (servers) =>
    withGenerator(async (generator) => {
      const samples = [];
      for (const requests of loads) {
        const load = { ...LOAD, requests };
        const { memoryMiB } = await measureLoad(generator, servers.get("server"), load);
        samples.push(memoryMiB);
      }
      return samples;
    }),
  );
}

export function reportMemory({ contexts, ours, old }) {
  const row = {
    contexts,
    "ours MiB, after each tenth": ours.map(Math.round).join(" "),
    "old MiB": Math.round(old),
  };
  return `## Memory: resident, ${FLAG_COUNT} flags, after load\n\n${toTable([row])}`;
}

export function memoryTargets({ ours, old }) {
  const last = ours.at(-1);
  return [
    atMost(`resident memory, ${FLAG_COUNT} flags, after load, MiB`, last, TARGET_MIB),
    atMost("resident memory / that of the old proxy", last / old, 1),
    atMost("growth of memory over distinct contexts", last / ours[0], MAX_GROWTH),
  ];
}
