import { setTimeout as delay } from "node:timers/promises";
import { callbackify } from "node:util";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import { ConnectionLog } from "./connection-log.ts";
import { type Database, firstRow, rowsOf } from "./database.ts";
import {
  type ChangeFeed,
  createChangeFeed,
  hasRevision,
  readRevision,
  skipRevisions,
} from "./revisions.ts";
import { isConnectionError, StandbyError } from "./errors.ts";
import { migrate } from "./migrate.ts";
import { listenToChanges } from "./postgres-listener.ts";
import { createSqlStorage } from "./sql-storage.ts";
import type { Storage, StorageLogger, StorageOptions } from "./storage.ts";
import type { Transact } from "./transactions.ts";

interface PostgresOptions extends Pick<
  StorageOptions,
  "connectTimeoutMs" | "logger" | "prepareSchema"
> {
  /** URL with user and password, such as `postgres://user:secret@host/name`. */
  readonly databaseUrl: string;
}

/** Changes have connections of their own, because they wait for the write lock. Reads are not blocked by waiting changes. */
const MAX_CONNECTIONS = { other: 7, change: 3 } as const;
/**
 * Clients commonly give up after 10 s. They get a 503 within 8 s if the server does not respond: all connections are in use
 * then, so a request waits for a connection or for one statement, but rarely for both.
 */
const CONNECT_TIMEOUT_MS = 2500;
/** Firewalls drop connections that are idle for longer. */
const KEEP_ALIVE_DELAY_MS = 10_000;
/** Statements normally take milliseconds. Those of a large import can take seconds on a busy machine. */
const STATEMENT_TIMEOUT_MS = { other: 4500, change: 6500 } as const;
/** Longer than the statement timeout: a server that has not even reported an error by then is unreachable. */
const QUERY_TIMEOUT_MS = { other: 5000, change: 7000 } as const;
/** How long a change waits for the write lock. Shorter than the statement timeout, so that the log names the reason. */
const LOCK_TIMEOUT_MS = 4000;
/** If a replica hangs in the middle of a change, the server ends its transaction and frees the lock. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 15_000;

/** Opens a PostgreSQL database and applies pending migrations. */
export async function openPostgres(options: PostgresOptions): Promise<Storage> {
  const { prepareSchema = migrate } = options;
  await usePostgres(options, prepareSchema);
  const log = new ConnectionLog(options.logger);
  const pool = createPool(options, "other", log);
  const writePool = createPool(options, "change", log);
  const closePools = (): Promise<unknown> => endWithin([pool.end(), writePool.end()]);
  try {
    const db = drizzle(pool);
    const transact = createTransact(pool);
    const changes = createChangeFeed();
    let timeline: string | undefined;
    const listener = await listenToChanges({
      createClient: () =>
        new pg.Client({
          ...connectionSettings(options),
          query_timeout: QUERY_TIMEOUT_MS.other,
        }),
      announce: changes.announce,
      onOpen: async (isReopened) => {
        const current = await readTimeline(db);
        if (isReopened) {
          const hasFailedOver = current !== timeline;
          await resume({ db, transact, changes, hasFailedOver, logger: options.logger });
        } else {
          await warnOfWrongClock(db, options.logger);
          changes.announce(await readRevision(db));
        }
        // Last: if anything fails, it is repeated with the next connection.
        timeline = current;
        log.reopened();
      },
      onLost: (reason) => log.listenerLost(reason),
    });
    return createSqlStorage({
      kind: "postgresql",
      db,
      transact,
      transactWrite: createTransact(writePool),
      changes,
      close: async () => {
        await listener.close();
        await closePools();
      },
    });
  } catch (error) {
    await closePools();
    throw error;
  }
}

interface Resumed {
  readonly db: Database;
  readonly transact: Transact;
  readonly changes: ChangeFeed;
  /** Whether another server has taken over since the last connection. */
  readonly hasFailedOver: boolean;
  readonly logger: StorageLogger;
}

/**
 * Continues after the connection was lost. The server may be a standby that has taken over, and may lack the latest
 * changes: the ids of these can meanwhile belong to other events.
 */
async function resume({ db, transact, changes, hasFailedOver, logger }: Resumed): Promise<void> {
  await skipRevisions({ transact: (work) => transact("write", work) }, { waits: true });
  const hasLostChanges = hasFailedOver || !(await hasRevision(db, changes.latest));
  if (hasLostChanges) {
    logger.warn(
      "The database may lack changes that this replica has seen, because of a failover: SDKs receive its current state",
    );
  }
  changes.reconnected(hasLostChanges, await readRevision(db));
}

const MAX_CLOCK_DIFFERENCE_MS = 60_000;

/**
 * Warns if the clock of the database differs from that of this process. Replicas write the times of usage, sessions and
 * tokens, and the database deletes what has expired by its own clock.
 */
