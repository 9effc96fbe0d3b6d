import type { Server } from "node:http";
import { setImmediate as afterReading, setTimeout as sleep } from "node:timers/promises";

/** How long requests in progress may take after the delay. The service then needs time for other work. */
const DRAIN_MS = 1250;

const SWEEP_INTERVAL_MS = 50;

export interface Closable {
  /** Undefined if other processes accept the connections. */
  readonly server: Server | undefined;
  /** Servers on additional ports, which `close()` also closes. @default none */
  readonly furtherServers?: readonly Server[];
  /** @param delayMs how long other processes still accept requests before that, if they accept the connections */
  close(delayMs: number): Promise<void>;
}

export interface ShutDownTimes {
  readonly delayMs: number;
  readonly drainMs?: number | undefined;
}

const STOPPING = "flags:stopping";

/** Calls a listener when the shutdown of a server begins, with how long it still accepts requests. */
export function onStopping(server: Server, listener: (delayMs: number) => void): void {
  server.once(STOPPING, listener);
}

/**
 * Shuts a server down gracefully and in bounded time. For `delayMs`, in which load balancers notice that the service is
 * not ready, it still accepts requests and responds with `Connection: close`. Then it stops listening and closes
 * connections that are still busy after `drainMs`.
 */
export async function shutDown(
  closable: Closable,
  { delayMs, drainMs = DRAIN_MS }: ShutDownTimes,
): Promise<void> {
  const { server: mainServer, furtherServers = [] } = closable;
  if (mainServer === undefined) return closable.close(delayMs);
  const servers = [mainServer, ...furtherServers];
  for (const server of servers) server.emit(STOPPING, delayMs);
  await sleep(delayMs);
  // NOTE: a connection is idle until its next request is read. So it is closed when nothing that has arrived is unread.
  await afterReading();
  for (const server of servers) server.closeIdleConnections();
  // NOTE: a connection whose request was in progress stays open after the response, until the keep-alive timeout.
  const sweep = setInterval(() => {
    for (const server of servers) server.closeIdleConnections();
  }, SWEEP_INTERVAL_MS);
  const drainTimeout = setTimeout(() => {
    for (const server of servers) server.closeAllConnections();
  }, drainMs);
  try {
    await closable.close(0);
  } finally {
    clearInterval(sweep);
    clearTimeout(drainTimeout);
  }
}
