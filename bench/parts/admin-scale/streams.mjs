import { once } from "node:events";
import { request } from "node:http";
import { createGunzip } from "node:zlib";
import { SDK_HEADERS } from "./system.mjs";

const EVENT_END = "\n\n";

/**
 * Opens a stream of definitions, and reads its first event.
 *
 * @param onEvent called with the time at which each later event was complete
 * @returns a function that closes it
 */
export async function openStream({ origin }, { coding = "identity", onEvent = () => {} } = {}) {
  const headers = { ...SDK_HEADERS, "accept-encoding": coding };
  const call = request(`${origin}/api/client/streaming`, { headers, agent: false }).end();
  const [response] = await once(call, "response");
  if (response.statusCode !== 200) throw new Error(`No stream: ${response.statusCode}`);
  response.on("error", () => {});
  const body = coding === "gzip" ? response.pipe(createGunzip()) : response;
  await readFirst(body);
  body.on("data", (chunk) => {
    if (chunk.includes("event:")) onEvent(performance.now());
  });
  return () => call.destroy();
}

/**
 * Opens many streams that decompress nothing.
 *
 * @returns a function that closes them
 */
export async function openMany({ origin }, count, coding) {
  const headers = { ...SDK_HEADERS, "accept-encoding": coding };
  const calls = [];
  for (let index = 0; index < count; index++) {
    const call = request(`${origin}/api/client/streaming`, { headers, agent: false }).end();
    const [response] = await once(call, "response");
    if (response.statusCode !== 200) throw new Error(`No stream: ${response.statusCode}`);
    response.on("error", () => {}).resume();
    calls.push(call);
  }
  return () => {
    for (const call of calls) call.destroy();
  };
}

async function readFirst(body) {
  for (;;) {
    const [chunk] = await once(body, "data");
    if (chunk.toString().endsWith(EVENT_END)) return;
  }
}
