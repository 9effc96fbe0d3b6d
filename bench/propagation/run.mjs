// From a write that the flag service has answered to the clients of a proxy: by streams all the way,
// and by polling all the way.

import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { readUsage } from "../measure/process-usage.mjs";
import { percentile } from "../measure/statistics.mjs";
import { ask } from "../processes/ask.mjs";
import { startScript, stop } from "../processes/children.mjs";
import { momentMs } from "./moment.mjs";
import { startSystem } from "./system.mjs";

const POLL_INTERVAL_MS = 5000;
const STREAMING = { FLAGS_SYNCHRONIZATION: "streaming", FLAGS_PUSH_MAX_STREAMS: "100000" };
const POLLING = { FLAGS_SYNCHRONIZATION: "polling" };
/** Changes come at some distance, as people make them. */
const PAUSE_MS = 100;

/** @param plan `streamCounts`, `changes` for each, `pollers` and `polledChanges` */
export async function runPropagationBench({ streamCounts, changes, pollers, polledChanges }) {
  const system = await startSystem();
  try {
    const rows = [];
    for (const count of streamCounts) {
      rows.push(await measure(system, { way: "streams", count, changes, env: STREAMING }));
    }
    const polled = { way: "polling at 5 s", count: pollers, changes: polledChanges, env: POLLING };
    rows.push(await measure(system, polled));
    return rows;
  } finally {
    await system.stop();
  }
}

async function measure(system, { way, count, changes, env }) {
  const proxy = await system.startProxy(env);
  const before = readUsage(proxy.child.pid);
  const clients = await startClients(way, proxy, count);
  try {
    const after = readUsage(proxy.child.pid);
    // The first change finds code that never ran before.
    await delayOf(system, clients);
    await ask(proxy.child, "reset");
    const { cpuMs } = readUsage(proxy.child.pid);
    const delays = [];
    for (let change = 0; change < changes; change++) {
      await delay(PAUSE_MS);
      delays.push(...(await delayOf(system, clients)));
    }
    const { longestBlockMs } = await ask(proxy.child, "read");
    const kibibytesPerClient = ((after.memoryMiB - before.memoryMiB) * 1024) / count;
    const cpuMsPerChange = (readUsage(proxy.child.pid).cpuMs - cpuMs) / changes;
    return {
      way,
      count,
      changes,
      ...summarize(delays),
      longestBlockMs,
      cpuMsPerChange,
      kibibytesPerClient,
    };
  } finally {
    await stop(clients);
    await proxy.stop();
  }
}

async function startClients(way, { port, headers }, count) {
  const script = way === "streams" ? "listeners.mjs" : "pollers.mjs";
  const args = [port, headers.authorization, count, POLL_INTERVAL_MS].map(String);
  const clients = startScript(new URL(script, import.meta.url), args);
  await once(clients, "message");
  if (way === "streams") return clients;
  // Each has its first answer before anything changes.
  await ask(clients, "collect");
  return clients;
}

/** One change: the milliseconds until each client had it. Some have it before the answer. */
async function delayOf(system, clients) {
  await ask(clients, "arm");
  await system.flip();
  const answeredMs = momentMs();
  const arrivals = await ask(clients, "collect");
  return arrivals.map((arrivedMs) => Math.max(0, arrivedMs - answeredMs));
}

function summarize(delays) {
  const sorted = delays.toSorted((a, b) => a - b);
  return { p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99), maxMs: sorted.at(-1) };
}
