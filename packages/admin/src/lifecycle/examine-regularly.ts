import { sql } from "drizzle-orm";
import type { Logger } from "flags-server-kit/neutral";
import { runAtInterval } from "../scheduling/run-at-interval.ts";
import { type Database, databaseTime, rowsOf } from "../storage/database.ts";
import { isConnectionError } from "../storage/errors.ts";
import type { Storage } from "../storage/storage.ts";
import { advanceStages } from "./advance-stages.ts";
import { findStaleFlags } from "./find-stale-flags.ts";

interface Options {
  readonly storage: Storage;
  readonly logger: Pick<Logger, "warn">;
  /** How often to look whether anything is due. @default a minute */
  readonly intervalMs?: number | undefined;
  /** @default that of the database */
  readonly clock?: ((db: Database) => Promise<Date>) | undefined;
}

/** How often flags are examined by one of the replicas. */
const EVERY = "1 hour";

/** Follows the stages of flags, and finds those that can be removed. Resolves once the last run has ended after the signal. */
export function examineRegularly(
  { storage, logger, intervalMs = 60_000, clock }: Options,
  signal: AbortSignal,
): Promise<void> {
  const onError = (error: unknown): void => {
    // Requests already report an unavailable database, and the next run finds the same.
    if (!isConnectionError(error)) logger.warn("Cannot examine which flags are stale", error);
  };
  const work = (): Promise<void> => examine({ storage, clock }, signal);
  return runAtInterval(work, { intervalMs, onError }, signal);
}

/** Follows the stages of flags, and once an hour finds those that can be removed. */
export async function examine(
  { storage, clock = databaseTime }: Pick<Options, "clock" | "storage">,
  signal?: AbortSignal,
): Promise<void> {
  const now = await clock(storage.db);
  await advanceStages(storage, now);
  if (await claimExamination(storage, now)) await findStaleFlags(storage, now, signal);
}

/** Whether flags are due, and no other replica is examining them. */
async function claimExamination(storage: Storage, now: Date): Promise<boolean> {
  const time = now.toISOString();
  const claimed = await storage.transact((db) =>
    db.execute(sql`
      insert into stale_checks (id, due_at) values (1, ${time}::timestamptz + ${EVERY}::interval)
      on conflict (id) do update set due_at = excluded.due_at
      where stale_checks.due_at <= ${time}::timestamptz
      returning id`),
  );
  return rowsOf(claimed).length > 0;
}
