import { and, count, eq, isNull, sql } from "drizzle-orm";
import { badData, nameExists, notFound } from "../../errors.ts";
import type { Database } from "../../storage/database.ts";
import { apiTokens } from "../../storage/schema/access.ts";
import { featureEnvironments, features } from "../../storage/schema/features.ts";
import {
  ENVIRONMENT_ORDER,
  environments,
  projectEnvironments,
  projects,
} from "../../storage/schema/projects.ts";

export type Environment = typeof environments.$inferSelect;

/** Names that conflict with other paths below `/environments/`. */
const RESERVED_NAMES = new Set(["project", "sort-order", "update", "validate"]);

export async function findEnvironment(
  db: Database,
  name: string,
): Promise<Environment | undefined> {
  const [environment] = await db.select().from(environments).where(eq(environments.name, name));
  return environment;
}

/**
 * @throws {ApiError} if the environment does not exist
 */
export async function getEnvironment(db: Database, name: string): Promise<Environment> {
  const environment = await findEnvironment(db, name);
  if (environment === undefined) throw notFound(`There is no environment ${JSON.stringify(name)}`);
  return environment;
}

/** Lists all environments, in order. */
export function listEnvironments(db: Database): Promise<Environment[]> {
  return db
    .select()
    .from(environments)
    .orderBy(...ENVIRONMENT_ORDER);
}

/** An environment as responses show it. `protected` means that nobody can delete it. */
export function toEnvironmentView(environment: Environment) {
  return { ...environment, protected: false };
}

/** Usage of an environment: active projects, valid tokens, and active flags that are on. */
export interface EnvironmentCounts {
  readonly projectCount: number;
  readonly apiTokenCount: number;
  readonly enabledToggleCount: number;
}

export async function countEnvironmentUsage(
  db: Database,
): Promise<(environment: string) => EnvironmentCounts> {
  const projectCounts = await countProjects(db);
  const tokenCounts = await countTokens(db);
  const enabledCounts = await countEnabledFeatures(db);
  return (environment) => ({
    projectCount: projectCounts.get(environment) ?? 0,
    apiTokenCount: tokenCounts.get(environment) ?? 0,
    enabledToggleCount: enabledCounts.get(environment) ?? 0,
  });
}

type Counts = ReadonlyMap<string, number>;

async function countProjects(db: Database): Promise<Counts> {
  const rows = await db
    .select({ name: projectEnvironments.environment, total: count() })
    .from(projectEnvironments)
    .innerJoin(projects, eq(projects.id, projectEnvironments.project))
    .where(isNull(projects.archivedAt))
    .groupBy(projectEnvironments.environment);
  return new Map(rows.map(({ name, total }) => [name, total]));
}

async function countTokens(db: Database): Promise<Counts> {
  const rows = await db
    .select({ name: apiTokens.environment, total: count() })
    .from(apiTokens)
    .where(sql`${apiTokens.expiresAt} is null or ${apiTokens.expiresAt} > now()`)
    .groupBy(apiTokens.environment);
  return new Map(rows.map(({ name, total }) => [name, total]));
}

async function countEnabledFeatures(db: Database): Promise<Counts> {
  const rows = await db
    .select({ name: featureEnvironments.environment, total: count() })
    .from(featureEnvironments)
    .innerJoin(features, eq(features.name, featureEnvironments.feature))
    .where(and(isNull(features.archivedAt), eq(featureEnvironments.enabled, true)))
    .groupBy(featureEnvironments.environment);
  return new Map(rows.map(({ name, total }) => [name, total]));
}

/**
 * @throws {ApiError} if the name is reserved or an environment has it
 */
export async function checkNameIsAvailable(db: Database, name: string): Promise<void> {
  if (RESERVED_NAMES.has(name)) throw badData("/body/name", "is reserved: choose another name");
  if ((await findEnvironment(db, name)) !== undefined) {
    throw nameExists(`There is already an environment ${JSON.stringify(name)}`);
  }
}
