import { and, count, eq, isNotNull, isNull, sql } from "drizzle-orm";
import {
  exceedsLimit,
  invalidOperation,
  mustExist,
  nameExists,
  notFound,
  unknownProject,
} from "../../errors.ts";
import type { ProjectAccess } from "../../access/project-access.ts";
import { LIMITS } from "../../limits.ts";
import { readProtectedPlaces } from "../../storage/protected-places.ts";
import {
  type Database,
  firstRow,
  groupBy,
  isEqualJson,
  orderByText,
} from "../../storage/database.ts";
import { events } from "../../storage/schema/events.ts";
import {
  ENVIRONMENT_ORDER,
  environments,
  projectEnvironments,
  projects,
} from "../../storage/schema/projects.ts";
import { projectMembers } from "../../storage/schema/accounts.ts";
import { features } from "../../storage/schema/features.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { findFavoriteProjects } from "../favorites.ts";
import type { EditedResource } from "../conditional-change.ts";
import { checkProjectId, findAvailableId, toSlug } from "./project-id.ts";
import { checkFeatureNaming } from "./feature-naming.ts";
import { checkLinkTemplates } from "./link-templates.ts";
import type { CreateProject, ProjectSettings, UpdateProject } from "./schemas.ts";

type Project = typeof projects.$inferSelect;

export async function findProject(db: Database, id: string): Promise<Project | undefined> {
  const [project] = await db.select().from(projects).where(eq(projects.id, id));
  return project;
}

/**
 * @throws {ApiError} if the project is unknown
 */
export async function getProject(db: Database, id: string): Promise<Project> {
  const project = await findProject(db, id);
  if (project === undefined) throw unknownProject(id);
  return project;
}

/**
 * @throws {ApiError} if the project is unknown or archived
 */
export async function getActiveProject(db: Database, id: string): Promise<Project> {
  const project = await getProject(db, id);
  if (project.archivedAt !== null) {
    throw notFound(`The project ${JSON.stringify(id)} is archived: revive it first`);
  }
  return project;
}

/**
 * Lists the archived or the active projects by id, with the number of their active flags, the names of
 * their environments, and where changes require approvals.
 */
export async function listProjects(db: Database, filter: ProjectFilter) {
  const rows = await listProjectRows(db, filter);
  const links = await db
    .select({ project: projectEnvironments.project, environment: projectEnvironments.environment })
    .from(projectEnvironments)
    .innerJoin(environments, eq(environments.name, projectEnvironments.environment))
    .orderBy(...ENVIRONMENT_ORDER);
  const linksOf = groupBy(links, ({ project }) => project);
  const favorites = await findFavoriteProjects(db, filter.userId);
  const protectedOf = groupBy(await readProtectedPlaces(db), ({ project }) => project);
  return rows.map((row) => ({
    ...row,
    favorite: favorites.has(row.id),
    callerRole: filter.access.levelIn(row.id),
    environments: (linksOf.get(row.id) ?? []).map(({ environment }) => environment),
    changeRequestEnvironments: (protectedOf.get(row.id) ?? []).map(
      ({ environment: name, approvals: requiredApprovals }) => ({ name, requiredApprovals }),
    ),
  }));
}

interface ProjectFilter {
  readonly archived: boolean;
  /** Whose projects are listed. */
  readonly access: ProjectAccess;
  /** Whose favorites are marked; undefined for nobody's. */
  readonly userId: number | undefined;
}

function listProjectRows(
  db: Database,
  { archived, access }: Pick<ProjectFilter, "access" | "archived">,
) {
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
      mode: projects.mode,
      memberCount: sql<number>`(select count(distinct ${projectMembers.userId})::int
        from ${projectMembers} where ${projectMembers.project} = ${projects.id})`,
      featureCount: sql<number>`coalesce(${featureCount.count}, 0)::int`,
      createdAt: projects.createdAt,
      updatedAt: projects.updatedAt,
      archivedAt: projects.archivedAt,
    })
    .from(projects)
    .leftJoin(featureCount, eq(featureCount.project, projects.id))
    .where(
      and(
        archived ? isNotNull(projects.archivedAt) : isNull(projects.archivedAt),
        access.isVisible(projects.id),
      ),
    )
    .orderBy(orderByText(projects.id));
}

/** Lists the names of the environments of a project, in order. */
export async function listProjectEnvironments(db: Database, projectId: string): Promise<string[]> {
  const rows = await db
    .select({ environment: projectEnvironments.environment })
    .from(projectEnvironments)
    .innerJoin(environments, eq(environments.name, projectEnvironments.environment))
    .where(eq(projectEnvironments.project, projectId))
    .orderBy(...ENVIRONMENT_ORDER);
  return rows.map(({ environment }) => environment);
}

/**
 * @throws {ApiError} if the project is unknown, or does not have the environment
 */
export async function checkProjectEnvironment(
  db: Database,
  projectId: string,
  environment: string,
): Promise<void> {
  await getProject(db, projectId);
  if ((await listProjectEnvironments(db, projectId)).includes(environment)) return;
  throw notFound(
    `The project ${JSON.stringify(projectId)} has no environment ${JSON.stringify(environment)}`,
  );
}

/** Counts the active flags of a project by type. */
export function countTypes(
  db: Database,
  projectId: string,
): Promise<{ readonly type: string; readonly count: number }[]> {
  return db
    .select({ type: features.type, count: count() })
    .from(features)
    .where(and(eq(features.project, projectId), isNull(features.archivedAt)))
    .groupBy(features.type)
    .orderBy(orderByText(features.type));
}

