import type { Actor, NewEvent } from "./events.ts";
import type { Database } from "./database.ts";
import type { ProtectedPlace } from "./protected-places.ts";

/** A change in progress. Its writes and its events become visible together, or not at all. */
export interface WriteTransaction {
  readonly db: Database;
  readonly actor: Actor;
  /** Records events. An event whose `before` and `after` are equal is dropped. */
  readonly record: (...events: readonly NewEvent[]) => Promise<void>;
  /** Says how many people have approved this change, for the environments that require it. @default 0 */
  readonly approve: (approvals: number) => void;
  /** Finds a place that the events so far affect, and that requires more approvals than there are. */
  readonly findMissingApprovals: () => Promise<ProtectedPlace | undefined>;
}

/** The database, which stores everything that the service manages. */
export interface Storage {
  readonly kind: "embedded" | "postgresql";

  /** For reads of one statement. Use `write` or `transact` to write: they check the free space. */
  readonly db: Database;

  /** Runs a read of several statements that must see the same state. */
  read<T>(work: (db: Database) => Promise<T>): Promise<T>;

  /**
   * Runs a read that takes long and must see the same state throughout, such as a backup. It does not delay other reads:
   * with the embedded database, whose only connection a transaction would occupy, writes wait until it ends instead.
   */
  readForLong<T>(work: (db: Database) => Promise<T>): Promise<T>;

  /**
   * Runs a change in a transaction. Changes run one at a time across all replicas, so that events are
   * committed in the order of their ids: no event appears later with an id below the revision.
   *
   * @throws {ApiError} 403 if the events show that it changes flags in an environment that requires more approvals
   */
  write<T>(actor: Actor, work: (transaction: WriteTransaction) => Promise<T>): Promise<T>;

  /**
   * Runs a write that is not a change by an administrator, such as a usage report, in a transaction.
   * It has no author, records no event, and runs concurrently with changes.
   */
  transact<T>(work: (db: Database) => Promise<T>): Promise<T>;

  /** Reads the id of the latest event, which grows with every committed change; 0 without events. */
  revision(): Promise<number>;

  /**
   * Records that this process has read a revision from the database, so that it is announced and would be
   * missed. `revision()` does this itself.
   */
  saw(revision: number): void;

  /** Calls the listener after each change by any replica. Returns a function that removes it. */
  onChange(listener: (revision: number) => void): () => void;

  /** Calls the listener after a change by this process that people are to be notified of. Returns a function that removes it. */
  onQueued(listener: () => void): () => void;

  /**
   * Calls the listener after a connection to the database was lost and is open again.
   * `hasLostChanges` means that the database lacks a change that this process has seen, as a standby
   * can that takes over. Returns a function that removes the listener.
   */
  onReconnect(listener: (hasLostChanges: boolean) => void): () => void;

  /** Rejects if the database cannot be reached. */
  ping(): Promise<void>;

  /**
   * Checks, without writing, whether writes can be expected to succeed.
   *
   * @throws {DiskFullError} if too little disk space is free or, where that cannot be measured, if a
   *   write failed because of a full disk in the last 10 s
   */
  assertWritable(): void;

  /** Free bytes on the disk of the embedded database; undefined for PostgreSQL. */
  freeDiskBytes(): number | undefined;

  close(): Promise<void>;
}

/** Receives changes of the state of the storage, such as a lost connection. */
export interface StorageLogger {
  warn(message: string): void;
  /** Receives the reason why the process is about to end. */
  fatal(message: string): void;
}

/** How to open the database. */
export interface StorageOptions {
  /** URL of a PostgreSQL database. @default the embedded database in `dataDir` */
  readonly databaseUrl?: string | undefined;
  /** How long work waits for a connection to PostgreSQL, including one of the pool. @default 2500 */
  readonly connectTimeoutMs?: number | undefined;
  /** Directory for the embedded database and nothing else. Created if it is missing. */
  readonly dataDir: string;
  /** The embedded database rejects writes while less disk space than this is free. @default 64 MB */
  readonly minFreeDiskBytes?: number | undefined;
  readonly logger: StorageLogger;
  /** Called before an embedded database is created, which takes seconds. */
  readonly onCreating?: ((directory: string) => void) | undefined;
  /** Prepares the tables before anything else is done. @default applies pending migrations */
  readonly prepareSchema?: ((db: Database) => Promise<void>) | undefined;
}
