import { Type } from "typebox";
import { actorOf } from "../../access/request-token.ts";
import { NameBody } from "../../http/names.ts";
import { errorResponses, NoBody } from "../../http/schemas.ts";
import type { TypedApp } from "flags-server-kit/http";
import type { Storage } from "../../storage/storage.ts";
import { UNUSED } from "../strategies/strategy-use.ts";
import { countUses, listStrategiesUsing } from "./find-uses.ts";
import {
  ContextFieldParams,
  ContextFieldResponse,
  CreateContextFieldBody,
  LegalValueBody,
  LegalValueParams,
  UpdateContextFieldBody,
} from "./schemas.ts";
import {
  checkNameIsFree,
  createContextField,
  deleteContextField,
  getContextField,
  listContextFields,
  putLegalValue,
  removeLegalValue,
  updateContextField,
} from "./store.ts";

const tags = ["Context fields"];

/** The fields of evaluation contexts: what constraints can be about. */
export function registerContextFields(app: TypedApp, storage: Storage): void {
  registerReading(app, storage);
  registerWriting(app, storage);
  registerChanging(app, storage);
  registerLegalValues(app, storage);
}

function registerReading(app: TypedApp, storage: Storage): void {
  app.get(
    "/context",
    {
      schema: {
        summary: "Lists all context fields",
        tags,
        response: { 200: Type.Array(ContextFieldResponse), ...errorResponses(401, 403, 503) },
      },
    },
    () =>
      storage.read(async (db) => {
        const uses = await countUses(db);
        const fields = await listContextFields(db);
        return fields.map((field) => ({ ...field, ...(uses.get(field.name) ?? UNUSED) }));
      }),
  );

  app.get(
    "/context/:contextField",
    {
      schema: {
        summary: "Shows a context field",
        tags,
        params: ContextFieldParams,
        response: { 200: ContextFieldResponse, ...errorResponses(401, 403, 404, 503) },
      },
    },
    (request) => getContextField(storage.db, request.params.contextField),
  );

  app.get(
    "/context/:contextField/strategies",
    {
      schema: {
        summary: "Lists the strategies with a constraint on a context field",
        tags,
        params: ContextFieldParams,
        response: errorResponses(401, 403, 503),
      },
    },
    async (request) => ({
      strategies: await listStrategiesUsing(storage.db, request.params.contextField),
    }),
  );
}

function registerWriting(app: TypedApp, storage: Storage): void {
  app.post(
    "/context",
    {
      schema: {
        summary: "Makes a context field",
        tags,
        body: CreateContextFieldBody,
        response: {
          201: ContextFieldResponse,
          ...errorResponses(400, 401, 403, 409, 413, 415, 503),
        },
      },
    },
    async (request, reply) => {
      const created = await storage.write(actorOf(request), (transaction) =>
        createContextField(transaction, request.body),
      );
      return reply.code(201).header("location", `context/${created.name}`).send(created);
    },
  );

  app.post(
    "/context/validate",
    {
      schema: {
        summary: "Tells whether a name can be given to a new context field",
        tags,
        body: NameBody,
        response: { 200: NoBody, ...errorResponses(400, 401, 403, 409, 413, 415, 503) },
      },
    },
    async (request, reply) => {
      await checkNameIsFree(storage.db, request.body.name);
      return reply.send();
    },
  );
}

function registerChanging(app: TypedApp, storage: Storage): void {
  app.put(
    "/context/:contextField",
    {
      schema: {
        summary: "Changes a context field: what is sent replaces, what is not sent stays",
        tags,
        params: ContextFieldParams,
        body: UpdateContextFieldBody,
        response: { 200: NoBody, ...errorResponses(400, 401, 403, 404, 413, 415, 503) },
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        updateContextField(transaction, request.params.contextField, request.body),
      );
      return reply.send();
    },
  );

  app.delete(
    "/context/:contextField",
    {
      schema: {
        summary: "Deletes a context field that nothing uses",
        tags,
        params: ContextFieldParams,
        response: { 200: NoBody, ...errorResponses(401, 403, 404, 409, 503) },
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        deleteContextField(transaction, request.params.contextField),
      );
      return reply.send();
    },
  );
}

function registerLegalValues(app: TypedApp, storage: Storage): void {
  app.post(
    "/context/:contextField/legal-values",
    {
      schema: {
        summary: "Adds a legal value to a context field, or replaces its description",
        tags,
        params: ContextFieldParams,
        body: LegalValueBody,
        response: { 200: NoBody, ...errorResponses(400, 401, 403, 404, 413, 415, 503) },
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        putLegalValue(transaction, request.params.contextField, request.body),
      );
      return reply.send();
    },
  );

  app.delete(
    "/context/:contextField/legal-values/:legalValue",
    {
      schema: {
        summary: "Takes a legal value from a context field",
        tags,
        params: LegalValueParams,
        response: { 200: NoBody, ...errorResponses(401, 403, 404, 503) },
      },
    },
    async (request, reply) => {
      const { contextField, legalValue } = request.params;
      await storage.write(actorOf(request), (transaction) =>
        removeLegalValue(transaction, contextField, legalValue),
      );
      return reply.send();
    },
  );
}
