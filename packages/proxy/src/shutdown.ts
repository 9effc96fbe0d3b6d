import type { RunningProxy } from "./start.ts";

/** Until then requests in flight may finish; sending the last metrics takes up to 5 s more. */
const DRAIN_MS = 3000;

/** How often connections are looked at that have become idle since the last look. */
const SWEEP_MS = 50;

/** Closes a proxy in bounded time: connections that are still busy after `drainMs` are cut. */
export async function shutDown(proxy: RunningProxy, drainMs: number = DRAIN_MS): Promise<void> {
  const { server } = proxy.app;
  // NOTE: a connection whose request was in flight at the start stays open after the answer, and
  // would be waited for until its keep-alive time is over.
  const sweeper = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const cutter = setTimeout(() => server.closeAllConnections(), drainMs);
  try {
    await proxy.close();
  } finally {
    clearInterval(sweeper);
    clearTimeout(cutter);
  }
}
