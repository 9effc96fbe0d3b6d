import { setTimeout as delay } from "node:timers/promises";
import { type SQL, sql } from "drizzle-orm";
import type { Logger } from "flags-server-kit/neutral";
import { SETTINGS } from "./config/settings.ts";
import { LIMITS } from "./limits.ts";
import { type Database, rowsOf } from "./storage/database.ts";
import { isConnectionError } from "./storage/errors.ts";
import type { Storage } from "./storage/storage.ts";
import { tryLockFor } from "./storage/transactions.ts";
import { rollUpEvaluations, rollUpVariants } from "./usage/roll-up.ts";

/** How long data is kept that would otherwise grow without limit. */
export interface Retention {
  /** Hours for which usage is kept by hour, at least 48. Later, it is kept by day. */
  readonly usageHours: number;
  /** Days for which usage is kept by day. The current day in UTC is one of them. */
  readonly usageDays: number;
  /** Days for which an application is kept that no longer registers or reports usage. */
  readonly applicationDays: number;
  /** Days for which events are kept; undefined: indefinitely. */
  readonly eventDays: number | undefined;
}

/** What the settings are by default. */
export const DEFAULT_RETENTION: Retention = {
  usageHours: SETTINGS.usageRetentionHours.default,
  usageDays: SETTINGS.usageRetentionDays.default,
  applicationDays: SETTINGS.applicationRetentionDays.default,
  eventDays: undefined,
};

const MINUTE_MS = 60_000;

interface ScheduleOptions {
  readonly storage: Storage;
  readonly retention: Retention;
  readonly logger: Pick<Logger, "info" | "warn">;
  /** @default a minute */
  readonly firstRunMs?: number;
  /** @default an hour */
  readonly intervalMs?: number;
}

/** Deletes expired data at an interval. Resolves once the last run has ended after the signal. */
export async function deleteRegularly(
  { storage, retention, logger, ...intervals }: ScheduleOptions,
  signal: AbortSignal,
): Promise<void> {
  const { firstRunMs = MINUTE_MS, intervalMs = 60 * MINUTE_MS } = intervals;
  await pause(firstRunMs, signal);
  while (!signal.aborted) {
    try {
      const deleted = await deleteExpired(storage, retention, { signal });
      const parts = Object.entries(deleted).filter(([, count]) => count > 0);
      if (parts.length > 0) {
        logger.info(`Deleted expired data: ${parts.map((part) => part.join(" ")).join(", ")}`);
      }
    } catch (error) {
      // The next run deletes more. Requests already report an unavailable database.
      if (!isConnectionError(error)) logger.warn("Cannot delete expired data", error);
    }
    await pause(intervalMs, signal);
  }
}

/** Waits without keeping the process alive. */
async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  await delay(delayMs, undefined, { signal, ref: false }).catch(() => undefined);
}

/** Small enough that no request waits noticeably: the embedded database runs one transaction at a time. */
const BATCH_ROWS = 1000;
const PAUSE_MS = 20;

/** For as long as a deleted token may stay in the environment of a service that is not restarted. */
const DELETED_TOKENS_KEPT = "400 days";

/** Longer than notifications are tried. */
const NOTIFICATIONS_KEPT = "30 days";

/** For how long lists show that a link or a token has expired. */
const EXPIRED_KEPT = "30 days";

interface DeleteOptions {
  /** Stops after the current batch. */
  readonly signal: AbortSignal;
  /** Maximum number of rows per transaction. @default 1000 */
  readonly batchRows?: number;
  /** How many applications are kept, each in one environment. @default 10000 */
  readonly maxApplications?: number;
  /** @default the clock of the database */
  readonly now?: Date;
}

/**
 * Deletes usage, applications, names of unknown flags, sessions, links, codes, personal tokens, notifications and events that have expired, in small transactions.
 * Usage by hour is added to the usage by day. If another replica is doing that already, deletes nothing.
 *
 * @returns the number of deleted rows by table
 */
