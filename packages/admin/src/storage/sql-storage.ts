import { sql } from "drizzle-orm";
import { ApprovalsMissingError, findMissingApprovals } from "./require-approvals.ts";
import { readProtectedPlaces } from "./protected-places.ts";
import { type Actor, createRecorder } from "./events.ts";
import { publishChange, type Published } from "./publish-change.ts";
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
  const queueListeners = new Set<() => void>();
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
      const { result, published } = await tracker.observe(() =>
        retryBeforeStart((started) =>
          transactWrite("write", (transaction) => runWrite(transaction, actor, { work, started })),
        ),
      );
      if (published !== undefined) {
        changes.announce(published.revision);
        if (published.queued > 0) for (const listener of queueListeners) listener();
      }
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
    onQueued: (listener) => {
      queueListeners.add(listener);
      return () => queueListeners.delete(listener);
    },
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
  /** Undefined if no event was recorded. */
  readonly published: Published | undefined;
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
  const findMissing = () => findMissingApprovals(db, recorder.recorded(), { places, given });
  const result = await work({
    db,
    actor,
    record: recorder.record,
    approve,
    findMissingApprovals: findMissing,
  });
  const missing = await findMissing();
  if (missing !== undefined) throw new ApprovalsMissingError(missing);
  const recorded = recorder.ids();
  const published =
    recorded.length === 0 ? undefined : await publishChange(db, CHANGES_CHANNEL, recorded);
  return { result, published };
}