/** A project and the names of its environments. */
type ProjectWithEnvironments = Project & { readonly environments: readonly string[] };

export async function createProject(
  { db, actor, record }: WriteTransaction,
  body: CreateProject,
): Promise<ProjectWithEnvironments> {
  await checkLimit(db);
  const id = await chooseId(db, body);
  const names = await chooseEnvironments(db, body.environments);
  const { name, description, defaultStickiness, mode } = body;
  const project = firstRow(
    await db
      .insert(projects)
      .values({
        id,
        name,
        description: description ?? null,
        ...(defaultStickiness !== undefined && { defaultStickiness }),
        ...(mode !== undefined && { mode }),
      })
      .returning(),
  );
  if (names.length > 0) {
    await db
      .insert(projectEnvironments)
      .values(names.map((environment) => ({ project: id, environment })));
  }
  // A person who creates a project owns it.
  if (actor.kind === "user") {
    await db
      .insert(projectMembers)
      .values({ project: id, userId: Number(actor.id), role: "owner" });
  }
  const created = { ...project, environments: await listProjectEnvironments(db, id) };
  await record({ type: "project-created", project: id, after: created });
  return created;
}

/**
 * @throws {ApiError} if the id is invalid or reserved, or a project has it
 */
export async function checkIdIsAvailable(db: Database, id: string): Promise<void> {
  checkProjectId(id);
  if ((await findProject(db, id)) !== undefined) {
    throw nameExists(`There is already a project ${JSON.stringify(id)}`);
  }
}

async function chooseId(db: Database, { id, name }: CreateProject): Promise<string> {
  if (id) {
    await checkIdIsAvailable(db, id);
    return id;
  }
  const rows = await db.select({ id: projects.id }).from(projects);
  const taken = new Set(rows.map((row) => row.id));
  return findAvailableId(toSlug(name), (candidate) => taken.has(candidate));
}

async function chooseEnvironments(
  db: Database,
  names: readonly string[] | undefined,
): Promise<readonly string[]> {
  const known = await db.select().from(environments);
  if (names === undefined) return known.filter(({ enabled }) => enabled).map(({ name }) => name);
  for (const [index, name] of names.entries()) {
    if (known.some((environment) => environment.name === name)) continue;
    throw mustExist(`/body/environments/${index}`, "environment", name);
  }
  return [...new Set(names)];
}

async function checkLimit(db: Database): Promise<void> {
  const { active } = firstRow(
    await db.select({ active: count() }).from(projects).where(isNull(projects.archivedAt)),
  );
  if (active >= LIMITS.projects) throw exceedsLimit("projects", LIMITS.projects);
}

/** Replaces the properties that the body contains. The others stay unchanged. */
export function updateProject(
  transaction: WriteTransaction,
  id: string,
  { name, description, defaultStickiness, mode }: UpdateProject,
): Promise<void> {
  return setColumns(transaction, id, {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(defaultStickiness !== undefined && { defaultStickiness }),
    ...(mode !== undefined && { mode }),
  });
}

/**
 * Replaces the settings that the body contains. The others stay unchanged.
 *
 * @throws {ApiError} if the rule for names or a template of a link is invalid
 */
export function updateProjectSettings(
  transaction: WriteTransaction,
  id: string,
  { mode, featureNaming, linkTemplates }: ProjectSettings,
): Promise<void> {
  return setColumns(transaction, id, {
    ...(mode !== undefined && { mode }),
    ...(featureNaming !== undefined && { featureNaming: checkFeatureNaming(featureNaming) }),
    ...(linkTemplates !== undefined && { linkTemplates: checkLinkTemplates(linkTemplates) }),
  });
}

async function setColumns(
  { db, record }: WriteTransaction,
  id: string,
  columns: Partial<typeof projects.$inferInsert>,
): Promise<void> {
  const before = await getActiveProject(db, id);
  if (isEqualJson(before, { ...before, ...columns })) return;
  const after = firstRow(
    await db
      .update(projects)
      .set({ ...columns, updatedAt: new Date() })
      .where(eq(projects.id, id))
      .returning(),
  );
  await record({ type: "project-updated", project: id, before, after });
}

/** Describes the settings of a project, which its `PUT` changes, for `writeIfMatch()`. */
export function editedProject(id: string): EditedResource {
  return {
    label: "The project",
    readView: (db) => getProject(db, id),
    changes: {
      types: ["project-created", "project-updated", "project-archived", "project-revived"],
      where: eq(events.project, id),
    },
  };
}

export async function archiveProject({ db, record }: WriteTransaction, id: string): Promise<void> {
  const before = await getProject(db, id);
  if (before.archivedAt !== null) return;
  if (id === "default") throw invalidOperation('The project "default" cannot be archived');
  if ((await countTypes(db, id)).length > 0) {
    throw invalidOperation(
      `The project ${JSON.stringify(id)} has active flags: archive them first`,
    );
  }
  const after = await setArchivedAt(db, id, new Date());
  await record({ type: "project-archived", project: id, before, after });
}

export async function reviveProject({ db, record }: WriteTransaction, id: string): Promise<void> {
  const before = await getProject(db, id);
  if (before.archivedAt === null) return;
  await checkLimit(db);
  const after = await setArchivedAt(db, id, null);
  await record({ type: "project-revived", project: id, before, after });
}

async function setArchivedAt(db: Database, id: string, archivedAt: Date | null): Promise<Project> {
  return firstRow(
    await db.update(projects).set({ archivedAt }).where(eq(projects.id, id)).returning(),
  );
}
