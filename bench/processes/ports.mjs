import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const TIMEOUT_MS = 60_000;
/** Every question takes time from a server that is starting: every 2 ms, a tenth of the start. */
const POLL_MS = 10;

/** A port of 127.0.0.1 that nobody listens on, for programs that cannot choose one themselves. */
export async function findFreePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** Resolves once a URL answers with 200; fails when its server has ended instead. */
export async function waitUntilReady(url, hasEnded) {
  const deadlineMs = performance.now() + TIMEOUT_MS;
  while (performance.now() < deadlineMs) {
    if (hasEnded()) throw new Error(`The server of ${url} ended before it was ready`);
    if (await isReady(url)) return;
    await delay(POLL_MS);
  }
  throw new Error(`${url} did not answer with 200 within ${TIMEOUT_MS} ms`);
}

async function isReady(url) {
  try {
    const response = await fetch(url);
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
