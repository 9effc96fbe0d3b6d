import type { TypedApp } from "flags-server-kit/http";
import { actorOf } from "../../access/request-identity.ts";
import { toTokenView } from "../../access/token.ts";
import {
  CreatedTokenResponse,
  CreateTokenBody,
  ProjectTokenParams,
  TokenListResponse,
} from "../../access/token-schemas.ts";
import { documented } from "../../http/schemas.ts";
import type { Storage } from "../../storage/storage.ts";
import { ProjectParams } from "../schemas.ts";
import { createProjectToken, deleteProjectToken, listProjectTokens } from "./tokens.ts";

const tag = "API tokens";
const LIST = "/projects/:projectId/api-tokens";

/** Manages the tokens of one project. */
export function registerProjectTokens(app: TypedApp, storage: Storage): void {
  app.get(
    LIST,
    {
      schema: {
        ...documented({
          tag,
          summary: "Lists the API tokens that name a project, alone or with other projects",
          returns: TokenListResponse,
          alsoFailsWith: [404],
        }),
        params: ProjectParams,
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
        ...documented({
          tag,
          summary: "Creates an API token for a project. Only this response contains its secret",
          creates: CreatedTokenResponse,
          hasBody: true,
          alsoFailsWith: [404],
        }),
        params: ProjectParams,
        body: CreateTokenBody,
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
        ...documented({
          tag,
          summary: "Revokes an API token that is only for this project",
          empty: 200,
          alsoFailsWith: [400, 404],
        }),
        params: ProjectTokenParams,
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
