import { and, eq, isNull, sql, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Database } from "../../storage/database.ts";
import { features } from "../../storage/schema/features.ts";
import { segments } from "../../storage/schema/segments.ts";
import { strategies } from "../../storage/schema/strategies.ts";
import {
  STRATEGY_USE,
  STRATEGY_USE_ORDER,
  USE_COUNT,
  type UseCount,
} from "../strategies/strategy-use.ts";

/** Names what would lose its meaning without the field: strategies of active flags, and segments. */
export async function findUses(db: Database, contextField: string): Promise<string[]> {
  const [usingStrategies, usingSegments] = [
    await db
      .select({ feature: strategies.feature })
      .from(strategies)
      .innerJoin(features, eq(features.name, strategies.feature))
      .where(and(isNull(features.archivedAt), mentions(strategies.constraints, contextField))),
    await db
      .select({ name: segments.name })
      .from(segments)
      .where(mentions(segments.constraints, contextField)),
  ];
  return [
    ...usingStrategies.map(({ feature }) => `the feature ${JSON.stringify(feature)}`),
    ...usingSegments.map(({ name }) => `the segment ${JSON.stringify(name)}`),
  ];
}

/** A strategy of an active flag that has a constraint on a field. */
export interface FieldUse {
  readonly id: string;
  readonly projectId: string;
  readonly featureName: string;
  readonly strategyName: string;
  readonly environment: string;
}

export function listStrategiesUsing(db: Database, contextField: string): Promise<FieldUse[]> {
  return db
    .select(STRATEGY_USE)
    .from(strategies)
    .innerJoin(features, eq(features.name, strategies.feature))
    .where(and(isNull(features.archivedAt), mentions(strategies.constraints, contextField)))
    .orderBy(...STRATEGY_USE_ORDER);
}

function mentions(constraints: PgColumn, contextName: string): SQL {
  return sql`${constraints} @> ${JSON.stringify([{ contextName }])}::jsonb`;
}

/** How many active flags, and of how many projects, use each field that any of them uses. */
export async function countUses(db: Database): Promise<ReadonlyMap<string, UseCount>> {
  const contextName = sql<string>`entry.value ->> 'contextName'`;
  const rows = await db
    .select({
      contextName,
      ...USE_COUNT,
    })
    .from(strategies)
    .innerJoin(features, eq(features.name, strategies.feature))
    .crossJoinLateral(sql`jsonb_array_elements(${strategies.constraints}) as entry`)
    .where(isNull(features.archivedAt))
    .groupBy(contextName);
  return new Map(rows.map(({ contextName: name, ...count }) => [name, count]));
}
