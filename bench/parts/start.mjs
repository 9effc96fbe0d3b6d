// Start time: from starting the process to the first 200 of its health check.

import { createDocument } from "../lib/documents.mjs";
import { atMost, toTable } from "../lib/report.mjs";
import { medians } from "../lib/statistics.mjs";
import { startUpstream } from "../lib/upstream.mjs";
import { PEERS } from "../peers/peers.mjs";

const FLAG_COUNT = 1000;
const TARGET_MS = 300;

/** @param plan `rounds` */
export function runStartBench({ rounds }) {
  const { ours, old, previous } = PEERS;
  return measureStarts({ ours, ...(previous && { previous }), old }, rounds);
}

/**
 * @param starters functions of `peers.mjs`, by name
 * @returns median milliseconds until ready, by name
 */
export async function measureStarts(starters, rounds) {
  const results = await sampleStarts(starters, {
    rounds,
    flagCount: FLAG_COUNT,
    read: ({ readyMs }) => ({ readyMs }),
  });
  return Object.fromEntries(Object.entries(results).map(([name, { readyMs }]) => [name, readyMs]));
}

/**
 * Starts each server once per round.
 *
 * @param options `rounds`; `flagCount`; `read`, which receives a server that is ready, and returns its numbers
 * @returns medians of the numbers, by name
 */
export async function sampleStarts(starters, { rounds, flagCount, read }) {
  const upstream = await startUpstream(createDocument(flagCount));
  const samples = new Map(Object.keys(starters).map((name) => [name, []]));
  try {
    for (let round = 0; round < rounds; round++) {
      for (const [name, start] of Object.entries(starters)) {
        const server = await start({ upstreamUrl: upstream.url });
        samples.get(name).push(await read(server));
        await server.stop();
      }
    }
  } finally {
    upstream.close();
  }
  return Object.fromEntries([...samples].map(([name, list]) => [name, medians(list)]));
}

export function reportStart(readyMs) {
  const row = Object.fromEntries(
    Object.entries(readyMs).map(([name, ms]) => [`${name} ms`, Math.round(ms)]),
  );
  return `## Start: until the health check returns 200, ${FLAG_COUNT} flags\n\n${toTable([row])}`;
}

export function startTargets({ ours }) {
  return [atMost(`ms until ready, ${FLAG_COUNT} flags`, ours, TARGET_MS)];
}
