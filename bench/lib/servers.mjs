import { setTimeout as delay } from "node:timers/promises";
import { findFreePorts } from "../../scripts/free-ports.mjs";
import { hasExited } from "../../scripts/stop-process.mjs";
import { startProgram, stop } from "./processes.mjs";

const READY_TIMEOUT_MS = 60_000;
/** Health checks slow down the start: every 2 ms, handling them took a tenth of it. */
const POLL_MS = 10;

/**
 * Starts a server on a free port and waits until its health check returns 200.
 *
 * @param describe given the port, returns `command`, `args`, `env`, `healthPath` and, for a program
 *   that we exchange messages with, `hasChannel`
 * @returns `child`, `port`, `stop` and `readyMs`, the milliseconds from starting the process to the first 200
 */
export async function startServer(describe) {
  const [port] = await findFreePorts(1);
  const { command, args, healthPath, ...options } = describe(port);
  const startMs = performance.now();
  const child = startProgram(command, args, options);
  await waitUntilReady(`http://127.0.0.1:${port}${healthPath}`, child);
  const readyMs = performance.now() - startMs;
  return { child, port, readyMs, stop: () => stop(child) };
}

async function waitUntilReady(url, child) {
  const deadlineMs = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < deadlineMs) {
    if (hasExited(child)) throw new Error(`The server of ${url} exited before it was ready`);
    if (await isReady(url)) return;
    await delay(POLL_MS);
  }
  throw new Error(`${url} did not return 200 within ${READY_TIMEOUT_MS} ms`);
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
