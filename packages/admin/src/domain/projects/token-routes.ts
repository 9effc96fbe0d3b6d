import type { TypedApp } from "flags-server-kit/http";
import { actorOf } from "../../access/request-identity.ts";
import { toTokenView } from "../../access/token.ts";
import {
  CreatedTokenResponse,
  CreateTokenBody,
  ProjectTokenParams,
  TokenListResponse,
} from "../../access/token-schemas.ts";
import { errorResponses, NoBody } from "../../http/schemas.ts";
import type { Storage } from "../../storage/storage.ts";
import { ProjectParams } from "../schemas.ts";
import { createProjectToken, deleteProjectToken, listProjectTokens } from "./tokens.ts";

const tags = ["API tokens"];
const LIST = "/projects/:projectId/api-tokens";

/** Manages the tokens of one project. */
export function registerProjectTokens(app: TypedApp, storage: Storage): void {
  app.get(
    LIST,
    {
      schema: {
        summary: "Lists the API tokens that name a project, alone or with other projects",
        tags,
        params: ProjectParams,
        response: { 200: TokenListResponse, ...errorResponses(401, 403, 404, 503) },
      },
    },
    async ({ params }) => {
      const tokens = await storage.read((db) => listProjectTokens(db, params.projectId));
      return { tokens: tokens.map(toTokenView) };
    },
  );
  registerCreation(app, storage);
  registerDeletion(app, storage);
}

function registerCreation(app: TypedApp, storage: Storage): void {
  app.post(
    LIST,
    {
      schema: {
        summary: "Creates an API token for a project. Only this response contains its secret",
        tags,
        params: ProjectParams,
        body: CreateTokenBody,
        response: {
          201: CreatedTokenResponse,
          ...errorResponses(400, 401, 403, 404, 413, 415, 503),
        },
      },
    },
    async (request, reply) => {
      const { token, secret } = await storage.write(actorOf(request), (transaction) =>
        createProjectToken(transaction, request.params.projectId, request.body),
      );
      return reply
        .code(201)
        .headers({ location: "api-tokens", "cache-control": "no-store" })
        .send({ secret, ...toTokenView(token), type: request.body.type.toLowerCase() });
    },
  );
}

function registerDeletion(app: TypedApp, storage: Storage): void {
  app.delete(
    `${LIST}/:token`,
    {
      schema: {
        summary: "Revokes an API token that is only for this project",
        tags,
        params: ProjectTokenParams,
        response: { 200: NoBody, ...errorResponses(400, 401, 403, 404, 503) },
      },
    },
    async (request, reply) => {
      const { projectId, token } = request.params;
      await storage.write(actorOf(request), (transaction) =>
        deleteProjectToken(transaction, projectId, token),
      );
      return reply.send();
    },
  );
}
