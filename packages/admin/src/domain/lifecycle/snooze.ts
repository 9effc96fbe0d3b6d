import { badData } from "../../errors.ts";
import { type Database, isOneOf } from "../../storage/database.ts";
import { lifecycles } from "../../storage/schema/lifecycles.ts";

/** Until when, or that a flag never becomes potentially stale. */
export type StaleSnooze = { readonly permanent: true } | { readonly until: Date };

/** A snooze in a request. */
export interface SnoozeInput {
  /** A time in ISO 8601 with its offset. */
  readonly until?: string;
  readonly permanent?: boolean;
}

interface SnoozeColumns {
  readonly snoozedUntil: Date | null;
  readonly isPermanent: boolean;
}

/** Returns the snooze in a row, whose columns are null without a row; null for none. */
export function toSnooze({
  snoozedUntil,
  isPermanent,
}: {
  readonly [Column in keyof SnoozeColumns]: SnoozeColumns[Column] | null;
}): StaleSnooze | null {
  if (isPermanent === true) return { permanent: true };
  return snoozedUntil === null ? null : { until: snoozedUntil };
}

export function toSnoozeColumns(snooze: StaleSnooze | null): SnoozeColumns {
  if (snooze === null) return { snoozedUntil: null, isPermanent: false };
  return "until" in snooze
    ? { snoozedUntil: snooze.until, isPermanent: false }
    : { snoozedUntil: null, isPermanent: true };
}

/**
 * @param path of the input in the request
 * @throws {ApiError} if the input contains neither or both, or no time
 */
export function parseSnooze({ until, permanent }: SnoozeInput, path: string): StaleSnooze {
  if ((until !== undefined) === (permanent === true)) {
    throw badData(path, "must contain either until, or permanent with the value true");
  }
  if (until === undefined) return { permanent: true };
  const time = new Date(until);
  if (Number.isNaN(time.getTime())) {
    throw badData(`${path}/until`, "must be a time in ISO 8601 with its offset");
  }
  return { until: time };
}

/** Reads the snoozes of flags, by name. Flags without one are absent. */
export async function readSnoozes(
  db: Database,
  names: readonly string[],
): Promise<ReadonlyMap<string, StaleSnooze>> {
  const rows = await db.select().from(lifecycles).where(isOneOf(lifecycles.feature, names));
  return new Map(
    rows.flatMap((row) => {
      const snooze = toSnooze(row);
      return snooze === null ? [] : [[row.feature, snooze] as const];
    }),
  );
}
