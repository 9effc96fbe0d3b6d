import type { Database } from "./database.ts";
import type { Actor, NewEvent } from "./event.ts";

/** A change under way: what it writes and what it records become visible together, or not at all. */
export interface WriteTransaction {
  readonly db: Database;
  readonly actor: Actor;
  /** Records what happened. An event whose `before` and `after` are equal is no event. */
  readonly record: (...events: readonly NewEvent[]) => Promise<void>;
}

/** Where everything is kept. */
export interface Storage {
  readonly kind: "embedded" | "postgresql";

  /** For a read of one statement. Writes use `write` or `transact`, which check the free space. */
  readonly db: Database;

  /** For a read of several statements that must see the same state. */
  read<T>(work: (db: Database) => Promise<T>): Promise<T>;

  /**
   * One change, all or nothing. Changes take turns, on all replicas together: so that the ids of
   * events are committed in their order, and a revision never hides an event that comes later.
   */
  write<T>(actor: Actor, work: (transaction: WriteTransaction) => Promise<T>): Promise<T>;

  /**
   * Several statements, all or nothing, that are no change of what is managed: nobody is asked who
   * does it, nothing is recorded, and nobody takes turns.
   */
  transact<T>(work: (db: Database) => Promise<T>): Promise<T>;

  /** The id of the latest event: it grows with every change that has been committed. */
  revision(): Promise<number>;

  /** Calls the listener after each change, by whichever replica. Returns how to stop that. */
  onChange(listener: (revision: number) => void): () => void;

  /** Fails when the database cannot be reached. */
  ping(): Promise<void>;

  /**
   * Checks, without writing, whether writes can be expected to succeed.
   *
   * @throws {DiskFullError} when too little disk space is free, or, where that cannot be measured,
   *   when a write failed for that reason in the last 10 s
   */
  assertWritable(): void;

  /** Free bytes on the disk of the embedded database; undefined with PostgreSQL. */
  freeDiskBytes(): number | undefined;

  close(): Promise<void>;
}

/** Where the storage logs changes of its own state, such as a lost connection. */
export interface StorageLogger {
  info(message: string): void;
  warn(message: string): void;
  /** Logs why the process is about to end. */
  fatal(message: string): void;
}
