import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** How long new requests are still accepted, with `Connection: close`, before the server closes. */
const GRACE_MS = 500;

/** How long requests in progress may take after that. The service then needs time for other work. */
const DRAIN_MS = 3000;

/** How often connections that have become idle are closed. */
const SWEEP_INTERVAL_MS = 50;

/** A server and the resources that it uses. */
export interface Closable {
  /** Undefined if other processes accept the connections. */
  readonly server: Server | undefined;
  /** Servers on additional ports, which `close()` also closes. @default none */
  readonly furtherServers?: readonly Server[];
  /** Waits for the requests in progress, then closes the resources of the server. */
  close(): Promise<void>;
}

/** How long the phases of a shutdown may take. */
interface ShutDownTimes {
  /** @default 500 */
  readonly graceMs?: number;
  /** @default 3000 */
  readonly drainMs?: number | undefined;
}

/**
 * Shuts a server down gracefully and in bounded time. For `graceMs`, it still accepts requests and
 * responds with `Connection: close`: closing immediately would reset requests that are on their way.
 * Then it stops listening and closes connections that are still busy after `drainMs`.
 */
export async function shutDown(
  closable: Closable,
  { graceMs = GRACE_MS, drainMs = DRAIN_MS }: ShutDownTimes = {},
): Promise<void> {
  const { server: mainServer, furtherServers = [] } = closable;
  if (mainServer === undefined) return closable.close();
  const servers = [mainServer, ...furtherServers];
  if ((await Promise.all(servers.map(hasConnections))).includes(true)) {
    for (const server of servers) server.prependListener("request", disableKeepAlive);
    await sleep(graceMs);
  }
  // NOTE: a connection whose request was in progress at the start stays open after the response.
  // Without the sweep, the server would wait for it until the keep-alive timeout.
  const sweep = setInterval(() => {
    for (const server of servers) server.closeIdleConnections();
  }, SWEEP_INTERVAL_MS);
  const drainTimeout = setTimeout(() => {
    for (const server of servers) server.closeAllConnections();
  }, drainMs);
  try {
    await closable.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(drainTimeout);
  }
}

function disableKeepAlive(_request: IncomingMessage, response: ServerResponse): void {
  response.shouldKeepAlive = false;
}

function hasConnections(server: Server): Promise<boolean> {
  return new Promise((resolve) => {
    server.getConnections((error, count) => resolve(error !== null || count > 0));
  });
}
