// The revision of the database is the id of its latest event. It grows with every committed change.

import { eq, max, sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { events } from "./schema/events.ts";
import type { Storage } from "./storage.ts";
import { lockFor, tryLockFor } from "./transactions.ts";

/** Reads the id of the latest event; 0 without events. */
export async function readRevision(db: Database): Promise<number> {
  const [row] = await db.select({ revision: max(events.id) }).from(events);
  return row?.revision ?? 0;
}

/** Whether the event with this id exists; true for 0, the revision without events. */
export async function hasRevision(db: Database, revision: number): Promise<boolean> {
  if (revision === 0) return true;
  const rows = await db.select({ id: events.id }).from(events).where(eq(events.id, revision));
  return rows.length > 0;
}

/** Some clients store revisions in 32 bits. Seconds since 2026 fit into them until 2162. */
const EPOCH_MS = Date.UTC(2026, 0, 1);

/**
 * Advances the event sequence so that the next revision is at least the number of seconds since
 * 2026. Call it at every start, before anything is written, and when the connection to a database was
 * lost: a standby that has taken over may lack the latest changes.
 *
 * @param waits whether to wait for other changes, because another replica may not have done this yet. At a start,
 *   a replica that holds the lock has done it already
 *
 * NOTE: without this, a service on a restored backup would assign revisions again that it had already
 * assigned after the backup, and SDKs that have seen them would not fetch the restored state.
 */
export async function skipRevisions(
  storage: Pick<Storage, "transact">,
  { now = new Date(), waits = false }: { readonly now?: Date; readonly waits?: boolean } = {},
): Promise<void> {
  const seconds = Math.floor((now.getTime() - EPOCH_MS) / 1000);
  if (seconds < 1) return;
  await storage.transact(async (db) => {
    if (waits) await db.execute(lockFor("write"));
    else if (!(await tryLockFor(db, "write"))) return;
    await db.execute(sql`
      select setval(ids, greatest(pg_sequence_last_value(ids), ${seconds}::bigint))
      from (select pg_get_serial_sequence('events', 'id')::regclass as ids) as sequence`);
  });
}

/** Notifies the listeners in this process of new revisions. */
export interface ChangeFeed {
  /** Passes a revision to all listeners, unless it is not newer than the last one. */
  readonly announce: (revision: number) => void;
  /** Adds a listener. Returns a function that removes it. */
  listen(listener: (revision: number) => void): () => void;
  /** The last announced revision; 0 before the first. */
  readonly latest: number;
  /**
   * Notifies all listeners that the connection to the database was lost and is open again.
   *
   * @param hasLostChanges whether the database lacks a change that was announced before
   */
  readonly reconnected: (hasLostChanges: boolean, revision: number) => void;
  /** Adds a listener for that. Returns a function that removes it. */
  listenToReconnects(listener: (hasLostChanges: boolean) => void): () => void;
}

export function createChangeFeed(): ChangeFeed {
  const listeners = new Set<(revision: number) => void>();
  const reconnectListeners = new Set<(hasLostChanges: boolean) => void>();
  let latest = 0;
  const announce = (revision: number): void => {
    if (!(revision > latest)) return;
    latest = revision;
    for (const listener of listeners) listener(revision);
  };
  return {
    announce,
    listen: (listener) => addTo(listeners, listener),
    get latest() {
      return latest;
    },
    reconnected(hasLostChanges, revision) {
      if (hasLostChanges) latest = 0;
      for (const listener of reconnectListeners) listener(hasLostChanges);
      announce(revision);
    },
    listenToReconnects: (listener) => addTo(reconnectListeners, listener),
  };
}

function addTo<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
