import { and, eq, isNull, ne, or, sql, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { ProjectAccess } from "../../access/project-access.ts";
import { type Database, orderByText } from "../../storage/database.ts";
import { featureEnvironments, features } from "../../storage/schema/features.ts";
import { projectEnvironments } from "../../storage/schema/projects.ts";
import { segments, strategies } from "../../storage/schema/strategies.ts";
import { describeDefaultStrategy, listDefaultStrategiesWith } from "../default-strategies.ts";
import {
  REFERENCE_COUNT,
  STRATEGY_REFERENCE,
  STRATEGY_REFERENCE_ORDER,
  type ReferenceCount,
} from "../strategy-references.ts";

/**
 * Which flags use which context fields in which environments: in constraints, for stickiness, and in overrides of
 * variants. The columns of `uses` are feature, environment and field.
 */
export const FIELD_USES: SQL = sql`(
  select feature, environment, entry ->> 'contextName' as field
    from ${strategies}, jsonb_array_elements(${strategies.constraints}) as entry
  union select feature, environment, ${strategies.parameters} ->> 'stickiness' from ${strategies}
  union select feature, environment, entry ->> 'stickiness'
    from ${strategies}, jsonb_array_elements(${strategies.variants}) as entry
  union select feature, environment, entry ->> 'stickiness'
    from ${featureEnvironments}, jsonb_array_elements(${featureEnvironments.variants}) as entry
  union select feature, environment, override ->> 'contextName'
    from ${featureEnvironments}, jsonb_array_elements(${featureEnvironments.variants}) as entry,
      jsonb_array_elements(entry -> 'overrides') as override
) as uses`;

/**
 * Describes the active flags and default strategies that use a field, and the segments that have a constraint on it, for
 * somebody.
 */
export async function describeReferences(
  db: Database,
  contextField: string,
  access: ProjectAccess,
): Promise<string[]> {
  const flagsWithField = await db
    .select({ name: features.name, project: features.project })
    .from(features)
    .innerJoin(FIELD_USES, sql`uses.feature = ${features.name}`)
    .where(and(isNull(features.archivedAt), sql`uses.field = ${contextField}`))
    .groupBy(features.name)
    .orderBy(orderByText(features.name));
  const segmentsWithField = await db
    .select({ name: segments.name, project: segments.project })
    .from(segments)
    .where(mentions(segments.constraints, contextField))
    .orderBy(orderByText(segments.name));
  const places = await listDefaultStrategiesWith(
    db,
    { constraints: [{ contextName: contextField }] },
    { parameters: { stickiness: contextField } },
    { variants: [{ stickiness: contextField }] },
  );
  return [
    ...flagsWithField.map((flag) => describe("flag", flag, access)),
    ...segmentsWithField.map((segment) => describe("segment", segment, access)),
    ...places.map((place) => describeDefaultStrategy(place, access)),
  ];
}

function describe(
  kind: string,
  { name, project }: { readonly name: string; readonly project: string | null },
  access: Pick<ProjectAccess, "sees">,
): string {
  return access.sees(project)
    ? `the ${kind} ${JSON.stringify(name)}`
    : `a ${kind} that you cannot see`;
}

/**
 * Describes a strategy, default strategy or segment outside of a project that has a constraint on one of these fields, by field. Strategies
 * of archived flags count, since flags can be revived.
 */
export async function findForeignReferences(
  db: Database,
  names: readonly string[],
  project: string,
  access: Pick<ProjectAccess, "sees">,
): Promise<ReadonlyMap<string, string>> {
  if (names.length === 0) return new Map();
  const field = sql<string>`entry ->> 'contextName'`;
  const isWanted = sql`${field} in (select jsonb_array_elements_text(${JSON.stringify(names)}::jsonb))`;
  const inFlags = await db
    .selectDistinctOn([field], { field, name: strategies.feature, project: features.project })
    .from(strategies)
    .innerJoin(features, eq(features.name, strategies.feature))
    .innerJoin(sql`jsonb_array_elements(${strategies.constraints}) as entry`, isWanted)
    .where(ne(features.project, project));
  const inSegments = await db
    .selectDistinctOn([field], { field, name: segments.name, project: segments.project })
    .from(segments)
    .innerJoin(sql`jsonb_array_elements(${segments.constraints}) as entry`, isWanted)
    .where(or(isNull(segments.project), ne(segments.project, project)));
  const inDefaults = await db
    .selectDistinctOn([field], {
      field,
      project: projectEnvironments.project,
      environment: projectEnvironments.environment,
    })
    .from(projectEnvironments)
    .innerJoin(
      sql`jsonb_array_elements(${projectEnvironments.defaultStrategy} -> 'constraints') as entry`,
      isWanted,
    )
    .where(ne(projectEnvironments.project, project));
  return new Map([
    ...inDefaults.map((row) => [row.field, describeDefaultStrategy(row, access)] as const),
    ...inSegments.map((row) => [row.field, describe("segment", row, access)] as const),
    ...inFlags.map((row) => [row.field, describe("flag", row, access)] as const),
  ]);
}

/** Lists the strategies of active flags that have a constraint on a field, or use it for stickiness. */
export function listStrategiesUsing(db: Database, contextField: string, access: ProjectAccess) {
  const isSticky = sql`${strategies.parameters} ->> 'stickiness' = ${contextField}`;
  const hasStickyVariant = sql`${strategies.variants} @> ${JSON.stringify([{ stickiness: contextField }])}::jsonb`;
  return db
    .select(STRATEGY_REFERENCE)
    .from(strategies)
    .innerJoin(features, eq(features.name, strategies.feature))
    .where(
      and(
        isNull(features.archivedAt),
        access.isVisible(features.project),
        or(mentions(strategies.constraints, contextField), isSticky, hasStickyVariant),
      ),
    )
    .orderBy(...STRATEGY_REFERENCE_ORDER);
}

function mentions(constraints: PgColumn, contextName: string): SQL {
  return sql`${constraints} @> ${JSON.stringify([{ contextName }])}::jsonb`;
}

/** Counts the flags that use each field. Fields without references are absent. */
export async function countReferences(
  db: Database,
  access: ProjectAccess,
): Promise<ReadonlyMap<string, ReferenceCount>> {
  const field = sql<string>`uses.field`;
  const rows = await db
    .select({ field, ...REFERENCE_COUNT })
    .from(features)
    .innerJoin(FIELD_USES, sql`uses.feature = ${features.name}`)
    .where(and(isNull(features.archivedAt), access.isVisible(features.project)))
    .groupBy(field);
  return new Map(rows.map(({ field: name, ...count }) => [name, count]));
}
