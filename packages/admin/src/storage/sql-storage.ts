import { sql } from "drizzle-orm";
import type { ChangeFeed } from "./change-feed.ts";
import type { Database } from "./database.ts";
import { DiskFullError, DiskFullMemory } from "./disk-full.ts";
import type { DiskGuard } from "./disk-guard.ts";
import type { Actor } from "./event.ts";
import { lockFor } from "./locks.ts";
import { readRevision } from "./read-revision.ts";
import { createRecorder } from "./record-events.ts";
import { retryBeforeStart } from "./retry-before-start.ts";
import type { Storage, WriteTransaction } from "./storage.ts";

/** Name of the PostgreSQL channel on which replicas tell each other of changes. */
export const CHANGES_CHANNEL = "flags_changes";

/** Runs work in a transaction: all of it, or nothing. */
export type Transact = <T>(
  mode: "read" | "write",
  work: (db: Database) => Promise<T>,
) => Promise<T>;

interface SqlStorageParts {
  readonly kind: Storage["kind"];
  readonly db: Database;
  readonly transact: Transact;
  /** For changes, which wait for their turn: what they hold meanwhile must be nobody else's. */
  readonly transactInTurn: Transact;
  readonly changes: ChangeFeed;
  /** Watches the disk of the database, where that is a disk of this machine. */
  readonly guard?: DiskGuard;
  readonly close: () => Promise<void>;
}

/** What both kinds of storage have in common, which is nearly everything. */
export function createSqlStorage(parts: SqlStorageParts): Storage {
  const { kind, db, transact, transactInTurn, changes, guard, close } = parts;
  const memory = new DiskFullMemory();
  const inTransaction: Transact = (mode, work) =>
    retryBeforeStart((started) =>
      transact(mode, (transaction) => {
        started();
        return work(transaction);
      }),
    );
  return {
    kind,
    db,
    close,
    read: (work) => inTransaction("read", work),
    write: async (actor, work) => {
      const { result, revision } = await memory.observe(() =>
        retryBeforeStart((started) =>
          transactInTurn("write", (transaction) => runWrite(transaction, actor, { work, started })),
        ),
      );
      if (revision !== undefined) changes.announce(revision);
      return result;
    },
    transact: (work) => memory.observe(() => inTransaction("write", work)),
    revision: () => readRevision(db),
    onChange: (listener) => changes.listen(listener),
    ping: async () => {
      await db.execute(sql`select 1`);
    },
    assertWritable: () => {
      guard?.assertWritable();
      if (memory.isFull) throw new DiskFullError("The latest write failed: the disk is full");
    },
    freeDiskBytes: () => guard?.freeBytes,
  };
}

interface Write<T> {
  readonly work: (transaction: WriteTransaction) => Promise<T>;
  readonly started: () => void;
}

interface Written<T> {
  readonly result: T;
  /** Of the last recorded event; undefined when nothing was recorded. */
  readonly revision: number | undefined;
}

async function runWrite<T>(
  db: Database,
  actor: Actor,
  { work, started }: Write<T>,
): Promise<Written<T>> {
  await db.execute(lockFor("write"));
  started();
  const recorder = createRecorder(db, actor);
  const result = await work({ db, actor, record: recorder.record });
  const revision = recorder.lastId();
  if (revision !== undefined) {
    await db.execute(sql`select pg_notify(${CHANGES_CHANNEL}, ${String(revision)})`);
  }
  return { result, revision };
}
