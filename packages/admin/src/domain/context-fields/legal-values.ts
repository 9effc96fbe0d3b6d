import { count, eq, sql } from "drizzle-orm";
import { exceedsLimit } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import { type Database, firstRow, isOneOf } from "../../storage/database.ts";
import type { LegalValue } from "../../storage/schema/json-values.ts";
import { contextFields } from "../../storage/schema/projects.ts";
import { checkUnique } from "../check-unique.ts";
import type { LegalValueInput } from "./schemas.ts";

/** Converts a legal value to the form in which it is stored: no `description` instead of null. */
export function toLegalValue({ value, description }: LegalValueInput): LegalValue {
  return { value, ...(typeof description === "string" && { description }) };
}

/**
 * @param previousCount previous number of values. A list that exceeds the limit must not grow
 * @throws {ApiError} if there are too many values, or a value occurs twice
 */
export function checkLegalValues(legalValues: readonly LegalValueInput[], previousCount = 0): void {
  const limit = Math.max(LIMITS.legalValuesPerContextField, previousCount);
  if (legalValues.length > limit) throw exceedsLimit("legal values of a context field", limit);
  checkUnique(
    legalValues.map(({ value }) => value),
    (index) => `/body/legalValues/${index}/value`,
  );
}

/**
 * Checks all context fields together after fields or legal values were added, because lists contain all of them.
 *
 * @throws {ApiError} if there are too many fields or legal values
 */
export async function checkTotals(db: Database): Promise<void> {
  const lengths = sql<number>`coalesce(sum(jsonb_array_length(${contextFields.legalValues})), 0)`;
  const { fields, legalValues } = firstRow(
    await db.select({ fields: count(), legalValues: lengths.mapWith(Number) }).from(contextFields),
  );
  if (fields > LIMITS.contextFields) throw exceedsLimit("context fields", LIMITS.contextFields);
  if (legalValues > LIMITS.legalValues) {
    throw exceedsLimit("legal values of all context fields", LIMITS.legalValues);
  }
}

/** Replaces the entry with the same value, or appends a new one. */
export function withLegalValue(
  legalValues: readonly LegalValue[],
  added: LegalValue,
): readonly LegalValue[] {
  const index = legalValues.findIndex(({ value }) => value === added.value);
  return index === -1 ? [...legalValues, added] : legalValues.with(index, added);
}

export function withoutLegalValue(
  legalValues: readonly LegalValue[],
  removed: string,
): readonly LegalValue[] {
  return legalValues.filter(({ value }) => value !== removed);
}

/**
 * Returns the legal values of a context field. An empty set allows every value; undefined means that the
 * field is for another project only.
 */
export type LegalValuesOf = (contextName: string) => ReadonlySet<string> | undefined;

const ANY_VALUE: ReadonlySet<string> = new Set();

/**
 * Reads the legal values of context fields. An unknown field allows every value.
 *
 * @param user the project that uses the fields; null for something that all projects may use
 */
export async function readLegalValues(
  db: Database,
  contextNames: readonly string[],
  user: string | null,
): Promise<LegalValuesOf> {
  if (contextNames.length === 0) return () => ANY_VALUE;
  const rows = await db
    .select({
      name: contextFields.name,
      project: contextFields.project,
      legalValues: contextFields.legalValues,
    })
    .from(contextFields)
    .where(isOneOf(contextFields.name, [...new Set(contextNames)]));
  const byName = new Map(
    rows.map(({ name, project, legalValues }) => [
      name,
      project === null || project === user ? toSet(legalValues) : undefined,
    ]),
  );
  return (contextName) => (byName.has(contextName) ? byName.get(contextName) : ANY_VALUE);
}

function toSet(legalValues: readonly LegalValue[]): ReadonlySet<string> {
  return new Set(legalValues.map(({ value }) => value));
}

/** Reads the legal values of a context field of any project. */
export async function readAnyLegalValues(db: Database, name: string): Promise<ReadonlySet<string>> {
  const [row] = await db
    .select({ legalValues: contextFields.legalValues })
    .from(contextFields)
    .where(eq(contextFields.name, name));
  return toSet(row?.legalValues ?? []);
}