export async function deleteExpired(
  storage: Pick<Storage, "transact" | "db">,
  { usageHours, usageDays, applicationDays, eventDays }: Retention,
  options: DeleteOptions,
): Promise<Readonly<Record<string, number>>> {
  const { signal, batchRows = BATCH_ROWS, maxApplications = LIMITS.applications } = options;
  const now =
    options.now === undefined ? sql`now()` : sql`${options.now.toISOString()}::timestamptz`;
  const isOlder = (column: string, age: string): SQL =>
    sql`${sql.identifier(column)} < ${now} - ${age}::interval`;
  const deleted: Record<string, number> = {};
  const repeat = async (table: string, run: Batch): Promise<void> => {
    const count = await repeatInTransactions(storage, run, { signal, batchRows });
    deleted[table] = (deleted[table] ?? 0) + count;
  };
  const deleteFrom = (table: string, condition: SQL): Promise<void> =>
    repeat(table, async (db) =>
      affectedRows(await db.execute(deleteBatch(table, condition, batchRows))),
    );
  const expired = { condition: isOlder("hour", `${usageHours} hours`), maxRows: batchRows };
  await repeat("feature_usage", (db) => rollUpEvaluations(db, expired));
  await repeat("variant_usage", (db) => rollUpVariants(db, expired));
  const firstDay = sql`date_trunc('day', ${now}, 'UTC') - ${`${(usageDays - 1) * 24} hours`}::interval`;
  for (const table of ["feature_usage_days", "variant_usage_days"]) {
    // oxlint-disable-next-line no-await-in-loop -- one transaction at a time
    await deleteFrom(table, sql`day < ${firstDay}`);
  }
  await deleteFrom("application_instances", isOlder("last_seen_at", `${usageHours} hours`));
  await deleteFrom("unknown_flags", isOlder("last_seen_at", `${usageHours} hours`));
  await deleteFrom("applications", isOlder("last_seen_at", `${applicationDays} days`));
  const surplus = await findSurplusApplications(storage.db, maxApplications);
  if (surplus !== undefined) await deleteFrom("applications", surplus);
  await deleteFrom("sessions", sql`expires_at < now()`);
  await deleteFrom("user_links", sql`expires_at < now()`);
  await deleteFrom("setup_codes", sql`expires_at < now()`);
  await deleteFrom("invite_links", isOlder("expires_at", EXPIRED_KEPT));
  await deleteFrom("personal_tokens", isOlder("expires_at", EXPIRED_KEPT));
  await deleteFrom("deleted_tokens", isOlder("used_at", DELETED_TOKENS_KEPT));
  await deleteFrom("notifications", isOlder("created_at", NOTIFICATIONS_KEPT));
  if (eventDays !== undefined) {
    const kept = await findLatestEvents(storage.db);
    const isKept = sql`id in (select value::bigint from jsonb_array_elements_text(${kept}::jsonb))`;
    // What is still to be sent contains the event.
    const isQueued = sql`id in (select event from notifications where state = 'pending')`;
    await deleteFrom(
      "events",
      sql`${isOlder("created_at", `${eventDays} days`)} and not ${isKept} and not ${isQueued}`,
    );
  }
  return deleted;
}

/**
 * Returns the condition that selects the least recently seen applications beyond a number;
 * undefined if there are not so many. Proxies pass on the names that clients with a public key
 * send, so anyone can invent names.
 */
async function findSurplusApplications(db: Database, max: number): Promise<SQL | undefined> {
  const found = await db.execute(sql`
    select last_seen_at::text, app_name, environment from applications
    order by last_seen_at desc, app_name desc, environment desc offset ${max} limit 1`);
  const [first] = rowsOf(found);
  if (first === undefined) return undefined;
  return sql`(last_seen_at, app_name, environment) <=
    (${first["last_seen_at"]}::timestamptz, ${first["app_name"]}, ${first["environment"]})`;
}

/**
 * Finds the latest event of each type in each environment, as a JSON list of ids. These events are never
 * deleted: the revisions of environments are the ids of their latest events, and must not go back.
 */
async function findLatestEvents(db: Database): Promise<string> {
  const found = await db.execute(
    sql`select max(id)::text as id from events group by type, environment`,
  );
  return JSON.stringify(rowsOf(found).map(({ id }) => id));
}

/** NOTE: skips locked rows, so that it never waits for a report that updates one of them. */
function deleteBatch(table: string, condition: SQL, rows: number): SQL {
  const name = sql.identifier(table);
  return sql`
    delete from ${name} where ctid = any(array(
      select ctid from ${name} where ${condition} limit ${rows} for update skip locked
    ))`;
}

/** Handles some rows, and returns how many. */
type Batch = (db: Database) => Promise<number>;

async function repeatInTransactions(
  storage: Pick<Storage, "transact">,
  run: Batch,
  { signal, batchRows }: Required<Pick<DeleteOptions, "batchRows" | "signal">>,
): Promise<number> {
  let total = 0;
  while (!signal.aborted) {
    const count = await storage.transact(async (db) => {
      if (!(await tryLockFor(db, "clean"))) return 0;
      return run(db);
    });
    total += count;
    if (count < batchRows) break;
    await delay(PAUSE_MS, undefined, { ref: false });
  }
  return total;
}

/** The two drivers name the number differently. */
function affectedRows(result: unknown): number {
  const { rowCount, affectedRows: count } = result as {
    readonly rowCount?: number | null;
    readonly affectedRows?: number;
  };
  return rowCount ?? count ?? 0;
}
