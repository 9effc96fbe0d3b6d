import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { CHANGES_CHANNEL } from "./sql-storage.ts";
import type { StorageLogger } from "./storage.ts";

interface ListenerParts {
  /** Makes a client that is not connected yet. */
  createClient(): pg.Client;
  readonly announce: (revision: number) => void;
  /** The revision now, for what was missed while nobody listened. */
  readRevision(): Promise<number>;
  readonly logger: StorageLogger;
}

export interface ChangeListener {
  close(): Promise<void>;
}

const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2000;
/** A connection that broke without a word is found out by asking now and then. */
const PROBE_INTERVAL_MS = 10_000;
const GOODBYE_MS = 1000;

/** Keeps a connection that hears of the changes of all replicas, and makes a new one when it breaks. */
export async function listenToChanges(parts: ListenerParts): Promise<ChangeListener> {
  const stop = new AbortController();
  const first = await openConnection(parts);
  const loop = keepListening(parts, first, stop.signal);
  return {
    close: async () => {
      stop.abort();
      await loop;
    },
  };
}

async function keepListening(
  parts: ListenerParts,
  first: Connection,
  signal: AbortSignal,
): Promise<void> {
  let connection: Connection | undefined = first;
  let pauseMs = SHORTEST_PAUSE_MS;
  while (!signal.aborted) {
    if (connection !== undefined) {
      await untilLost(connection, signal);
      await hangUp(connection.client);
      pauseMs = SHORTEST_PAUSE_MS;
    }
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    if (!signal.aborted) connection = await openConnection(parts).catch(() => undefined);
  }
  if (connection !== undefined) await hangUp(connection.client);
}

interface Connection {
  readonly client: pg.Client;
  readonly lost: Promise<void>;
}

async function openConnection(parts: ListenerParts): Promise<Connection> {
  const { announce, logger } = parts;
  const client = parts.createClient();
  const lost = new Promise<void>((resolve) => {
    client.once("end", () => resolve());
    client.on("error", (error) => {
      logger.warn(`The connection that hears of changes was lost: ${error.message}`);
      resolve();
    });
  });
  client.on("notification", ({ payload }) => announce(Number(payload)));
  try {
    await client.connect();
    await client.query(`listen ${CHANGES_CHANNEL}`);
    announce(await parts.readRevision());
  } catch (error) {
    await hangUp(client);
    throw error;
  }
  return { client, lost };
}

async function untilLost({ client, lost }: Connection, signal: AbortSignal): Promise<void> {
  let probe: NodeJS.Timeout | undefined;
  const silent = new Promise<void>((resolve) => {
    probe = setInterval(() => {
      client.query("select 1").catch(() => resolve());
    }, PROBE_INTERVAL_MS);
  });
  const stopped = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await Promise.race([lost, silent, stopped]);
  clearInterval(probe);
}

/** Says goodbye, without waiting long for a server that may be gone. */
async function hangUp(client: pg.Client): Promise<void> {
  const ended = client.end().catch(() => undefined);
  await Promise.race([ended, delay(GOODBYE_MS, undefined, { ref: false })]);
}
