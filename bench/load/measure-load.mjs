import { call, startScript, stop } from "../lib/processes.mjs";

const CONNECTIONS = 32;

/** Starts a load generator for the duration of a task. */
export async function withGenerator(task) {
  const generator = startScript(new URL("generator.mjs", import.meta.url));
  try {
    return await task(generator);
  } finally {
    await stop(generator);
  }
}

/**
 * Applies one load to one server.
 *
 * @param load
 *   - `users`: "new" (another user for each request) or "fixed" (one user per connection); or `fleet`:
 *     `{ id, size, firstUser }`, users who return in turn
 *   - `seconds` or `requests` (or both): when to stop
 *   - `rate`: requests per second; without it, all connections are kept busy
 *   - `expectedStatus`: any other status fails the measurement
 *   - `isConditional`: sends `If-None-Match` with each user's last ETag
 *   - `method`: "GET" (default) or "POST"; `body` of a POST (default: the context of the user); `path`
 *     (default: that of the server); `headers`; `connections` (default 32)
 * @returns rates, latencies, and CPU time per request of the server
 */
export async function measureLoad(generator, { child, port, path, headers }, load) {
  const result = await call(generator, {
    connections: CONNECTIONS,
    pid: child.pid,
    port,
    path,
    ...load,
    headers: { ...headers, ...load.headers },
  });
  if (result.failed > 0) throw new Error(`${result.failed} requests failed`);
  return {
    requestsPerSecond: result.requests / result.seconds,
    cpuMicroseconds: (result.cpuMs * 1000) / result.requests,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    latenessP99Ms: result.latenessP99Ms,
    generatorBusy: result.generatorBusy,
    memoryMiB: result.memoryMiB,
  };
}

/**
 * Applies a load to each server in each round, so that a slow moment of the machine affects all of them.
 *
 * @param servers a map by name
 * @param plan `generator`, `rounds`, `seconds` of each, and `warmUp`, the `seconds` or `requests` of the
 *   unmeasured load of each server before the first round
 * @returns lists of samples by name; the nth samples of two servers are comparable
 */
export async function takeTurns(servers, load, { generator, rounds, seconds, warmUp }) {
  const samples = new Map([...servers.keys()].map((name) => [name, []]));
  for (const server of servers.values()) {
    await measureLoad(generator, server, { ...load, ...warmUp });
  }
  const order = [...servers];
  for (let round = 0; round < rounds; round++) {
    for (const [name, server] of order) {
      samples.get(name).push(await measureLoad(generator, server, { ...load, seconds }));
    }
    // The next round is in reverse order, so that no server always follows the same one.
    order.reverse();
  }
  return samples;
}
