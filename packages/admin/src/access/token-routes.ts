import { actorOf } from "./request-identity.ts";
import { errorResponses, NoBody } from "../http/schemas.ts";
import type { TypedApp } from "flags-server-kit/http";
import type { Storage } from "../storage/storage.ts";
import { toTokenView } from "./token.ts";
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

const tags = ["API tokens"];

/** Manages the tokens of administrators, server SDKs and clients. */
export function registerTokens(app: TypedApp, storage: Storage): void {
  registerLists(app, storage);
  registerCreation(app, storage);
  registerChanges(app, storage);
}

function registerLists(app: TypedApp, storage: Storage): void {
  app.get(
    "/api-tokens",
    {
      schema: {
        summary: "Lists all API tokens without their secrets",
        tags,
        response: { 200: TokenListResponse, ...errorResponses(401, 403, 503) },
      },
    },
    async () => ({ tokens: (await listTokens(storage.db)).map(toTokenView) }),
  );

  app.get(
    "/api-tokens/:name",
    {
      schema: {
        summary: "Lists the API tokens with a name",
        tags,
        params: TokenNameParams,
        response: { 200: TokenListResponse, ...errorResponses(401, 403, 503) },
      },
    },
    async (request) => ({
      tokens: (await listTokensByName(storage.db, request.params.name)).map(toTokenView),
    }),
  );
}

function registerCreation(app: TypedApp, storage: Storage): void {
  app.post(
    "/api-tokens",
    {
      schema: {
        summary: "Creates an API token. Only this response contains its secret",
        tags,
        body: CreateTokenBody,
        response: { 201: CreatedTokenResponse, ...errorResponses(400, 401, 403, 413, 415, 503) },
      },
    },
    async (request, reply) => {
      const { token, secret } = await storage.write(actorOf(request), (transaction) =>
        createToken(transaction, request.body),
      );
      return reply
        .code(201)
        .headers({ location: "api-tokens", "cache-control": "no-store" })
        .send({ secret, ...toTokenView(token), type: request.body.type.toLowerCase() });
    },
  );
}

function registerChanges(app: TypedApp, storage: Storage): void {
  app.put(
    "/api-tokens/:token",
    {
      schema: {
        summary: "Changes when an API token expires",
        tags,
        params: TokenParams,
        body: UpdateTokenBody,
        response: { 200: NoBody, ...errorResponses(400, 401, 403, 404, 413, 415, 503) },
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        updateToken(transaction, request.params.token, request.body),
      );
      return reply.send();
    },
  );

  app.delete(
    "/api-tokens/:token",
    {
      schema: {
        summary: "Revokes an API token on all replicas at once",
        tags,
        params: TokenParams,
        response: { 200: NoBody, ...errorResponses(401, 403, 404, 503) },
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        deleteToken(transaction, request.params.token),
      );
      return reply.send();
    },
  );
}
