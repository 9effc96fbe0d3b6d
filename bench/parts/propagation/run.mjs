// The time from the response of the admin service to a change of a flag until the clients of a proxy have
// the change: by streams all the way, and by polling all the way.

import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { readUsage } from "../../lib/process-usage.mjs";
import { call, startScript, stop } from "../../lib/processes.mjs";
import { atMost, toTable } from "../../lib/report.mjs";
import { percentile } from "../../lib/statistics.mjs";
import { startSystem } from "./system.mjs";

const POLL_INTERVAL_MS = 5000;
const STREAMING = { FLAGS_SYNCHRONIZATION: "streaming", FLAGS_PUSH_MAX_STREAMS: "100000" };
const POLLING = { FLAGS_SYNCHRONIZATION: "polling" };
/** Between two changes. */
const PAUSE_MS = 100;
const CLIENTS = new URL("clients.mjs", import.meta.url);

const P99_TARGET_MS = 100;
const P99_STREAMS = 1000;
const BLOCK_TARGET_MS = 50;

/** @param plan `streamCounts`, `changes` for each, `pollers` and `polledChanges` */
export async function runPropagationBench({ streamCounts, changes, pollers, polledChanges }) {
  const system = await startSystem();
  try {
    const rows = [];
    for (const count of streamCounts) {
      rows.push(await measure(system, { way: "streams", count, changes, env: STREAMING }));
    }
    const polled = { way: "polling", count: pollers, changes: polledChanges, env: POLLING };
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
    // The first change runs code that has not been compiled yet.
    await measureDelays(system, clients);
    await call(proxy.child, "reset");
    const { cpuMs } = readUsage(proxy.child.pid);
    const delays = [];
    for (let change = 0; change < changes; change++) {
      await delay(PAUSE_MS);
      delays.push(...(await measureDelays(system, clients)));
    }
    const { longestBlockMs } = await call(proxy.child, "read");
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
  const args = [way, port, headers.authorization, count, POLL_INTERVAL_MS].map(String);
  const clients = startScript(CLIENTS, args);
  await once(clients, "message");
  // Every poller has its first response before anything changes.
  if (way === "polling") await call(clients, "collect");
  return clients;
}

/** Makes one change; resolves to the milliseconds until each client had it, 0 for those before the response. */
async function measureDelays(system, clients) {
  await call(clients, "reset");
  await system.toggleFlag();
  const writtenMs = Number(process.hrtime.bigint()) / 1e6;
  const arrivals = await call(clients, "collect");
  return arrivals.map((arrivedMs) => Math.max(0, arrivedMs - writtenMs));
}

function summarize(delays) {
  const sorted = delays.toSorted((a, b) => a - b);
  return { p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99), maxMs: sorted.at(-1) };
}

export function reportPropagation(rows) {
  return `## Propagation: from the response to a write to the client\n\n${toTable(rows.map(toRow))}`;
}

function toRow({ way, count, changes, p50Ms, p99Ms, maxMs, ...proxy }) {
  return {
    way: way === "polling" ? `polling every ${POLL_INTERVAL_MS / 1000} s` : way,
    clients: count,
    changes,
    "p50 ms": p50Ms.toFixed(1),
    "p99 ms": p99Ms.toFixed(1),
    "max ms": maxMs.toFixed(1),
    "longest block of the proxy ms": proxy.longestBlockMs.toFixed(1),
    "proxy CPU ms per change": proxy.cpuMsPerChange.toFixed(1),
    "proxy KiB per client":
      way === "streams" && count > 1 ? proxy.kibibytesPerClient.toFixed(1) : "",
  };
}

export function propagationTargets(rows) {
  const streams = rows.filter(({ way }) => way === "streams");
  const { p99Ms } = streams.find(({ count }) => count === P99_STREAMS);
  const most = streams.at(-1);
  return [
    atMost(`p99 of a change to ${P99_STREAMS} streams, ms`, p99Ms, P99_TARGET_MS),
    atMost(
      `longest event-loop block during a change to ${most.count} streams, ms`,
      most.longestBlockMs,
      BLOCK_TARGET_MS,
    ),
  ];
}
