import type { FastifyRequest } from "fastify";
import { actorOf, callerOf } from "./request-identity.ts";
import { operation } from "./operation.ts";
import type { TypedApp } from "../http/typed-app.ts";
import type { Storage } from "../storage/storage.ts";
import { type ApiToken, toCreatedToken, toListedToken, WILDCARD } from "./token.ts";
import {
  CreatedTokenResponse,
  CreateTokenBody,
  TokenListResponse,
  TokenNameParams,
  TokenParams,
  UpdateTokenBody,
} from "./token-schemas.ts";
import {
  createToken,
  deleteToken,
  listTokens,
  listTokensByName,
  updateToken,
} from "./token-store.ts";

const tag = "API tokens";

/** Manages the tokens of administrators, server SDKs and clients. */
export function registerTokens(app: TypedApp, storage: Storage): void {
  registerLists(app, storage);
  registerCreation(app, storage);
  registerChanges(app, storage);
}

function registerLists(app: TypedApp, storage: Storage): void {
  app.get(
    "/api-tokens",
    operation({
      id: "getAllApiTokens",
      role: "viewer",
      tag,
      summary: "Lists all API tokens without their secrets",
      returns: TokenListResponse,
    }),
    async (request) => ({
      tokens: (await listTokens(storage.db)).filter(isVisibleTo(request)).map(toListedToken),
    }),
  );

  app.get(
    "/api-tokens/:name",
    operation({
      id: "getApiTokensByName",
      role: "viewer",
      tag,
      summary: "Lists the API tokens with a name",
      returns: TokenListResponse,
      params: TokenNameParams,
    }),
    async (request) => ({
      tokens: (await listTokensByName(storage.db, request.params.name))
        .filter(isVisibleTo(request))
        .map(toListedToken),
    }),
  );
}

/** Whether the sender of a request sees all projects to which a token gives access. */
export function isVisibleTo(request: FastifyRequest): (token: ApiToken) => boolean {
  const { projects } = callerOf(request);
  return (token) =>
    token.projects.every((id) =>
      id === WILDCARD ? projects.hidden.length === 0 : projects.sees(id),
    );
}

function registerCreation(app: TypedApp, storage: Storage): void {
  app.post(
    "/api-tokens",
    operation({
      id: "createApiToken",
      role: "admin",
      tag,
      summary: "Creates an API token. Only this response contains its secret",
      creates: CreatedTokenResponse,
      body: CreateTokenBody,
    }),
    async (request, reply) => {
      const { token, secret } = await storage.write(actorOf(request), (transaction) =>
        createToken(transaction, request.body),
      );
      return reply
        .code(201)
        .headers({ location: "api-tokens", "cache-control": "no-store" })
        .send(toCreatedToken(token, secret, request.body.type));
    },
  );
}

function registerChanges(app: TypedApp, storage: Storage): void {
  app.put(
    "/api-tokens/:token",
    operation({
      id: "updateApiToken",
      role: "admin",
      tag,
      summary: "Changes when an API token expires",
      empty: 200,
      alsoFailsWith: [404],
      params: TokenParams,
      body: UpdateTokenBody,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        updateToken(transaction, request.params.token, request.body),
      );
      return reply.send();
    },
  );

  app.delete(
    "/api-tokens/:token",
    operation({
      id: "deleteApiToken",
      role: "admin",
      tag,
      summary: "Revokes an API token on all replicas at once",
      empty: 200,
      alsoFailsWith: [404],
      params: TokenParams,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        deleteToken(transaction, request.params.token),
      );
      return reply.send();
    },
  );
}
