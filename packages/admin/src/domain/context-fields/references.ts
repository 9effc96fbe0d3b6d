import { and, eq, isNull, ne, or, sql, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Database } from "../../storage/database.ts";
import { features } from "../../storage/schema/features.ts";
import { segments } from "../../storage/schema/segments.ts";
import { strategies } from "../../storage/schema/strategies.ts";
import {
  REFERENCE_COUNT,
  STRATEGY_REFERENCE,
  STRATEGY_REFERENCE_ORDER,
  type ReferenceCount,
} from "../strategy-references.ts";

/** Describes the strategies of active flags and the segments that have a constraint on a field. */
export async function describeReferences(db: Database, contextField: string): Promise<string[]> {
  const strategiesWithField = await listStrategiesUsing(db, contextField);
  const segmentsWithField = await db
    .select({ name: segments.name })
    .from(segments)
    .where(mentions(segments.constraints, contextField));
  return [
    ...strategiesWithField.map(({ featureName }) => `the flag ${JSON.stringify(featureName)}`),
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

/** Lists the strategies of active flags that have a constraint on a field. */
export function listStrategiesUsing(db: Database, contextField: string) {
  return db
    .select(STRATEGY_REFERENCE)
    .from(strategies)
    .innerJoin(features, eq(features.name, strategies.feature))
    .where(and(isNull(features.archivedAt), mentions(strategies.constraints, contextField)))
    .orderBy(...STRATEGY_REFERENCE_ORDER);
}

function mentions(constraints: PgColumn, contextName: string): SQL {
  return sql`${constraints} @> ${JSON.stringify([{ contextName }])}::jsonb`;
}

/** Counts the references to each field. Fields without references are absent. */
export async function countReferences(db: Database): Promise<ReadonlyMap<string, ReferenceCount>> {
  const contextName = sql<string>`entry.value ->> 'contextName'`;
  const rows = await db
    .select({ contextName, ...REFERENCE_COUNT })
    .from(strategies)
    .innerJoin(features, eq(features.name, strategies.feature))
    .crossJoinLateral(sql`jsonb_array_elements(${strategies.constraints}) as entry`)
    .where(isNull(features.archivedAt))
    .groupBy(contextName);
  return new Map(rows.map(({ contextName: name, ...count }) => [name, count]));
}
