import { and, eq, isNotNull, or, sql, type SQL } from "drizzle-orm";
import type { ProjectAccess } from "../access/project-access.ts";
import { type Database, orderByText } from "../storage/database.ts";
import type { StoredDefaultStrategy } from "../storage/schema/json-values.ts";
import { projectEnvironments } from "../storage/schema/projects.ts";

/** An environment of a project. */
export interface ProjectEnvironment {
  readonly project: string;
  readonly environment: string;
}

/** Reads what flags of a project get when they are turned on in an environment; undefined: a strategy for everyone. */
export async function findDefaultStrategy(
  db: Database,
  { project, environment }: ProjectEnvironment,
): Promise<StoredDefaultStrategy | undefined> {
  const [row] = await db
    .select({ defaultStrategy: projectEnvironments.defaultStrategy })
    .from(projectEnvironments)
    .where(
      and(
        eq(projectEnvironments.project, project),
        eq(projectEnvironments.environment, environment),
      ),
    );
  return row?.defaultStrategy ?? undefined;
}

/** Reads the default strategies of a project by environment. */
export async function readDefaultStrategies(
  db: Database,
  project: string,
): Promise<ReadonlyMap<string, StoredDefaultStrategy>> {
  const rows = await db
    .select({
      environment: projectEnvironments.environment,
      // It is not null here.
      strategy: sql<StoredDefaultStrategy>`${projectEnvironments.defaultStrategy}`,
    })
    .from(projectEnvironments)
    .where(
      and(eq(projectEnvironments.project, project), isNotNull(projectEnvironments.defaultStrategy)),
    );
  return new Map(rows.map(({ environment, strategy }) => [environment, strategy]));
}

/** A default strategy as responses show it. */
export function toDefaultStrategyView(strategy: StoredDefaultStrategy) {
  return { ...strategy, disabled: false };
}

/** Lists where default strategies contain one of these parts, such as `{ segments: [1] }`. */
export function listDefaultStrategiesWith(
  db: Database,
  ...parts: readonly object[]
): Promise<ProjectEnvironment[]> {
  const contains = parts.map(
    (part): SQL => sql`${projectEnvironments.defaultStrategy} @> ${JSON.stringify(part)}::jsonb`,
  );
  return db
    .select({
      project: projectEnvironments.project,
      environment: projectEnvironments.environment,
    })
    .from(projectEnvironments)
    .where(or(...contains))
    .orderBy(
      orderByText(projectEnvironments.project),
      orderByText(projectEnvironments.environment),
    );
}

/** Names a default strategy in messages for somebody. */
export function describeDefaultStrategy(
  { project, environment }: ProjectEnvironment,
  access: Pick<ProjectAccess, "sees">,
): string {
  if (!access.sees(project)) return "the default strategy of a project that you cannot see";
  return `the default strategy of the project ${JSON.stringify(project)} in ${JSON.stringify(environment)}`;
}
