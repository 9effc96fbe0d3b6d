import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import { createChangeFeed } from "./change-feed.ts";
import { migrate } from "./migrate.ts";
import { listenToChanges } from "./postgres-listener.ts";
import { createTransact } from "./postgres-transaction.ts";
import { readRevision } from "./read-revision.ts";
import { createSqlStorage } from "./sql-storage.ts";
import type { Storage, StorageLogger } from "./storage.ts";

export interface PostgresOptions {
  /** Address, user and password of the database, such as `postgres://user:secret@host/name`. */
  readonly databaseUrl: string;
  readonly logger: StorageLogger;
}

/** Most connections that are open at a time, for everything but changes. */
const MAX_CONNECTIONS = 7;
/** Changes wait for their turn on these, so that however many wait, all else goes on. */
const MAX_CHANGING_CONNECTIONS = 3;
const CONNECT_TIMEOUT_MS = 5000;
/** Firewalls forget connections that are silent for longer. */
const KEEP_ALIVE_DELAY_MS = 10_000;
/** No statement of ours takes longer than a moment, unless something is wrong. */
const STATEMENT_TIMEOUT_MS = 20_000;
/** A statement that is not even answered with a failure went to a server that cannot be reached. */
const ANSWER_TIMEOUT_MS = 30_000;
/** The same for the connection that only listens: what it hears must be fresh. */
const LISTENER_ANSWER_TIMEOUT_MS = 5000;
/** How long a change waits for its turn. */
const LOCK_TIMEOUT_MS = 10_000;
/** A replica that hangs in the middle of a change must not keep the others waiting for good. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 15_000;

/** Opens a PostgreSQL database and brings its schema up to date. */
export async function openPostgres(options: PostgresOptions): Promise<Storage> {
  await migrateAlone(options);
  const pool = createPool(options, MAX_CONNECTIONS);
  const changingPool = createPool(options, MAX_CHANGING_CONNECTIONS);
  const db = drizzle(pool);
  const changes = createChangeFeed();
  const listener = await listenToChanges({
    createClient: () =>
      new pg.Client({
        ...connectionSettings(options),
        query_timeout: LISTENER_ANSWER_TIMEOUT_MS,
      }),
    announce: changes.announce,
    readRevision: () => readRevision(db),
    logger: options.logger,
  });

  return createSqlStorage({
    kind: "postgresql",
    db,
    transact: createTransact(pool),
    transactInTurn: createTransact(changingPool),
    changes,
    close: async () => {
      await listener.close();
      await Promise.all([pool.end(), changingPool.end()]);
    },
  });
}

/** On a connection without time limits: steps over large tables take their time. */
async function migrateAlone(options: PostgresOptions): Promise<void> {
  const client = new pg.Client(connectionSettings(options));
  // NOTE: without a listener a connection that breaks would end the process; the query fails too.
  client.on("error", () => undefined);
  try {
    await client.connect();
    await migrate(drizzle(client));
  } finally {
    await client.end();
  }
}

function createPool(options: PostgresOptions, max: number): pg.Pool {
  const { logger } = options;
  const pool = new pg.Pool({
    ...connectionSettings(options),
    max,
    query_timeout: ANSWER_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
  });
  // NOTE: without these listeners a connection that breaks would end the process.
  const onLost = (error: Error): void => {
    logger.warn(`A connection to the database was lost: ${error.message}`);
  };
  pool.on("error", onLost);
  pool.on("connect", (client) => {
    client.on("error", onLost);
  });
  return pool;
}

function connectionSettings({ databaseUrl }: PostgresOptions): pg.ClientConfig {
  return {
    connectionString: databaseUrl,
    application_name: "flags-admin",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
  };
}
