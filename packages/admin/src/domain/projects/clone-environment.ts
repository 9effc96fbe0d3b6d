import { randomUUID } from "node:crypto";
import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import { badData } from "../../errors.ts";
import { batchesOf, type Database, isOneOf } from "../../storage/database.ts";
import { featureEnvironments, features } from "../../storage/schema/features.ts";
import { projectEnvironments, projects } from "../../storage/schema/projects.ts";
import { strategies, strategySegments } from "../../storage/schema/strategies.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { checkEnvironmentSize } from "../environment-size.ts";
import { createEnvironment } from "../environments/change-environments.ts";
import type { CloneEnvironment } from "../environments/schemas.ts";
import { type Environment, getEnvironment } from "../environments/store.ts";
import { addEnvironment } from "./project-environments.ts";

/** From one environment to another. */
interface Copy {
  readonly from: string;
  readonly to: string;
}

/**
 * Creates an environment with the default strategies of some projects in another one, and with the states, strategies
 * and variants that their flags have there.
 *
 * @throws {ApiError} if the other one is unknown or not part of a project, the name is reserved or taken, or the flags
 *   would be too large
 */
export async function cloneEnvironment(
  transaction: WriteTransaction,
  from: string,
  { name: to, type, projects: chosen }: CloneEnvironment,
): Promise<Environment> {
  const { db } = transaction;
  const { sortOrder, protection, requiredApprovals } = await getEnvironment(db, from);
  const available = await listActiveProjects(db, from);
  const copied = chosen === undefined ? available : [...new Set(chosen)];
  const missing = copied.find((project) => !available.includes(project));
  if (missing !== undefined) {
    throw badData(
      "/body/projects",
      `must be active projects with the environment ${JSON.stringify(from)}: ${JSON.stringify(missing)} is not`,
    );
  }
  const created = await createEnvironment(transaction, {
    name: to,
    type,
    sortOrder,
    protection,
    requiredApprovals,
  });
  // oxlint-disable-next-line no-await-in-loop -- a transaction runs one statement at a time
  for (const project of copied) await addEnvironment(transaction, project, to);
  await copyDefaultStrategies(db, { from, to });
  await copyStates(db, copied, { from, to });
  await copyStrategies(db, copied, { from, to });
  await checkEnvironmentSize(db, to);
  return created;
}

async function listActiveProjects(db: Database, environment: string): Promise<string[]> {
  const rows = await db
    .select({ project: projectEnvironments.project })
    .from(projectEnvironments)
    .innerJoin(projects, eq(projects.id, projectEnvironments.project))
    .where(and(eq(projectEnvironments.environment, environment), isNull(projects.archivedAt)));
  return rows.map(({ project }) => project);
}

async function copyDefaultStrategies(db: Database, { from, to }: Copy): Promise<void> {
  await db.execute(sql`
    update ${projectEnvironments} as copy set default_strategy = original.default_strategy
    from ${projectEnvironments} as original
    where copy.environment = ${to} and original.environment = ${from}
      and original.project = copy.project`);
}

/** Adding the environment to the projects has created the rows, which are off and without variants. */
async function copyStates(
  db: Database,
  projectIds: readonly string[],
  { from, to }: Copy,
): Promise<void> {
  const rows = await db
    .select({
      feature: featureEnvironments.feature,
      enabled: featureEnvironments.enabled,
      variants: featureEnvironments.variants,
    })
    .from(featureEnvironments)
    .innerJoin(features, eq(features.name, featureEnvironments.feature))
    .where(and(eq(featureEnvironments.environment, from), isOneOf(features.project, projectIds)));
  for (const batch of batchesOf(rows)) {
    const names = batch.map(({ feature }) => feature);
    await db
      .delete(featureEnvironments)
      .where(
        and(eq(featureEnvironments.environment, to), isOneOf(featureEnvironments.feature, names)),
      );
    await db.insert(featureEnvironments).values(batch.map((row) => ({ ...row, environment: to })));
  }
}

async function copyStrategies(
  db: Database,
  projectIds: readonly string[],
  { from, to }: Copy,
): Promise<void> {
  const rows = await db
    .select({ strategy: strategies })
    .from(strategies)
    .innerJoin(features, eq(features.name, strategies.feature))
    .where(and(eq(strategies.environment, from), isOneOf(features.project, projectIds)));
  for (const batch of batchesOf(rows)) {
    const idOf = new Map(batch.map(({ strategy }) => [strategy.id, randomUUID()]));
    const copyOf = (id: string): string => idOf.get(id) ?? id;
    await db
      .insert(strategies)
      .values(
        batch.map(({ strategy }) => ({ ...strategy, id: copyOf(strategy.id), environment: to })),
      );
    const links = await db
      .select()
      .from(strategySegments)
      .where(inArray(strategySegments.strategy, [...idOf.keys()]));
    for (const linkBatch of batchesOf(links)) {
      await db
        .insert(strategySegments)
        .values(linkBatch.map((link) => ({ ...link, strategy: copyOf(link.strategy) })));
    }
  }
}
