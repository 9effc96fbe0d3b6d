import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** For so long callers on open connections are told that their request is the last one there. */
const FAREWELL_MS = 500;

/** Until then requests in flight may finish; what is done after the last one takes time as well. */
const DRAIN_MS = 3000;

/** How often connections are looked at that have become idle since the last look. */
const SWEEP_MS = 50;

/** A server with something behind it. */
export interface Closable {
  /** Undefined where the connections are those of other processes. */
  readonly server: Server | undefined;
  /** Waits for the requests in flight, then closes what is behind the server. */
  close(): Promise<void>;
}

/** How long the parts of closing may take. */
export interface ClosingTimes {
  /** @default 500 */
  readonly farewellMs?: number;
  /** @default 3000 */
  readonly drainMs?: number;
}

/**
 * Closes in bounded time. First everybody is still answered, with `Connection: close`: a server that
 * hangs up at once resets the requests that are on their way to it. Then nobody new is let in, and
 * connections that are still busy after `drainMs` are cut.
 */
export async function shutDown(
  closable: Closable,
  { farewellMs = FAREWELL_MS, drainMs = DRAIN_MS }: ClosingTimes = {},
): Promise<void> {
  const { server } = closable;
  if (server === undefined) return closable.close();
  if (await hasConnections(server)) {
    server.prependListener("request", sayGoodbye);
    await sleep(farewellMs);
  }
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

function sayGoodbye(_request: IncomingMessage, response: ServerResponse): void {
  response.shouldKeepAlive = false;
}

function hasConnections(server: Server): Promise<boolean> {
  return new Promise((resolve) => {
    server.getConnections((error, count) => resolve(error !== null || count > 0));
  });
}
