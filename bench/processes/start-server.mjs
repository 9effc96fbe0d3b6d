import { startProgram, stop } from "./children.mjs";
import { findFreePort, waitUntilReady } from "./ports.mjs";

/**
 * Starts a server on a free port and waits until its health check answers with 200.
 *
 * @param describe given the port, returns `command`, `args`, `env`, `healthPath` and, for a program
 *   that we talk to by messages, `hasChannel`
 */
export async function startServer(describe) {
  const port = await findFreePort();
  const { command, args, healthPath, ...options } = describe(port);
  const startMs = performance.now();
  const child = startProgram(command, args, options);
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  await waitUntilReady(`http://127.0.0.1:${port}${healthPath}`, hasEnded);
  const readyMs = performance.now() - startMs;
  return { child, port, readyMs, stop: () => stop(child) };
}
