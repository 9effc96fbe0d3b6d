// Sends requests to 127.0.0.1 for a bounded time, whenever the parent says so, and tells it how many
// were answered.

import { on } from "node:events";
import autocannon from "autocannon";

process.on("disconnect", () => process.exit());
for await (const [job] of on(process, "message")) process.send(await load(job));

async function load({ port, paths, headers, connections, seconds }) {
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections,
    duration: seconds,
    requests: paths.map((path) => ({ path, headers })),
  });
  return {
    requests: result.requests.total,
    seconds: result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    failed: result.errors + result.timeouts + result.non2xx,
  };
}
