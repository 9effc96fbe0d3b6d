// Sends requests to 127.0.0.1 for a bounded time and tells the parent how many were answered.

import { once } from "node:events";
import autocannon from "autocannon";

const [{ port, paths, headers, connections, seconds }] = await once(process, "message");
const result = await autocannon({
  url: `http://127.0.0.1:${port}`,
  connections,
  duration: seconds,
  requests: paths.map((path) => ({ path, headers })),
});
process.send({
  requests: result.requests.total,
  seconds: result.duration,
  p50Ms: result.latency.p50,
  p99Ms: result.latency.p99,
  failed: result.errors + result.timeouts + result.non2xx,
});
process.disconnect();
