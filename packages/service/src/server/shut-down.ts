import type { Server } from "node:http";

/** Until then requests in flight may finish; what is done after the last one takes time as well. */
const DRAIN_MS = 3000;

/** How often connections are looked at that have become idle since the last look. */
const SWEEP_MS = 50;

/** A server with something behind it. */
export interface Closable {
  readonly server: Server;
  /** Waits for the requests in flight, then closes what is behind the server. */
  close(): Promise<void>;
}

/** Closes in bounded time: connections that are still busy after `drainMs` are cut. */
export async function shutDown(closable: Closable, drainMs: number = DRAIN_MS): Promise<void> {
  const { server } = closable;
  // NOTE: a connection whose request was in flight at the start stays open after the answer, and
  // would be waited for until its keep-alive time is over.
  const sweeper = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const cutter = setTimeout(() => server.closeAllConnections(), drainMs);
  try {
    await closable.close();
  } finally {
    clearInterval(sweeper);
    clearTimeout(cutter);
  }
}
