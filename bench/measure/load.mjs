import { ask } from "../processes/ask.mjs";
import { startScript, stop } from "../processes/children.mjs";
import { readUsage } from "./process-usage.mjs";

const CONNECTIONS = 32;

/** Starts a load generator for as long as a task takes. */
export async function withGenerator(task) {
  const generator = startScript(new URL("../load/generator.mjs", import.meta.url));
  try {
    return await task(generator);
  } finally {
    await stop(generator);
  }
}

/** Applies one bounded load to one server: rates, latencies and processor time per request. */
export async function measureLoad(generator, { child, port, path, headers }, load) {
  const job = { connections: CONNECTIONS, port, path, ...load };
  const before = readUsage(child.pid);
  const result = await ask(generator, { ...job, headers: { ...headers, ...load.headers } });
  const { cpuMs, memoryMiB } = readUsage(child.pid);
  if (result.failed > 0) throw new Error(`${result.failed} requests failed`);
  return {
    requestsPerSecond: result.requests / result.seconds,
    cpuMicroseconds: ((cpuMs - before.cpuMs) * 1000) / result.requests,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    generatorBusy: result.generatorBusy,
    memoryMiB,
  };
}
