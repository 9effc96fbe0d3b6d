import { sql } from "drizzle-orm";
import type { TypedApp } from "../../http/typed-app.ts";
import { actorOf } from "../../access/request-identity.ts";
import {
  CreatedTokenResponse,
  type CreateToken,
  CreateTokenBody,
  ProjectTokenParams,
  TokenListResponse,
} from "../../access/token-schemas.ts";
import { isVisibleTo } from "../../access/token-routes.ts";
import { type CreatedToken, createToken, deleteToken, getToken } from "../../access/token-store.ts";
import { type ApiToken, toCreatedToken, toListedToken, WILDCARD } from "../../access/token.ts";
import { badData, notFound } from "../../errors.ts";
import { operation } from "../../access/operation.ts";
import { type Database, orderByText } from "../../storage/database.ts";
import { apiTokens } from "../../storage/schema/access.ts";
import type { Storage, WriteTransaction } from "../../storage/storage.ts";
import { ProjectParams } from "../schemas.ts";
import { getActiveProject, getProject } from "./store.ts";

const tag = "API tokens";
const LIST = "/projects/:projectId/api-tokens";

/** Manages the tokens of one project. */
export function registerProjectTokens(app: TypedApp, storage: Storage): void {
  app.get(
    LIST,
    operation({
      id: "getProjectApiTokens",
      role: "viewer",
      tag,
      summary: "Lists the API tokens that name a project, alone or with other projects",
      returns: TokenListResponse,
      alsoFailsWith: [404],
      params: ProjectParams,
    }),
    async (request) => {
      const { projectId } = request.params;
      const tokens = await storage.read((db) => listProjectTokens(db, projectId));
      return { tokens: tokens.filter(isVisibleTo(request)).map(toListedToken) };
    },
  );
  registerCreation(app, storage);
  registerDeletion(app, storage);
}

function registerCreation(app: TypedApp, storage: Storage): void {
  app.post(
    LIST,
    operation({
      id: "createProjectApiToken",
      role: "owner",
      tag,
      summary: "Creates an API token for a project. Only this response contains its secret",
      creates: CreatedTokenResponse,
      alsoFailsWith: [404],
      params: ProjectParams,
      body: CreateTokenBody,
    }),
    async (request, reply) => {
      const { token, secret } = await storage.write(actorOf(request), (transaction) =>
        createProjectToken(transaction, request.params.projectId, request.body),
      );
      return reply
        .code(201)
        .headers({ location: "api-tokens", "cache-control": "no-store" })
        .send(toCreatedToken(token, secret, request.body.type));
    },
  );
}

function registerDeletion(app: TypedApp, storage: Storage): void {
  app.delete(
    `${LIST}/:token`,
    operation({
      id: "deleteProjectApiToken",
      role: "owner",
      tag,
      summary: "Revokes an API token that is only for this project",
      empty: 200,
      alsoFailsWith: [400, 404],
      params: ProjectTokenParams,
    }),
    async (request, reply) => {
      const { projectId, token } = request.params;
      await storage.write(actorOf(request), (transaction) =>
        deleteProjectToken(transaction, projectId, token),
      );
      return reply.send();
    },
  );
}

/**
 * Lists the tokens that name a project, alone or with others. Tokens for all projects are not among them.
 *
 * @throws {ApiError} if the project is unknown
 */
async function listProjectTokens(db: Database, project: string): Promise<ApiToken[]> {
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
async function createProjectToken(
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
  // As in Unleash, `*` stands for all projects that the path allows, which is this one.
  if (sentProjects?.some((id) => id !== project && id !== WILDCARD)) {
    throw badData("/body/projects", rule);
  }
  return createToken(transaction, { ...body, projects: [project] });
}

/**
 * Revokes a token that is only for one project.
 *
 * @throws {ApiError} if the project or the token is unknown, or the token is for other projects too
 */
async function deleteProjectToken(
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
