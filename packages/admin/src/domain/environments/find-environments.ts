import { and, count, eq, isNull, sql } from "drizzle-orm";
import { notFound } from "../../errors.ts";
import type { Database } from "../../storage/database.ts";
import { apiTokens } from "../../storage/schema/api-tokens.ts";
import { environments } from "../../storage/schema/environments.ts";
import { featureEnvironments, features } from "../../storage/schema/features.ts";
import { projectEnvironments, projects } from "../../storage/schema/projects.ts";

export type Environment = typeof environments.$inferSelect;

export async function findEnvironment(
  db: Database,
  name: string,
): Promise<Environment | undefined> {
  const [environment] = await db.select().from(environments).where(eq(environments.name, name));
  return environment;
}

/**
 * @throws {ApiError} when there is none of that name
 */
export async function getEnvironment(db: Database, name: string): Promise<Environment> {
  const environment = await findEnvironment(db, name);
  if (environment === undefined) throw notFound(`There is no environment ${JSON.stringify(name)}`);
  return environment;
}

export function listEnvironments(db: Database): Promise<Environment[]> {
  return db
    .select()
    .from(environments)
    .orderBy(environments.sortOrder, environments.createdAt, environments.name);
}

/** How much there is in an environment. */
export interface EnvironmentCounts {
  readonly projectCount: number;
  readonly apiTokenCount: number;
  readonly enabledToggleCount: number;
}

type CountsOf = (environment: string) => EnvironmentCounts;

export async function countInEnvironments(db: Database): Promise<CountsOf> {
  const projectCounts = await countProjects(db);
  const tokenCounts = await countTokens(db);
  const enabledCounts = await countEnabled(db);
  return (environment) => ({
    projectCount: projectCounts.get(environment) ?? 0,
    apiTokenCount: tokenCounts.get(environment) ?? 0,
    enabledToggleCount: enabledCounts.get(environment) ?? 0,
  });
}

async function countProjects(db: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .select({ name: projectEnvironments.environment, total: count() })
    .from(projectEnvironments)
    .innerJoin(projects, eq(projects.id, projectEnvironments.project))
    .where(isNull(projects.archivedAt))
    .groupBy(projectEnvironments.environment);
  return new Map(rows.map(({ name, total }) => [name, total]));
}

async function countTokens(db: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .select({ name: apiTokens.environment, total: count() })
    .from(apiTokens)
    .where(sql`${apiTokens.expiresAt} is null or ${apiTokens.expiresAt} > now()`)
    .groupBy(apiTokens.environment);
  return new Map(rows.map(({ name, total }) => [name, total]));
}

async function countEnabled(db: Database): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .select({ name: featureEnvironments.environment, total: count() })
    .from(featureEnvironments)
    .innerJoin(features, eq(features.name, featureEnvironments.feature))
    .where(and(isNull(features.archivedAt), eq(featureEnvironments.enabled, true)))
    .groupBy(featureEnvironments.environment);
  return new Map(rows.map(({ name, total }) => [name, total]));
}
