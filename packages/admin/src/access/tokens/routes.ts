import { actorOf } from "../actor-of.ts";
import { errorResponses, NoBody } from "../../http/schemas.ts";
import type { TypedApp } from "flags-server-kit/http";
import type { Storage } from "../../storage/storage.ts";
import { toTokenView } from "./api-token.ts";
import {
  CreatedTokenResponse,
  CreateTokenBody,
  TokenListResponse,
  TokenNameParams,
  TokenParams,
  UpdateTokenBody,
} from "./schemas.ts";
import { createToken, deleteToken, listTokens, listTokensNamed, updateToken } from "./store.ts";

const tags = ["API tokens"];

/** The tokens that open this service: for administrators, for server SDKs and for clients. */
export function registerTokens(app: TypedApp, storage: Storage): void {
  registerReading(app, storage);
  registerCreation(app, storage);
  registerChanges(app, storage);
}

function registerReading(app: TypedApp, storage: Storage): void {
  app.get(
    "/api-tokens",
    {
      schema: {
        summary: "Lists all API tokens, without what they are",
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
        summary: "Lists the API tokens of a name",
        tags,
        params: TokenNameParams,
        response: { 200: TokenListResponse, ...errorResponses(401, 403, 503) },
      },
    },
    async (request) => ({
      tokens: (await listTokensNamed(storage.db, request.params.name)).map(toTokenView),
    }),
  );
}

function registerCreation(app: TypedApp, storage: Storage): void {
  app.post(
    "/api-tokens",
    {
      schema: {
        summary: "Makes an API token. The answer shows it, this once",
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
        summary: "Changes until when an API token is accepted",
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
        summary: "Revokes an API token: it is not accepted any more, by any replica",
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
