// Three replicas of the admin service on one PostgreSQL server: polls and streams of SDKs, changes, and the
// time from a change to the streams of all replicas.

import { setTimeout as delay } from "node:timers/promises";
import { readUsage } from "../../lib/process-usage.mjs";
import { atMost, toTable } from "../../lib/report.mjs";
import { percentile } from "../../lib/statistics.mjs";
import { measurePolls } from "./polls.mjs";
import { openMany, openStream } from "./streams.mjs";
import { startSystem } from "./system.mjs";

const REPLICA_COUNT = 3;
const FLAG_COUNT = 1000;
const WRITERS_PER_REPLICA = 4;
/** Allowed time from the response to a change until the streams at all replicas have it. */
const TARGET_P99_MS = 1000;

const POLLS = [
  { name: "304", isConditional: true },
  { name: "200", isConditional: false },
  { name: "200, gzip", isConditional: false, coding: "gzip" },
];

/** @param plan `seconds` of each measurement, `streamCount` and `changes` */
export async function runAdminScaleBench({ seconds, streamCount, changes }) {
  const system = await startSystem({ replicaCount: REPLICA_COUNT, flagCount: FLAG_COUNT });
  try {
    const { replicas } = system;
    const polls = [];
    for (const { name, ...poll } of POLLS) {
      await measurePolls(replicas[0], { ...poll, seconds: seconds / 4 });
      polls.push({ name, ...(await measurePolls(replicas[0], { ...poll, seconds })) });
    }
    const changing = { isEnded: false };
    const changed = changeRegularly(replicas[1], changing);
    const poll = { isConditional: false, coding: "gzip", seconds };
    polls.push({
      name: "200, gzip, ten changes per second",
      ...(await measurePolls(replicas[0], poll)),
    });
    changing.isEnded = true;
    await changed;
    return {
      polls,
      delays: await measureDelays(replicas, changes),
      writes: await measureWrites(replicas, seconds),
      streams: [
        await measureStreams(replicas[2], streamCount, "identity"),
        await measureStreams(replicas[1], streamCount, "gzip"),
      ],
    };
  } finally {
    await system.stop();
  }
}

async function changeRegularly(replica, state) {
  for (let count = 0; !state.isEnded; count++) {
    await replica.toggle(0, count % 2 === 1);
    await delay(100);
  }
}

/** Milliseconds from the response to a change until the stream at each replica has received it. */
async function measureDelays(replicas, changes) {
  const received = [];
  const closers = [];
  for (const [index, replica] of replicas.entries()) {
    const onEvent = (atMs) => received[index]?.(atMs);
    closers.push(await openStream(replica, { coding: "gzip", onEvent }));
  }
  const delays = [];
  for (let count = 0; count < changes; count++) {
    const arrivals = Promise.all(
      replicas.map((_, index) => new Promise((resolve) => (received[index] = resolve))),
    );
    await replicas[count % replicas.length].toggle(1, count % 2 === 1);
    const respondedMs = performance.now();
    for (const atMs of await arrivals) delays.push(Math.max(0, atMs - respondedMs));
  }
  for (const close of closers) close();
  const sorted = delays.toSorted((a, b) => a - b);
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) };
}

/** Changes at all replicas at the same time. */
async function measureWrites(replicas, seconds) {
  const startMs = performance.now();
  const cpuBeforeMs = totalCpuMs(replicas);
  let count = 0;
  const write = async (replica, flag) => {
    for (let isOn = false; performance.now() < startMs + seconds * 1000; isOn = !isOn) {
      await replica.toggle(flag, isOn);
      count += 1;
    }
  };
  await Promise.all(
    replicas.flatMap((replica, index) =>
      Array.from({ length: WRITERS_PER_REPLICA }, (_, writer) =>
        write(replica, 10 + index * WRITERS_PER_REPLICA + writer),
      ),
    ),
  );
  const elapsedSeconds = (performance.now() - startMs) / 1000;
  const cpuMs = totalCpuMs(replicas) - cpuBeforeMs;
  return { perSecond: count / elapsedSeconds, cpuMicroseconds: (cpuMs * 1000) / count };
}

function totalCpuMs(replicas) {
  return replicas.reduce((sum, { pid }) => sum + readUsage(pid).cpuMs, 0);
}

async function measureStreams(replica, count, coding) {
  // The first streams create what all of them share.
  const closeFirst = await openMany(replica, 10, coding);
  const before = readUsage(replica.pid);
  const close = await openMany(replica, count, coding);
  const after = readUsage(replica.pid);
  await replica.toggle(2, false);
  await delay(1000);
  const updated = readUsage(replica.pid);
  close();
  closeFirst();
  return {
    coding,
    count,
    kibPerStream: ((after.memoryMiB - before.memoryMiB) * 1024) / count,
    openMicroseconds: ((after.cpuMs - before.cpuMs) * 1000) / count,
    changeMicroseconds: ((updated.cpuMs - after.cpuMs) * 1000) / count,
  };
}

export function reportAdminScale({ polls, delays, writes, streams }) {
  const pollRows = polls.map(({ name, perSecond, cpuMicroseconds, bytes }) => ({
    poll: name,
    "polls/s": Math.round(perSecond),
    "CPU µs/poll": Math.round(cpuMicroseconds),
    "body bytes": bytes,
  }));
  const streamRows = streams.map((row) => ({
    coding: row.coding,
    streams: row.count,
    "KiB/stream": row.kibPerStream.toFixed(1),
    "CPU µs to open": Math.round(row.openMicroseconds),
    "CPU µs per change": Math.round(row.changeMicroseconds),
  }));
  const writeRow = {
    "changes/s": Math.round(writes.perSecond),
    "CPU µs/change, all replicas": Math.round(writes.cpuMicroseconds),
    "to streams p50 ms": delays.p50.toFixed(1),
    "to streams p99 ms": delays.p99.toFixed(1),
  };
  return [
    `## Admin service: ${REPLICA_COUNT} replicas on PostgreSQL, ${FLAG_COUNT} flags`,
    `### Polls of one replica\n\n${toTable(pollRows)}`,
    `### Streams of one replica\n\n${toTable(streamRows)}`,
    `### Changes\n\n${toTable([writeRow])}`,
  ].join("\n\n");
}

export function adminScaleTargets({ delays }) {
  return [
    atMost("ms from a change to the streams of all replicas, p99", delays.p99, TARGET_P99_MS),
  ];
}
