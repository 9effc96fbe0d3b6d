// Replicas that share the flags of one upstream through Redis, compared with replicas that do not: the
// requests to the upstream, the time until a change has reached the last replica, the start while the
// upstream is down, and what a restart of Redis means for requests.

import { EventEmitter, once } from "node:events";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { findFreePorts } from "../../scripts/free-ports.mjs";
import { findProgram } from "../../scripts/system-programs.mjs";
import { createDocument } from "../lib/documents.mjs";
import { startProgram, stop } from "../lib/processes.mjs";
import { atLeast, atMost, toTable } from "../lib/report.mjs";
import { createLatencyHistogram, percentile } from "../lib/statistics.mjs";
import { startUpstream } from "../lib/upstream.mjs";
import { startOurs } from "../peers/peers.mjs";
import { startSystem } from "./propagation/system.mjs";

const FLAG_COUNT = 100;
const INTERVAL_MS = 5000;
/** Between two requests to each replica. */
const REQUEST_PAUSE_MS = 25;
const REDIS_PAUSE_MS = 1000;
/** Between two changes. */
const CHANGE_PAUSE_MS = 100;

const PROPAGATION_TARGET_MS = 500;
const START_TARGET_MS = 1000;
/** Polls are sent every 5 seconds, with 10 % of jitter. */
const POLLS_TARGET = 14;
/** What the noise of two short measurements amounts to. */
const RESTART_TARGET = 2;

/** @param plan `replicas`, `seconds` of each measurement of requests, `changes` */
export async function runFleetSharingBench(plan) {
  const redis = await startRedis();
  try {
    return {
      ...plan,
      shared: await measureFleet(plan, { FLAGS_STORE: redis.address }, redis),
      separate: await measureFleet(plan, {}),
    };
  } finally {
    await redis.stop();
  }
}

async function measureFleet(plan, env, redis) {
  return {
    ...(await measureUpstream(plan, env, redis)),
    ...(await measurePropagation(plan, env)),
  };
}

/** Counts requests to the upstream, and measures what does not depend on changes. */
async function measureUpstream({ replicas: count, seconds }, env, redis) {
  const upstream = await startUpstream(createDocument(FLAG_COUNT));
  const start = () =>
    startOurs({
      upstreamUrl: upstream.url,
      env: { FLAGS_FETCH_INTERVAL: INTERVAL_MS, FLAGS_METRICS_INTERVAL: 0, ...env },
    });
  const fleet = await startReplicas(count, start);
  try {
    await delay(INTERVAL_MS);
    const before = upstream.polls;
    const calm = await measureRequests(fleet.replicas, seconds);
    const pollsPerMinute = ((upstream.polls - before) * 60) / seconds;
    if (redis === undefined) return { pollsPerMinute, calm };
    const restarted = redis.restart(REDIS_PAUSE_MS);
    const disturbed = await measureRequests(fleet.replicas, seconds);
    await restarted;
    upstream.close();
    const late = await start();
    await late.stop();
    return { pollsPerMinute, calm, disturbed, lateStartMs: late.readyMs };
  } finally {
    await fleet.stop();
    upstream.close();
  }
}

/** Sends requests to all replicas, one at a time to each. Rejects if one fails. */
async function measureRequests(replicas, seconds) {
  const latencies = createLatencyHistogram();
  const endMs = performance.now() + seconds * 1000;
  await Promise.all(
    replicas.map(async ({ port, path, headers }) => {
      while (performance.now() < endMs) {
        const startMs = performance.now();
        const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
        await response.arrayBuffer();
        if (response.status !== 200) throw new Error(`A replica sent ${response.status}`);
        latencies.add(performance.now() - startMs);
        await delay(REQUEST_PAUSE_MS);
      }
    }),
  );
  return { p50Ms: latencies.percentileMs(50), p99Ms: latencies.percentileMs(99) };
}

