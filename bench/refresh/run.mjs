// What a change of the flags does to a loaded proxy: how long it blocks, and how much later answers
// come than without.

import { createDocument } from "../documents.mjs";
import { measureLoad, withGenerator } from "../measure/load.mjs";
import { median } from "../measure/statistics.mjs";
import { startOurs } from "../peers/ours.mjs";
import { ask } from "../processes/ask.mjs";
import { atMost } from "../report/targets.mjs";
import { toTable } from "../report/table.mjs";
import { startUpstream } from "../upstream.mjs";

const FLAG_COUNT = 10_000;
/** Between two refreshes. */
const INTERVAL_MS = 1000;
const LOAD = { users: "new", expectedStatus: 200 };

/** @param plan `refreshes` to look at, one by one */
export async function runRefreshBench({ refreshes }) {
  const document = createDocument(FLAG_COUNT);
  const changed = [withoutFirstFlag(document), withOtherFlags(document), document];
  const upstream = await startUpstream(document);
  const server = await startOurs({
    upstreamUrl: upstream.url,
    env: { FLAGS_FETCH_INTERVAL: String(INTERVAL_MS) },
    probe: new URL("probe.mjs", import.meta.url),
  });
  const subject = { upstream, server, bodies: changed.map((one) => JSON.stringify(one)) };
  try {
    return await withGenerator((generator) => measure({ ...subject, generator }, refreshes));
  } finally {
    await server.stop();
    upstream.close();
  }
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
 * The longest block around each of some refreshes. The load is light, as under a heavy one requests
 * that are answered in one go block as well.
 */
async function measureBlocks({ generator, server, upstream, bodies }, refreshes) {
  const blocks = [];
  for (let refresh = 0; refresh < refreshes; refresh++) {
    await ask(server.child, "reset");
    upstream.replace(bodies[refresh % bodies.length]);
    const load = { ...LOAD, users: "steady", connections: 1, seconds: (INTERVAL_MS * 2) / 1000 };
    await measureLoad(generator, server, load);
    blocks.push((await ask(server.child, "read")).longestBlockMs);
  }
  return blocks;
}

/** Changes the flags before each refresh; returns how to stop. */
function keepChanging({ upstream, bodies }) {
  let change = 0;
  const timer = setInterval(() => upstream.replace(bodies[change++ % bodies.length]), INTERVAL_MS);
  return () => clearInterval(timer);
}

function withoutFirstFlag(document) {
  return { ...document, features: document.features.slice(1) };
}

function withOtherFlags(document) {
  return { ...document, features: document.features.map((one) => ({ ...one, type: "other" })) };
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
  return `## Refresh: 10,000 flags that change under load\n\n${toTable([row])}`;
}

export function refreshTargets({ blocks, without, during }) {
  return [
    atMost(
      "longest block of the event loop by a refresh of 10000 flags, ms",
      Math.max(...blocks),
      50,
    ),
    atMost("p99 with refreshes of 10000 flags / p99 without", during.p99Ms / without.p99Ms, 2),
  ];
}
