// How changing flags affect a loaded proxy: how long each refresh blocks the event loop, and how much
// it delays responses.

import { createDocument } from "../lib/documents.mjs";
import { call } from "../lib/processes.mjs";
import { atMost, toTable } from "../lib/report.mjs";
import { median } from "../lib/statistics.mjs";
import { measureLoad, withGenerator } from "../load/measure-load.mjs";
import { startOurs, withServers } from "../peers/peers.mjs";

const FLAG_COUNT = 10_000;
const INTERVAL_MS = 1000;
const LOAD = { users: "new", expectedStatus: 200 };
const PROBE = new URL("../lib/event-loop-probe.mjs", import.meta.url);
const BLOCK_TARGET_MS = 50;

/** @param plan `refreshes` to measure */
export async function runRefreshBench({ refreshes }) {
  const document = createDocument(FLAG_COUNT);
  const bodies = [withoutFirstFlag(document), withOtherFlags(document), document];
  const env = { FLAGS_FETCH_INTERVAL: String(INTERVAL_MS) };
  const starters = { ours: (options) => startOurs({ ...options, env, probe: PROBE }) };
  return withServers(document, starters, (servers, upstream) =>
    withGenerator((generator) => {
      const server = servers.get("ours");
      const texts = bodies.map((body) => JSON.stringify(body));
      return measure({ generator, server, upstream, texts }, refreshes);
    }),
  );
}

async function measure(subject, refreshes) {
  const { generator, server } = subject;
  const seconds = (refreshes * INTERVAL_MS) / 1000;
  await measureLoad(generator, server, { ...LOAD, seconds: 1 });
  const blocks = await measureBlocks(subject, refreshes);
  const without = await measureLoad(generator, server, { ...LOAD, seconds });
  const stopChanging = keepChanging(subject);
  const during = await measureLoad(generator, server, { ...LOAD, seconds });
  stopChanging();
  return { blocks, without, during };
}

/**
 * The longest block around each refresh. The load is light: under a heavy one, a batch of requests
 * that are handled in one go would count as a block as well.
 */
async function measureBlocks({ generator, server, upstream, texts }, refreshes) {
  const blocks = [];
  for (let refresh = 0; refresh < refreshes; refresh++) {
    await call(server.child, "reset");
    upstream.replace(texts[refresh % texts.length]);
    const load = { ...LOAD, users: "fixed", connections: 1, seconds: (INTERVAL_MS * 2) / 1000 };
    await measureLoad(generator, server, load);
    blocks.push((await call(server.child, "read")).longestBlockMs);
  }
  return blocks;
}

/** Changes the flags before each refresh; returns a function that stops it. */
function keepChanging({ upstream, texts }) {
  let change = 0;
  const timer = setInterval(() => upstream.replace(texts[change++ % texts.length]), INTERVAL_MS);
  return () => clearInterval(timer);
}

/** Removes one flag of a document. */
export function withoutFirstFlag(document) {
  return { ...document, features: document.features.slice(1) };
}

/** Changes every flag of a document. */
export function withOtherFlags(document) {
  return { ...document, features: document.features.map((flag) => ({ ...flag, type: "other" })) };
}

export function reportRefresh({ blocks, without, during }) {
  const row = {
    "longest block ms": Math.max(...blocks).toFixed(1),
    "median of longest blocks ms": median(blocks).toFixed(1),
    "p99 without ms": without.p99Ms.toFixed(1),
    "p99 with a refresh each second ms": during.p99Ms.toFixed(1),
    "req/s without": Math.round(without.requestsPerSecond),
    "req/s with": Math.round(during.requestsPerSecond),
  };
  return `## Refresh: ${FLAG_COUNT} flags that change under load\n\n${toTable([row])}`;
}

export function refreshTargets({ blocks, without, during }) {
  return [
    atMost(
      `longest event-loop block during a refresh of ${FLAG_COUNT} flags, ms`,
      Math.max(...blocks),
      BLOCK_TARGET_MS,
    ),
    atMost(
      `p99 with refreshes of ${FLAG_COUNT} flags / p99 without`,
      during.p99Ms / without.p99Ms,
      2,
    ),
  ];
}
