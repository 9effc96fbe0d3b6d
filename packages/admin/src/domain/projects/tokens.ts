import { sql } from "drizzle-orm";
import type { ApiToken } from "../../access/token.ts";
import type { CreateToken } from "../../access/token-schemas.ts";
import { type CreatedToken, createToken, deleteToken, getToken } from "../../access/token-store.ts";
import { badData, notFound } from "../../errors.ts";
import { type Database, orderByText } from "../../storage/database.ts";
import { apiTokens } from "../../storage/schema/api-tokens.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { getActiveProject, getProject } from "./store.ts";

/**
 * Lists the tokens that name a project, alone or with others. Tokens for all projects are not among them.
 *
 * @throws {ApiError} if the project is unknown
 */
export async function listProjectTokens(db: Database, project: string): Promise<ApiToken[]> {
  await getProject(db, project);
  return db
    .select()
    .from(apiTokens)
    .where(sql`${apiTokens.projects} @> ${JSON.stringify([project])}::jsonb`)
    .orderBy(orderByText(apiTokens.name), apiTokens.createdAt);
}

/**
 * Creates a token that is only for one project.
 *
 * @throws {ApiError} if the project is unknown or archived, or the body names other projects or is not
 *   valid for other reasons
 */
export async function createProjectToken(
  transaction: WriteTransaction,
  project: string,
  { project: sentProject, projects: sentProjects, ...body }: CreateToken,
): Promise<CreatedToken> {
  await getActiveProject(transaction.db, project);
  if (body.type.toLowerCase() === "admin") {
    throw badData("/body/type", "must be backend or frontend: admin tokens are for all projects");
  }
  const rule = "must be omitted, or the project in the path";
  if ((sentProject ?? project) !== project) throw badData("/body/project", rule);
  if (sentProjects?.some((id) => id !== project)) throw badData("/body/projects", rule);
  return createToken(transaction, { ...body, projects: [project] });
}

/**
 * Revokes a token that is only for one project.
 *
 * @throws {ApiError} if the project or the token is unknown, or the token is for other projects too
 */
export async function deleteProjectToken(
  transaction: WriteTransaction,
  project: string,
  idOrSecret: string,
): Promise<void> {
  await getProject(transaction.db, project);
  const { id, projects } = await getToken(transaction.db, idOrSecret);
  if (!projects.includes(project)) {
    throw notFound(`The project ${JSON.stringify(project)} has no token with this id or secret`);
  }
  if (projects.length > 1) {
    throw badData("/params/token", "is for other projects too: revoke it with /api-tokens");
  }
  await deleteToken(transaction, id);
}
