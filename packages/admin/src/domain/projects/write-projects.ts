import { count, eq, isNull } from "drizzle-orm";
import { badData, exceedsLimit, invalidOperation, nameExists } from "../../errors.ts";
import { LIMITS } from "../../limits.ts";
import { type Database, firstRow } from "../../storage/database.ts";
import { environments } from "../../storage/schema/environments.ts";
import { projectEnvironments, projects } from "../../storage/schema/projects.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import {
  countTypes,
  findProject,
  getActiveProject,
  getProject,
  listEnvironmentsOf,
  type Project,
} from "./find-projects.ts";
import { checkProjectId, freeId, toSlug } from "./project-id.ts";
import type { CreateProject, UpdateProject } from "./schemas.ts";

/** A project and the names of its environments. */
export type ProjectWithEnvironments = Project & { readonly environments: readonly string[] };

export async function createProject(
  { db, record }: WriteTransaction,
  body: CreateProject,
): Promise<ProjectWithEnvironments> {
  await checkLimit(db);
  const id = await chooseId(db, body);
  const chosen = await chooseEnvironments(db, body.environments);
  const { name, description, defaultStickiness } = body;
  const project = firstRow(
    await db
      .insert(projects)
      .values({
        id,
        name,
        description: description ?? null,
        ...(defaultStickiness !== undefined && { defaultStickiness }),
      })
      .returning(),
  );
  if (chosen.length > 0) {
    await db
      .insert(projectEnvironments)
      .values(chosen.map((environment) => ({ project: id, environment })));
  }
  const created = { ...project, environments: await listEnvironmentsOf(db, id) };
  await record({ type: "project-created", project: id, after: created });
  return created;
}

/**
 * @throws {ApiError} when there is a project of that id
 */
export async function checkIdIsFree(db: Database, id: string): Promise<void> {
  checkProjectId(id);
  if ((await findProject(db, id)) !== undefined) {
    throw nameExists(`There is a project ${JSON.stringify(id)}`);
  }
}

async function chooseId(db: Database, { id, name }: CreateProject): Promise<string> {
  if (id) {
    await checkIdIsFree(db, id);
    return id;
  }
  const rows = await db.select({ id: projects.id }).from(projects);
  const taken = new Set(rows.map((row) => row.id));
  return freeId(toSlug(name), (candidate) => taken.has(candidate));
}

async function chooseEnvironments(
  db: Database,
  names: readonly string[] | undefined,
): Promise<readonly string[]> {
  const known = await db.select().from(environments);
  if (names === undefined) return known.filter(({ enabled }) => enabled).map(({ name }) => name);
  const unknown = names.findIndex((name) =>
    known.every((environment) => environment.name !== name),
  );
  if (unknown !== -1) throw badData(`/body/environments/${unknown}`, "is not an environment");
  return [...new Set(names)];
}

async function checkLimit(db: Database): Promise<void> {
  const { active } = firstRow(
    await db.select({ active: count() }).from(projects).where(isNull(projects.archivedAt)),
  );
  if (active >= LIMITS.projects) throw exceedsLimit("projects", LIMITS.projects);
}

/** What is sent replaces what was there; what is not sent stays. */
export async function updateProject(
  { db, record }: WriteTransaction,
  id: string,
  { name, description, defaultStickiness }: UpdateProject,
): Promise<void> {
  const before = await getActiveProject(db, id);
  const chosen = {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(defaultStickiness !== undefined && { defaultStickiness }),
  };
  const changes = Object.entries(chosen).some(
    ([column, value]) => before[column as keyof typeof chosen] !== value,
  );
  if (!changes) return;
  const after = firstRow(
    await db
      .update(projects)
      .set({ ...chosen, updatedAt: new Date() })
      .where(eq(projects.id, id))
      .returning(),
  );
  await record({ type: "project-updated", project: id, before, after });
}

export async function archiveProject({ db, record }: WriteTransaction, id: string): Promise<void> {
  const before = await getProject(db, id);
  if (before.archivedAt !== null) return;
  if (id === "default") throw invalidOperation("The project default cannot be archived");
  if ((await countTypes(db, id)).length > 0) {
    throw invalidOperation(
      `The project ${JSON.stringify(id)} has active features: archive them first`,
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
