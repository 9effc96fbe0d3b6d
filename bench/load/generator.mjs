// The load generator: a process that applies one load per message and replies with the measurements.

import { on } from "node:events";
import { readUsage } from "../lib/process-usage.mjs";
import { runClosedLoop } from "./closed-loop.mjs";
import { openConnection } from "./connection.mjs";
import { runOpenLoop } from "./open-loop.mjs";
import { createFleet, fixedUser, newUsers } from "./requests.mjs";

/** At a constant rate, connections are used for this long before the measurement starts. */
const LEAD_IN_SECONDS = 0.2;

const fleets = new Map();

process.on("disconnect", () => process.exit());
for await (const [job] of on(process, "message")) process.send(await applyLoad(job));

/**
 * Applies a load to a server. `measure-load.mjs` describes the job.
 *
 * @returns `requests`, `failed`, `seconds`, `p50Ms`, `p99Ms`, `generatorBusy` (share of one core),
 *   `latenessP99Ms` (at a constant rate) and, of the server, `cpuMs` and `memoryMiB`
 */
async function applyLoad(job) {
  const connections = Array.from({ length: job.connections }, () => openConnection(job.port));
  try {
    const clients = await Promise.all(
      connections.map(async (connection, index) => ({
        connection,
        users: await createUsers(job, connection, index),
      })),
    );
    return await measure(clients, job);
  } finally {
    for (const connection of connections) connection.close();
  }
}

async function measure(clients, job) {
  if (job.rate !== undefined) await runOpenLoop(clients, { ...job, seconds: LEAD_IN_SECONDS });
  const cpuBefore = process.cpuUsage();
  const serverBefore = readUsage(job.pid);
  const run = job.rate === undefined ? runClosedLoop : runOpenLoop;
  const { latencies, lateness, failed, seconds } = await run(clients, job);
  const { cpuMs, memoryMiB } = readUsage(job.pid);
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    requests: latencies.count(),
    failed,
    seconds,
    p50Ms: latencies.percentileMs(50),
    p99Ms: latencies.percentileMs(99),
    latenessP99Ms: lateness?.percentileMs(99),
    generatorBusy: (user + system) / 1e6 / seconds,
    cpuMs: cpuMs - serverBefore.cpuMs,
    memoryMiB,
  };
}

async function createUsers(job, connection, index) {
  if (job.fleet !== undefined) return fleetOf(job.fleet)(job);
  if (job.users === "new") return newUsers(job);
  const users = fixedUser(job, index);
  if (!job.isConditional) return users;
  const { entityTag } = await connection.request(users.next());
  const headers = { ...job.headers, "if-none-match": entityTag };
  return fixedUser({ ...job, headers }, index);
}

/** Returns the fleet with this id, which several loads share. Creates it for the first load. */
function fleetOf({ id, ...options }) {
  if (!fleets.has(id)) fleets.set(id, createFleet(options));
  return fleets.get(id);
}
