import { and, count, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { notFound } from "../../errors.ts";
import { type Database, orderByText } from "../../storage/database.ts";
import { environments } from "../../storage/schema/environments.ts";
import { features } from "../../storage/schema/features.ts";
import { projectEnvironments, projects } from "../../storage/schema/projects.ts";

export type Project = typeof projects.$inferSelect;

export async function findProject(db: Database, id: string): Promise<Project | undefined> {
  const [project] = await db.select().from(projects).where(eq(projects.id, id));
  return project;
}

/**
 * @throws {ApiError} when there is none of that id
 */
export async function getProject(db: Database, id: string): Promise<Project> {
  const project = await findProject(db, id);
  if (project === undefined) throw notFound(`There is no project ${JSON.stringify(id)}`);
  return project;
}

/**
 * @throws {ApiError} when there is none of that id, or it is archived
 */
export async function getActiveProject(db: Database, id: string): Promise<Project> {
  const project = await getProject(db, id);
  if (project.archivedAt !== null) {
    throw notFound(`The project ${JSON.stringify(id)} is archived: revive it first`);
  }
  return project;
}

export function listProjects(db: Database, { archived }: { readonly archived: boolean }) {
  const featureCount = db
    .select({ project: features.project, count: count().as("count") })
    .from(features)
    .where(isNull(features.archivedAt))
    .groupBy(features.project)
    .as("feature_count");
  return db
    .select({
      id: projects.id,
      name: projects.name,
      description: projects.description,
      defaultStickiness: projects.defaultStickiness,
      mode: sql<string>`'open'`,
      featureCount: sql<number>`coalesce(${featureCount.count}, 0)::int`,
      createdAt: projects.createdAt,
      updatedAt: projects.updatedAt,
      archivedAt: projects.archivedAt,
    })
    .from(projects)
    .leftJoin(featureCount, eq(featureCount.project, projects.id))
    .where(archived ? isNotNull(projects.archivedAt) : isNull(projects.archivedAt))
    .orderBy(orderByText(projects.id));
}

/** Names of the environments of a project, in their order. */
export async function listEnvironmentsOf(db: Database, projectId: string): Promise<string[]> {
  const rows = await db
    .select({ environment: projectEnvironments.environment })
    .from(projectEnvironments)
    .innerJoin(environments, eq(environments.name, projectEnvironments.environment))
    .where(eq(projectEnvironments.project, projectId))
    .orderBy(environments.sortOrder, environments.createdAt, environments.name);
  return rows.map(({ environment }) => environment);
}

/** How many flags of each type are active in a project. */
export function countTypes(
  db: Database,
  projectId: string,
): Promise<{ readonly type: string; readonly count: number }[]> {
  return db
    .select({ type: features.type, count: count() })
    .from(features)
    .where(and(eq(features.project, projectId), isNull(features.archivedAt)))
    .groupBy(features.type)
    .orderBy(features.type);
}
