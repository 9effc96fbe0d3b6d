import { eq } from "drizzle-orm";
import { badData } from "../../errors.ts";
import { type Database, databaseTime } from "../../storage/database.ts";
import { lifecycles } from "../../storage/schema/lifecycles.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { examineSoon } from "../examine-soon.ts";
import { type FeatureAddress, getActiveFeature } from "../feature.ts";
import type { CompleteFeature, StaleSnoozeInput } from "./schemas.ts";
import { parseSnooze, readSnoozes, type StaleSnooze, toSnoozeColumns } from "./snooze.ts";

type Row = typeof lifecycles.$inferSelect;
type Columns = Partial<Omit<typeof lifecycles.$inferInsert, "feature">>;

const NOT_STALE = { potentiallyStale: false, staleReason: null } as const;

/**
 * Ends the work on a flag: its code is kept or discarded, and the flag can be removed.
 *
 * @throws {ApiError} if the flag is unknown or archived
 */
export async function completeFeature(
  { db, record }: WriteTransaction,
  address: FeatureAddress,
  { status, statusValue }: CompleteFeature,
): Promise<void> {
  const { name } = await getActiveFeature(db, address);
  const before = await findRow(db, name);
  await setColumns(db, name, {
    completedAt: before?.completedAt ?? (await databaseTime(db)),
    completedStatus: status,
    completedValue: statusValue ?? null,
    ...NOT_STALE,
  });
  await record({
    type: "feature-completed",
    project: address.project,
    feature: name,
    before: toCompletion(before),
    after: toCompletion({ completedStatus: status, completedValue: statusValue ?? null }),
  });
}

/** Describes what became of a completed flag; undefined if it is not completed. */
function toCompletion(row: Pick<Row, "completedStatus" | "completedValue"> | undefined) {
  const { completedStatus: status = null, completedValue: statusValue = null } = row ?? {};
  if (status === null) return undefined;
  return { status, kept: status === "kept", ...(statusValue !== null && { statusValue }) };
}

/**
 * Returns a flag to the stage that it had before it was completed.
 *
 * @throws {ApiError} if the flag is unknown or archived
 */
export async function uncompleteFeature(
  { db, record }: WriteTransaction,
  address: FeatureAddress,
): Promise<void> {
  const { name } = await getActiveFeature(db, address);
  const before = toCompletion(await findRow(db, name));
  if (before === undefined) return;
  await setColumns(db, name, { completedAt: null, completedStatus: null, completedValue: null });
  await record({
    type: "feature-uncompleted",
    project: address.project,
    feature: name,
    before,
  });
}

/**
 * Says that a flag is needed, until a time or for good. It is not potentially stale then.
 *
 * @throws {ApiError} if the flag is unknown or archived, or the input contains neither or both, or a time that has passed
 */
export async function snooze(
  transaction: WriteTransaction,
  address: FeatureAddress,
  input: StaleSnoozeInput,
): Promise<void> {
  const { db, record } = transaction;
  const { name } = await getActiveFeature(db, address);
  const after = parseSnooze(input, "/body");
  await checkFuture(db, after);
  const before = await findSnooze(db, name);
  await setColumns(db, name, { ...toSnoozeColumns(after), ...NOT_STALE });
  await record({
    type: "feature-stale-snoozed",
    project: address.project,
    feature: name,
    before,
    after,
  });
}

/**
 * Ends the effect of `snooze()`.
 *
 * @throws {ApiError} if the flag is unknown or archived
 */
export async function unsnooze(
  { db, record }: WriteTransaction,
  address: FeatureAddress,
): Promise<void> {
  const { name } = await getActiveFeature(db, address);
  const before = await findSnooze(db, name);
  if (before === undefined) return;
  await setColumns(db, name, toSnoozeColumns(null));
  await examineSoon(db);
  await record({
    type: "feature-stale-unsnoozed",
    project: address.project,
    feature: name,
    before,
  });
}

async function checkFuture(db: Database, snooze: StaleSnooze): Promise<void> {
  if (!("until" in snooze) || snooze.until > (await databaseTime(db))) return;
  throw badData("/body/until", "must be in the future");
}

/** Returns the snooze of a flag; undefined for none. */
async function findSnooze(db: Database, feature: string): Promise<StaleSnooze | undefined> {
  return (await readSnoozes(db, [feature])).get(feature);
}

async function findRow(db: Database, feature: string): Promise<Row | undefined> {
  const [row] = await db.select().from(lifecycles).where(eq(lifecycles.feature, feature));
  return row;
}

async function setColumns(db: Database, feature: string, columns: Columns): Promise<void> {
  await db
    .insert(lifecycles)
    .values({ feature, ...columns })
    .onConflictDoUpdate({ target: lifecycles.feature, set: columns });
}
