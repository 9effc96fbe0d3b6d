import { sql } from "drizzle-orm";
import { requireApprovals } from "./require-approvals.ts";
import { readProtectedPlaces } from "./protected-places.ts";
import { type Actor, createRecorder } from "./events.ts";
import { type ChangeFeed, readRevision } from "./revisions.ts";
import type { Database } from "./database.ts";
import { DiskFullError } from "./errors.ts";
import { DiskFullTracker, type DiskGuard } from "./disk-guard.ts";
import { lockFor, retryBeforeStart, type Transact, withUnknownOutcome } from "./transactions.ts";
import type { Storage, WriteTransaction } from "./storage.ts";

/** PostgreSQL channel on which replicas notify each other of changes. */
export const CHANGES_CHANNEL = "flags_changes";

interface SqlStorageDependencies {
  readonly kind: Storage["kind"];
  readonly db: Database;
  readonly transact: Transact;
  /** For changes. They wait for the write lock, so they must not exhaust the connections for other work. */
  readonly transactWrite: Transact;
  /** @default a transaction */
  readonly readForLong?: Storage["readForLong"];
  readonly changes: ChangeFeed;
  /** Checks the free disk space; only for the embedded database. */
  readonly guard?: DiskGuard;
  readonly close: () => Promise<void>;
}

/** Implements what both kinds of database have in common. */
export function createSqlStorage(dependencies: SqlStorageDependencies): Storage {
  const { kind, db, changes, guard, close } = dependencies;
  const transact = withUnknownOutcome(dependencies.transact);
  const transactWrite = withUnknownOutcome(dependencies.transactWrite);
  const tracker = new DiskFullTracker();
  const inTransaction: Transact = (mode, work) =>
    retryBeforeStart((started) =>
      transact(mode, (transaction) => {
        started();
        return work(transaction);
      }),
    );
  const read: Storage["read"] = (work) => inTransaction("read", work);
  return {
    kind,
    db,
    close,
    read,
    readForLong: dependencies.readForLong ?? read,
    write: async (actor, work) => {
      const { result, revision } = await tracker.observe(() =>
        retryBeforeStart((started) =>
          transactWrite("write", (transaction) => runWrite(transaction, actor, { work, started })),
        ),
      );
      if (revision !== undefined) changes.announce(revision);
      return result;
    },
    transact: (work) => tracker.observe(() => inTransaction("write", work)),
    revision: async () => {
      const revision = await readRevision(db);
      changes.announce(revision);
      return revision;
    },
    saw: changes.announce,
    onChange: (listener) => changes.listen(listener),
    onReconnect: (listener) => changes.listenToReconnects(listener),
    ping: async () => {
      await db.execute(sql`select 1`);
    },
    assertWritable: () => {
      guard?.assertWritable();
      if (tracker.isFull) throw new DiskFullError("The latest write failed: the disk is full");
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
  /** Id of the last recorded event; undefined if nothing was recorded. */
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
  const places = await readProtectedPlaces(db);
  let given = 0;
  const approve = (approvals: number): void => {
    given = approvals;
  };
  const result = await work({ db, actor, record: recorder.record, approve });
  await requireApprovals(db, recorder.recorded(), { places, given });
  const revision = recorder.lastId();
  if (revision !== undefined) {
    await db.execute(sql`select pg_notify(${CHANGES_CHANNEL}, ${String(revision)})`);
  }
  return { result, revision };
}
