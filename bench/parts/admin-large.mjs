// A large environment of flag-management: how long an import, the first request for all flags and a change delay
// other requests, and how soon an SDK that polls has the change.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startAdminService } from "../lib/admin-service.mjs";
import { startPostgres } from "../lib/postgres.mjs";
import { readPeakMiB } from "../lib/process-usage.mjs";
import { atMost, toTable } from "../lib/report.mjs";
import { median } from "../lib/statistics.mjs";

const FLAG_COUNT = 3000;
const STRATEGIES_PER_FLAG = 20;
const FLAGS_PER_IMPORT = 500;
const ENVIRONMENT = "development";
const HEADERS = {
  authorization: `*:${ENVIRONMENT}.the-sdk-of-the-benchmark`,
  "unleash-client-spec": "5.2.0",
  "accept-encoding": "gzip",
};
/** How often the health of the service is requested. */
const PROBE_MS = 5;
const TARGET_MS = 200;

const DATABASES = { embedded: startEmbedded, PostgreSQL: startServer };

const CHECKOUTS = {
  ours: undefined,
  ...(process.env.PREVIOUS_CHECKOUT && { previous: process.env.PREVIOUS_CHECKOUT }),
};

/** @param plan `changes` to measure */
export async function runAdminLargeBench({ changes }) {
  const rows = [];
  for (const [database, start] of Object.entries(DATABASES)) {
    for (const [version, checkout] of Object.entries(CHECKOUTS)) {
      rows.push({ database, version, ...(await measure({ start, checkout, changes })) });
    }
  }
  return rows;
}

async function measure({ start, checkout, changes }) {
  const database = await start();
  const settings = { ...database.env, INIT_CLIENT_API_TOKENS: HEADERS.authorization };
  try {
    const first = await startAdminService(settings, checkout);
    const started = {
      readyMs: first.service.readyMs,
      peakMiB: readPeakMiB(first.service.child.pid),
    };
    const imported = await probe(first, () => importAll(first.admin));
    await first.service.stop();

    const service = await startAdminService(settings, checkout);
    const loaded = await probe(service, () => poll(service));
    const changed = [];
    for (let count = 0; count < changes; count++) {
      changed.push(await probe(service, () => changeAndPoll(service, count)));
    }
    await service.service.stop();
    return { started, imported, loaded, changed };
  } finally {
    await database.stop();
  }
}

async function startEmbedded() {
  const directory = await mkdtemp(join(tmpdir(), "flags-bench-"));
  return {
    env: { DATA_DIR: directory },
    stop: () => rm(directory, { recursive: true, force: true }),
  };
}

async function startServer() {
  const server = await startPostgres();
  return { env: { DATABASE_URL: server.databaseUrl }, stop: () => server.stop() };
}

/** Measures how long some work takes, and the longest time to a response from `/health` meanwhile. */
async function probe({ origin }, work) {
  const state = { isEnded: false };
  const probing = probeUntilEnded(`${origin}/health`, state);
  const startMs = performance.now();
  await work();
  const ms = performance.now() - startMs;
  state.isEnded = true;
  return { ms, healthMs: await probing };
}

async function probeUntilEnded(url, state) {
  let longestMs = 0;
  do {
    const startMs = performance.now();
    const response = await fetch(url);
    await response.arrayBuffer();
    longestMs = Math.max(longestMs, performance.now() - startMs);
    await delay(PROBE_MS);
  } while (!state.isEnded);
  return longestMs;
}

async function changeAndPoll({ admin, origin }, count) {
  const path = `/projects/default/features/${nameOf(count)}/environments/${ENVIRONMENT}/off`;
  await admin.post(path);
  await poll({ origin });
}

async function poll({ origin }) {
  const response = await fetch(`${origin}/api/client/features`, { headers: HEADERS });
  if (!response.ok) throw new Error(`A poll failed with ${response.status}`);
  await response.arrayBuffer();
}

function nameOf(index) {
  return `flag-${String(index).padStart(4, "0")}`;
}

async function importAll(admin) {
  for (let start = 0; start < FLAG_COUNT; start += FLAGS_PER_IMPORT) {
    await admin.post("/projects/default/import", createFile(start));
  }
}

function createFile(start) {
  const strategies = Array.from({ length: STRATEGIES_PER_FLAG }, (_, index) => ({
    name: "flexibleRollout",
    parameters: { rollout: String(index), stickiness: "userId", groupId: "group" },
    constraints: [{ contextName: "region", operator: "IN", values: ["north", "south"] }],
  }));
  const features = Array.from({ length: FLAGS_PER_IMPORT }, (_, index) => ({
    name: nameOf(start + index),
    environments: [{ name: ENVIRONMENT, enabled: true, strategies }],
  }));
  return { version: 1, features };
}

export function reportAdminLarge(rows) {
  const title = `## A large environment of flag-management: ${FLAG_COUNT} flags with ${STRATEGIES_PER_FLAG} strategies`;
  return `${title}\n\n${toTable(rows.map(toRow))}`;
}

function toRow({ database, version, started, imported, loaded, changed }) {
  const changedMs = changed.map(({ ms }) => ms);
  const healthMs = changed.map((change) => change.healthMs);
  return {
    database,
    version,
    "start s": seconds(started.readyMs),
    "peak MiB": Math.round(started.peakMiB),
    "import s": seconds(imported.ms),
    "/health ms": Math.round(imported.healthMs),
    "first poll s": seconds(loaded.ms),
    "/health ms ": Math.round(loaded.healthMs),
    "change until polled s": `${seconds(median(changedMs))}, at most ${seconds(Math.max(...changedMs))}`,
    "/health ms  ": `${Math.round(median(healthMs))}, at most ${Math.round(Math.max(...healthMs))}`,
  };
}

function seconds(ms) {
  return (ms / 1000).toFixed(2);
}

export function adminLargeTargets(rows) {
  return rows
    .filter(({ version }) => version === "ours")
    .flatMap(({ database, imported, loaded, changed }) => [
      atMost(`/health during an import, ${database}, ms`, imported.healthMs, TARGET_MS),
      atMost(`/health during the first poll, ${database}, ms`, loaded.healthMs, TARGET_MS),
      atMost(
        `/health during a change, ${database}, ms`,
        Math.max(...changed.map(({ healthMs }) => healthMs)),
        TARGET_MS,
      ),
    ]);
}
