import { type Database, isOneOf } from "../../storage/database.ts";
import { contextFields } from "../../storage/schema/context-fields.ts";

/** Looks up the legal values of fields; a field without any, or that is unknown, takes all values. */
export async function readLegalValues(
  db: Database,
  contextNames: readonly string[],
): Promise<(contextName: string) => readonly string[]> {
  if (contextNames.length === 0) return () => [];
  const rows = await db
    .select({ name: contextFields.name, legalValues: contextFields.legalValues })
    .from(contextFields)
    .where(isOneOf(contextFields.name, [...new Set(contextNames)]));
  const byName = new Map(
    rows.map(({ name, legalValues }) => [name, legalValues.map(({ value }) => value)]),
  );
  return (contextName) => byName.get(contextName) ?? [];
}
