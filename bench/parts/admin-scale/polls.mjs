import { once } from "node:events";
import { Agent, request } from "node:http";
import { readUsage } from "../../lib/process-usage.mjs";
import { SDK_HEADERS } from "./system.mjs";

const CONNECTIONS = 16;

/**
 * Polls for all definitions over several connections, as SDKs do.
 *
 * @param poll `seconds`; `coding` that the SDKs accept; `isConditional`: whether they send the last ETag
 * @returns polls per second, CPU time per poll, bytes of a body and its status
 */
export async function measurePolls(replica, { seconds, coding = "identity", isConditional }) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const headers = { ...SDK_HEADERS, "accept-encoding": coding };
  const first = await poll(replica, agent, headers);
  if (isConditional) headers["if-none-match"] = first.etag;
  const expectedStatus = isConditional ? 304 : 200;
  const startMs = performance.now();
  const before = readUsage(replica.pid);
  let count = 0;
  const pollUntilEnd = async () => {
    while (performance.now() < startMs + seconds * 1000) {
      const { status } = await poll(replica, agent, headers);
      if (status !== expectedStatus) throw new Error(`A poll got ${status}`);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, pollUntilEnd));
  const elapsedSeconds = (performance.now() - startMs) / 1000;
  const cpuMs = readUsage(replica.pid).cpuMs - before.cpuMs;
  agent.destroy();
  return {
    perSecond: count / elapsedSeconds,
    cpuMicroseconds: (cpuMs * 1000) / count,
    bytes: isConditional ? 0 : first.bytes,
  };
}

async function poll({ origin }, agent, headers) {
  const call = request(`${origin}/api/client/features`, { headers, agent }).end();
  const [response] = await once(call, "response");
  let bytes = 0;
  for await (const chunk of response) bytes += chunk.length;
  return { status: response.statusCode, etag: response.headers.etag, bytes };
}
