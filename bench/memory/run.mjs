// Memory of the proxy with 1,000 flags after load, beside the old one, and whether it grows with the
// number of different contexts.

import { createDocument } from "../documents.mjs";
import { measureLoad, withGenerator } from "../measure/load.mjs";
import { startOldProxy } from "../peers/old-proxy.mjs";
import { startOurs } from "../peers/ours.mjs";
import { atMost } from "../report/targets.mjs";
import { toTable } from "../report/table.mjs";
import { startUpstream } from "../upstream.mjs";

const FLAG_COUNT = 1000;
const OLD_PROXY_REQUESTS = 1000;
const SAMPLE_COUNT = 10;
const LOAD = { users: "new", expectedStatus: 200 };
/** By how much memory may have grown since the first tenth of the contexts. */
const MAX_GROWTH = 1.1;

/** @param plan `contexts` that our proxy is asked about */
export async function runMemoryBench({ contexts }) {
  const upstream = await startUpstream(createDocument(FLAG_COUNT));
  const perSample = Math.ceil(contexts / SAMPLE_COUNT);
  const options = { upstreamUrl: upstream.url };
  try {
    const ours = await sampleMemory(startOurs, options, {
      requests: Array.from({ length: SAMPLE_COUNT }, () => perSample),
    });
    const old = await sampleMemory(startOldProxy, options, { requests: [OLD_PROXY_REQUESTS] });
    return { contexts, ours, old: old[0] };
  } finally {
    upstream.close();
  }
}

/** Mebibytes in use after each load. */
function sampleMemory(start, options, { requests: loads }) {
  return withGenerator(async (generator) => {
    const server = await start(options);
    try {
      const samples = [];
      for (const requests of loads) {
        const { memoryMiB } = await measureLoad(generator, server, { ...LOAD, requests });
        samples.push(memoryMiB);
      }
      return samples;
    } finally {
      await server.stop();
    }
  });
}

export function reportMemory({ contexts, ours, old }) {
  const row = {
    "old MiB": Math.round(old),
    "ours MiB, as contexts come by": ours.map(Math.round).join(" "),
    contexts,
  };
  return `## Memory: resident, 1,000 flags, after load\n\n${toTable([row])}`;
}

export function memoryTargets({ ours, old }) {
  const last = ours.at(-1);
  return [
    atMost("resident memory, 1000 flags, after load, MiB", last, 110),
    atMost("the same / that of the old proxy", last / old, 1),
    atMost("growth over distinct contexts", last / ours[0], MAX_GROWTH),
  ];
}