/** Measures the time from the response to a change until the last replica has it; all have streams. */
async function measurePropagation({ replicas: count, changes }, env) {
  const system = await startSystem();
  const settings = { FLAGS_SYNCHRONIZATION: "streaming", FLAGS_METRICS_INTERVAL: 0, ...env };
  const fleet = await startReplicas(count, () => system.startProxy(settings));
  const arrivals = new EventEmitter();
  let missing = 0;
  const onChange = () => {
    missing -= 1;
    if (missing === 0) arrivals.emit("complete", performance.now());
  };
  const stops = await Promise.all(
    fleet.replicas.map((replica) => followChanges(replica, onChange)),
  );
  try {
    const delaysMs = [];
    for (let change = 0; change <= changes; change++) {
      await delay(CHANGE_PAUSE_MS);
      missing = count;
      const complete = once(arrivals, "complete");
      await system.toggleFlag();
      const changedMs = performance.now();
      const [reachedMs] = await complete;
      delaysMs.push(reachedMs - changedMs);
    }
    // The first change runs code that has not been compiled yet.
    const sorted = delaysMs.slice(1).toSorted((a, b) => a - b);
    return { lastP50Ms: percentile(sorted, 0.5), lastP99Ms: percentile(sorted, 0.99) };
  } finally {
    for (const stopFollowing of stops) stopFollowing();
    await fleet.stop();
    await system.stop();
  }
}

export function reportFleetSharing({ replicas, changes, shared, separate }) {
  const title = `## Sharing flags: ${replicas} replicas, polls every ${INTERVAL_MS / 1000} s, ${changes} changes`;
  const rows = [
    ["through Redis", shared],
    ["separate", separate],
  ].map(([name, result]) => ({
    replicas: name,
    "polls/min": result.pollsPerMinute.toFixed(0),
    "change at last p50 ms": result.lastP50Ms.toFixed(0),
    "change at last p99 ms": result.lastP99Ms.toFixed(0),
    "start without upstream ms": result.lateStartMs?.toFixed(0) ?? "not possible",
    "request p50 ms": result.calm.p50Ms.toFixed(2),
    "request p99 ms": result.calm.p99Ms.toFixed(2),
    "Redis restarts p50 ms": result.disturbed?.p50Ms.toFixed(2) ?? "",
    "Redis restarts p99 ms": result.disturbed?.p99Ms.toFixed(2) ?? "",
  }));
  return `${title}\n\n${toTable(rows)}`;
}

export function fleetSharingTargets({ replicas, shared, separate }) {
  const { pollsPerMinute, lastP99Ms, lateStartMs, calm, disturbed } = shared;
  return [
    atMost(`polls per minute of ${replicas} replicas`, pollsPerMinute, POLLS_TARGET),
    atLeast("polls without sharing / with", separate.pollsPerMinute / pollsPerMinute, replicas / 2),
    atMost("ms from a change to the last replica, p99", lastP99Ms, PROPAGATION_TARGET_MS),
    atMost("ms until ready without the upstream", lateStartMs, START_TARGET_MS),
    atMost(
      "request p50 while Redis restarts / before",
      disturbed.p50Ms / calm.p50Ms,
      RESTART_TARGET,
    ),
  ];
}

/** Replicas that start at the same time: more would only compete for the cores. */
const BATCH = 4;

/** Starts Redis without persistence on a free port. */
async function startRedis() {
  const command = findProgram("redis-server");
  if (command === undefined) throw new Error("This part requires redis-server");
  const [port] = await findFreePorts(1);
  const start = async () => {
    const child = startProgram(command, ["--port", port, "--bind", "127.0.0.1", "--save", ""], {});
    child.stderr?.resume();
    await untilAccepting(port);
    return child;
  };
  let child = await start();
  return {
    address: `redis://127.0.0.1:${port}`,
    async restart(pauseMs) {
      await stop(child);
      await delay(pauseMs);
      child = await start();
    },
    stop: () => stop(child),
  };
}

async function untilAccepting(port) {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await delay(20);
  }
}

/**
 * Starts replicas, a few at a time.
 *
 * @param start starts one
 */
async function startReplicas(count, start) {
  const replicas = [];
  while (replicas.length < count) {
    const batch = Array.from({ length: Math.min(BATCH, count - replicas.length) }, start);
    replicas.push(...(await Promise.all(batch)));
  }
  return {
    replicas,
    stop: () => Promise.all(replicas.map((replica) => replica.stop())),
  };
}

/** Opens a stream to a replica, which calls a function for each change of its flags. */
async function followChanges({ port, headers }, onChange) {
  const socket = connect(port, "127.0.0.1");
  const body = '{"context":{}}';
  socket.setEncoding("latin1");
  socket.write(
    "POST /proxy/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n" +
      `Authorization: ${headers.authorization}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  );
  await new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("data", (text) => {
      if (!text.includes("event: toggles")) return;
      resolve();
      onChange();
    });
  });
  return () => socket.destroy();
}
