import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { innermostMessage } from "./errors.ts";
import { CHANGES_CHANNEL } from "./sql-storage.ts";

interface ListenerOptions {
  /** Creates a client that is not connected yet. */
  createClient(): pg.Client;
  readonly announce: (revision: number) => void;
  /** Called when the first connection is open, and with `true` when a lost one was reopened. */
  onOpen(isReopened: boolean): Promise<void>;
  /** Called when the connection was lost, with the reason. */
  readonly onLost: (reason: string) => void;
}

interface ChangeListener {
  close(): Promise<void>;
}

const MIN_RECONNECT_DELAY_MS = 100;
const MAX_RECONNECT_DELAY_MS = 2000;
/** Interval of the queries that detect a connection lost without an error. */
const PROBE_INTERVAL_MS = 10_000;
const DISCONNECT_TIMEOUT_MS = 1000;

/**
 * Listens on one connection for the changes of all replicas, and reconnects with exponential backoff.
 *
 * @throws {Error} if the first connection cannot be opened
 */
export async function listenToChanges(options: ListenerOptions): Promise<ChangeListener> {
  const stop = new AbortController();
  const first = await openConnection(options, false);
  const loop = keepListening(options, first, stop.signal);
  return {
    close: async () => {
      stop.abort();
      await loop;
    },
  };
}

async function keepListening(
  options: ListenerOptions,
  first: Connection,
  signal: AbortSignal,
): Promise<void> {
  let connection: Connection | undefined = first;
  let delayMs = MIN_RECONNECT_DELAY_MS;
  while (!signal.aborted) {
    if (connection !== undefined) {
      const reason = await waitUntilLost(connection, signal);
      if (!signal.aborted) options.onLost(reason);
      await disconnect(connection.client);
      delayMs = MIN_RECONNECT_DELAY_MS;
    }
    // Random, so that replicas do not reconnect to a restarted database at the same time.
    const jitteredMs = delayMs * (0.5 + 0.5 * Math.random());
    await delay(jitteredMs, undefined, { signal }).catch(() => undefined);
    delayMs = Math.min(delayMs * 2, MAX_RECONNECT_DELAY_MS);
    if (!signal.aborted) connection = await openConnection(options, true).catch(() => undefined);
  }
  if (connection !== undefined) await disconnect(connection.client);
}

interface Connection {
  readonly client: pg.Client;
  /** Resolves to the reason. */
  readonly lost: Promise<string>;
}

async function openConnection(options: ListenerOptions, isReopened: boolean): Promise<Connection> {
  const { announce } = options;
  const client = options.createClient();
  const lost = new Promise<string>((resolve) => {
    client.once("end", () => resolve("Connection terminated"));
    client.on("error", (error) => resolve(error.message));
  });
  client.on("notification", ({ payload }) => announce(Number(payload)));
  try {
    await client.connect();
    await client.query(`listen ${CHANGES_CHANNEL}`);
    // Changes may have been missed without a connection.
    await options.onOpen(isReopened);
  } catch (error) {
    await disconnect(client);
    throw error;
  }
  return { client, lost };
}

async function waitUntilLost({ client, lost }: Connection, signal: AbortSignal): Promise<string> {
  let probe: NodeJS.Timeout | undefined;
  const unresponsive = new Promise<string>((resolve) => {
    probe = setInterval(() => {
      client.query("select 1").catch((error: unknown) => resolve(innermostMessage(error)));
    }, PROBE_INTERVAL_MS);
  });
  const done = new AbortController();
  const stopped = new Promise<string>((resolve) => {
    signal.addEventListener("abort", () => resolve("Stopped"), { once: true, signal: done.signal });
  });
  const reason = await Promise.race([lost, unresponsive, stopped]);
  clearInterval(probe);
  done.abort();
  return reason;
}

/** Closes a connection, waiting at most 1 s for a server that may be unreachable. */
async function disconnect(client: pg.Client): Promise<void> {
  const ended = client.end().catch(() => undefined);
  await Promise.race([ended, delay(DISCONNECT_TIMEOUT_MS, undefined, { ref: false })]);
}
