import { ProjectAccess } from "../../access/project-access.ts";
import { and, eq, isNotNull, sql } from "drizzle-orm";
import { deleteToken, replaceProjects } from "../../access/token-store.ts";
import { invalidOperation } from "../../errors.ts";
import { batchesOf, type Database } from "../../storage/database.ts";
import { apiTokens } from "../../storage/schema/access.ts";
import { features } from "../../storage/schema/features.ts";
import { contextFields, projectEnvironments, projects } from "../../storage/schema/projects.ts";
import { segments } from "../../storage/schema/strategies.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { deleteContextField } from "../context-fields/store.ts";
import { deleteSegment } from "../segments/store.ts";
import { countTypes, getProject } from "../projects/store.ts";
import { deleteFeatures } from "./archive-features.ts";

const ADMIN = ProjectAccess.everywhere("admin");

/**
 * Deletes a project with its archived flags, and with its own segments, context fields and tokens. Tokens that are for other
 * projects too stay valid for these.
 *
 * @throws {ApiError} if the project is unknown, is the default project or has active flags
 */
export async function deleteProject(transaction: WriteTransaction, id: string): Promise<void> {
  const { db, record } = transaction;
  const before = await getProject(db, id);
  if (id === "default") throw invalidOperation('The project "default" cannot be deleted');
  if ((await countTypes(db, id)).length > 0) {
    throw invalidOperation(
      `The project ${JSON.stringify(id)} has active flags: archive or delete them first`,
    );
  }
  // oxlint-disable no-await-in-loop -- a transaction runs one statement at a time
  for (const names of batchesOf(await listArchivedNames(db, id))) {
    await deleteFeatures(transaction, id, names);
  }
  // Its default strategies may use its segments and context fields.
  await db.delete(projectEnvironments).where(eq(projectEnvironments.project, id));
  for (const { segment } of await db
    .select({ segment: segments.id })
    .from(segments)
    .where(eq(segments.project, id))) {
    await deleteSegment(transaction, segment, ADMIN);
  }
  for (const { name } of await db
    .select({ name: contextFields.name })
    .from(contextFields)
    .where(eq(contextFields.project, id))) {
    await deleteContextField(transaction, { name, project: id }, ADMIN);
  }
  for (const token of await db
    .select()
    .from(apiTokens)
    .where(sql`${apiTokens.projects} @> ${JSON.stringify([id])}::jsonb`)) {
    // NOTE: a later project with the same id must not be open to tokens of this one.
    const others = token.projects.filter((project) => project !== id);
    if (others.length === 0) await deleteToken(transaction, token.id);
    else await replaceProjects(transaction, token, others);
  }
  // oxlint-enable no-await-in-loop
  await db.delete(projects).where(eq(projects.id, id));
  await record({ type: "project-deleted", project: id, before });
}

async function listArchivedNames(db: Database, project: string): Promise<string[]> {
  const rows = await db
    .select({ name: features.name })
    .from(features)
    .where(and(eq(features.project, project), isNotNull(features.archivedAt)));
  return rows.map(({ name }) => name);
}
