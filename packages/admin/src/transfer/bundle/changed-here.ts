import { and, desc, eq, notInArray, sql } from "drizzle-orm";
import { type Database, isOneOf, rowsOf } from "../../storage/database.ts";
import type { EventType } from "../../storage/events.ts";
import { events } from "../../storage/schema/events.ts";
import type { Conflict } from "./bundle.ts";

/** Events of flags after which they are still as they were imported. */
const WITHOUT_EFFECT: EventType[] = [
  "feature-favorited",
  "feature-unfavorited",
  "feature-link-added",
  "feature-link-updated",
  "feature-link-removed",
];

/**
 * Finds the flags of a project that somebody has changed or created here since they were last imported, which the events
 * tell. Returns the conflicts by name.
 */
export async function findChangedHere(
  db: Database,
  project: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, Conflict>> {
  if (names.length === 0) return new Map();
  const imports = await readImports(db, project);
  const latest = await db
    .selectDistinctOn([events.featureName], {
      name: events.featureName,
      id: events.id,
      createdBy: events.createdBy,
      createdAt: events.createdAt,
    })
    .from(events)
    .where(and(isOneOf(events.featureName, [...names]), notInArray(events.type, WITHOUT_EFFECT)))
    .orderBy(events.featureName, desc(events.id));
  const conflicts = new Map<string, Conflict>();
  for (const { name, id, createdBy, createdAt } of latest) {
    const imported = imports.get(name ?? "");
    if (name === null || (imported !== undefined && imported > id)) continue;
    const what = imported === undefined ? "was not imported, and was changed" : "was changed";
    conflicts.set(name, {
      reason: `${what} here by ${createdBy} on ${createdAt.toISOString().slice(0, 10)}`,
      replaceable: true,
    });
  }
  return conflicts;
}

/** Reads the id of the last import of each flag. */
async function readImports(db: Database, project: string): Promise<ReadonlyMap<string, number>> {
  const rows = rowsOf(
    await db.execute(sql`
      select name, max(${events.id})::text as id
      from ${events},
        jsonb_array_elements_text((${events.data}->'created') || (${events.data}->'updated')) as name
      where ${events.type} = ${"features-imported" satisfies EventType} and ${eq(events.project, project)}
      group by name`),
  );
  return new Map(rows.map(({ name, id }) => [String(name), Number(id)]));
}
