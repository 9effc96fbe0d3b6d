// How long a start takes: from starting the process to the first 200 of its health check, with 1,000
// flags that come from an upstream on this machine.

import { createDocument } from "../documents.mjs";
import { median } from "../measure/statistics.mjs";
import { startOldProxy } from "../peers/old-proxy.mjs";
import { startOurs } from "../peers/ours.mjs";
import { startUpstream } from "../upstream.mjs";

const FLAG_COUNT = 1000;

/** Resolves to the median milliseconds of each server. */
export async function runStartBench({ rounds }) {
  const upstream = await startUpstream(createDocument(FLAG_COUNT));
  const samples = { ours: [], old: [] };
  try {
    for (let round = 0; round < rounds; round++) {
      samples.ours.push(await timeStart(startOurs, upstream.url));
      samples.old.push(await timeStart(startOldProxy, upstream.url));
    }
  } finally {
    upstream.close();
  }
  return { ours: median(samples.ours), old: median(samples.old) };
}

async function timeStart(start, upstreamUrl) {
  const server = await start({ upstreamUrl });
  await server.stop();
  return server.readyMs;
}
