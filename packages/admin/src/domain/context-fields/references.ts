import { and, eq, isNull, ne, or, sql, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Database } from "../../storage/database.ts";
import { featureEnvironments, features } from "../../storage/schema/features.ts";
import { segments } from "../../storage/schema/segments.ts";
import { strategies } from "../../storage/schema/strategies.ts";
import {
  REFERENCE_COUNT,
  STRATEGY_REFERENCE,
  STRATEGY_REFERENCE_ORDER,
  type ReferenceCount,
} from "../strategy-references.ts";

/** Which flags use which context fields: in constraints, for stickiness, and in overrides of variants. */
const USES = sql`(
  select feature, entry ->> 'contextName' as field
    from ${strategies}, jsonb_array_elements(${strategies.constraints}) as entry
  union select feature, ${strategies.parameters} ->> 'stickiness' from ${strategies}
  union select feature, entry ->> 'stickiness'
    from ${strategies}, jsonb_array_elements(${strategies.variants}) as entry
  union select feature, entry ->> 'stickiness'
    from ${featureEnvironments}, jsonb_array_elements(${featureEnvironments.variants}) as entry
  union select feature, override ->> 'contextName'
    from ${featureEnvironments}, jsonb_array_elements(${featureEnvironments.variants}) as entry,
      jsonb_array_elements(entry -> 'overrides') as override
) as uses`;

/** Describes the active flags that use a field, and the segments that have a constraint on it. */
export async function describeReferences(db: Database, contextField: string): Promise<string[]> {
  const flagsWithField = await db
    .selectDistinct({ name: features.name })
    .from(features)
    .innerJoin(USES, sql`uses.feature = ${features.name}`)
    .where(and(isNull(features.archivedAt), sql`uses.field = ${contextField}`))
    .orderBy(features.name);
  const segmentsWithField = await db
    .select({ name: segments.name })
    .from(segments)
    .where(mentions(segments.constraints, contextField));
  return [
    ...flagsWithField.map(({ name }) => `the flag ${JSON.stringify(name)}`),
    ...segmentsWithField.map(({ name }) => `the segment ${JSON.stringify(name)}`),
  ];
}

/**
 * Describes a strategy or segment outside of a project that has a constraint on a field; undefined if there is
 * none. Strategies of archived flags count, since flags can be revived.
 */
export async function findForeignReference(
  db: Database,
  contextField: string,
  project: string,
): Promise<string | undefined> {
  const [strategy] = await db
    .select({ feature: strategies.feature })
    .from(strategies)
    .innerJoin(features, eq(features.name, strategies.feature))
    .where(and(ne(features.project, project), mentions(strategies.constraints, contextField)))
    .limit(1);
  if (strategy !== undefined) return `the flag ${JSON.stringify(strategy.feature)}`;
  const [segment] = await db
    .select({ name: segments.name })
    .from(segments)
    .where(
      and(
        or(isNull(segments.project), ne(segments.project, project)),
        mentions(segments.constraints, contextField),
      ),
    )
    .limit(1);
  return segment && `the segment ${JSON.stringify(segment.name)}`;
}

/** Lists the strategies of active flags that have a constraint on a field, or use it for stickiness. */
export function listStrategiesUsing(db: Database, contextField: string) {
  const isSticky = sql`${strategies.parameters} ->> 'stickiness' = ${contextField}`;
  const hasStickyVariant = sql`${strategies.variants} @> ${JSON.stringify([{ stickiness: contextField }])}::jsonb`;
  return db
    .select(STRATEGY_REFERENCE)
    .from(strategies)
    .innerJoin(features, eq(features.name, strategies.feature))
    .where(
      and(
        isNull(features.archivedAt),
        or(mentions(strategies.constraints, contextField), isSticky, hasStickyVariant),
      ),
    )
    .orderBy(...STRATEGY_REFERENCE_ORDER);
}

function mentions(constraints: PgColumn, contextName: string): SQL {
  return sql`${constraints} @> ${JSON.stringify([{ contextName }])}::jsonb`;
}

/** Counts the flags that use each field. Fields without references are absent. */
export async function countReferences(db: Database): Promise<ReadonlyMap<string, ReferenceCount>> {
  const field = sql<string>`uses.field`;
  const rows = await db
    .select({ field, ...REFERENCE_COUNT })
    .from(features)
    .innerJoin(USES, sql`uses.feature = ${features.name}`)
    .where(isNull(features.archivedAt))
    .groupBy(field);
  return new Map(rows.map(({ field: name, ...count }) => [name, count]));
}