export async function warnOfWrongClock(
  db: Database,
  logger: Pick<StorageLogger, "warn">,
  nowMs: number = Date.now(),
): Promise<void> {
  const found = await db.execute(sql`select extract(epoch from clock_timestamp()) * 1000 as ms`);
  const differenceMs = Number(firstRow(rowsOf(found))["ms"]) - nowMs;
  if (Math.abs(differenceMs) <= MAX_CLOCK_DIFFERENCE_MS) return;
  const seconds = Math.round(Math.abs(differenceMs) / 1000);
  logger.warn(
    `The clock of the database is ${seconds} s ${differenceMs > 0 ? "ahead of" : "behind"} that of this machine: correct the wrong one`,
  );
}

/** Returns the timeline, which changes when a standby takes over; undefined if the server does not reveal it. */
async function readTimeline(db: Database): Promise<string | undefined> {
  try {
    const found = await db.execute(
      sql`select left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline`,
    );
    return String(firstRow(rowsOf(found))["timeline"]);
  } catch {
    return undefined;
  }
}

/** Uses a database on a connection without timeouts, because migrations of large tables can take long. */
export async function usePostgres<T>(
  options: PostgresOptions,
  use: (db: Database) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(connectionSettings(options));
  // NOTE: without this listener, a lost connection would end the process. The query rejects anyway.
  client.on("error", () => undefined);
  try {
    await client.connect();
    await rejectStandby(client);
    return await use(drizzle(client));
  } finally {
    await client.end();
  }
}

/** How long closing waits for statements in progress, and for a server that may not respond. */
const CLOSE_TIMEOUT_MS = 1000;

function endWithin(endings: readonly Promise<void>[]): Promise<unknown> {
  const timeout = delay(CLOSE_TIMEOUT_MS, undefined, { ref: false });
  return Promise.race([Promise.all(endings), timeout]);
}

function createPool(
  options: PostgresOptions,
  use: keyof typeof MAX_CONNECTIONS,
  log: ConnectionLog,
): pg.Pool {
  const pool = new pg.Pool({
    ...connectionSettings(options),
    max: MAX_CONNECTIONS[use],
    query_timeout: QUERY_TIMEOUT_MS[use],
    statement_timeout: STATEMENT_TIMEOUT_MS[use],
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    verify: (client, done) => verifyPrimary(client, (error) => done(error ?? undefined)),
  });
  // NOTE: without these listeners, a lost connection would end the process.
  const onLost = (error: Error): void => {
    log.lost(error.message);
  };
  pool.on("error", onLost);
  pool.on("connect", (client) => {
    client.on("error", onLost);
  });
  return pool;
}

/**
 * Rejects a connection to a standby, to which the address of the database can lead during a failover. It would otherwise
 * be used as long as there are requests, even after the address leads to the primary.
 *
 * @throws {StandbyError}
 */
async function rejectStandby(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ isStandby: boolean }>(
    'select pg_is_in_recovery() as "isStandby"',
  );
  if (rows[0]?.isStandby === true) throw new StandbyError();
}

/** `rejectStandby()` in the form that a pool calls. */
const verifyPrimary = callbackify(rejectStandby);

function connectionSettings({
  databaseUrl,
  connectTimeoutMs = CONNECT_TIMEOUT_MS,
}: PostgresOptions): pg.ClientConfig {
  return {
    connectionString: withExplicitSslMode(databaseUrl),
    application_name: "flags-admin",
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
  };
}

/**
 * Replaces the modes that the driver treats like `verify-full`, about which it would print a warning of several lines.
 * A future version of the driver must not check less.
 */
export function withExplicitSslMode(databaseUrl: string): string {
  if (/[?&]uselibpqcompat=true(?:&|$)/.test(databaseUrl)) return databaseUrl;
  return databaseUrl.replaceAll(
    /([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g,
    "$1verify-full",
  );
}

/**
 * NOTE: independent of the defaults of the database. With `repeatable read`, a change would not see those that were
 * committed while it waited for the write lock.
 */
const BEGIN = {
  read: "begin isolation level repeatable read read only",
  write: "begin isolation level read committed read write",
} as const;

/**
 * Runs work in transactions on connections of a pool. A connection that failed is not reused.
 *
 * NOTE: drizzle's own transactions never release a connection on which `begin` fails.
 */
function createTransact(pool: pg.Pool): Transact {
  return async (mode, work) => {
    const client = await pool.connect();
    try {
      await client.query(BEGIN[mode]);
      const result = await work(drizzle(client));
      await commit(client);
      client.release();
      return result;
    } catch (error) {
      await rollBack(client, error);
      throw error;
    }
  };
}

async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query("commit");
  // PostgreSQL rolls back instead if a statement failed and the work ignored the error.
  if (command !== "COMMIT") throw new Error("The transaction was rolled back: a statement failed");
}

/** NOTE: a server that does not respond would not respond to the rollback either. It rolls back a lost connection. */
async function rollBack(client: pg.PoolClient, reason: unknown): Promise<void> {
  if (isConnectionError(reason)) {
    client.release(true);
    return;
  }
  try {
    await client.query("rollback");
    client.release();
  } catch {
    client.release(true);
  }
}
