import type { TypedApp } from "flags-server-kit/http";
import { Type } from "typebox";
import { actorOf } from "../../access/request-token.ts";
import { documented, errorResponses } from "../../http/schemas.ts";
import { NameBody } from "../../http/names.ts";
import type { Storage } from "../../storage/storage.ts";
import { UNUSED } from "../strategy-references.ts";
import { countReferences, listStrategiesUsing } from "./references.ts";
import {
  ContextFieldParams,
  ContextFieldResponse,
  CreateContextFieldBody,
  LegalValueBody,
  LegalValueParams,
  UpdateContextFieldBody,
} from "./schemas.ts";
import {
  checkNameIsAvailable,
  createContextField,
  deleteContextField,
  getContextField,
  listContextFields,
  putLegalValue,
  removeLegalValue,
  updateContextField,
} from "./store.ts";

const tag = "Context fields";

/** Routes for the fields of the evaluation context, which constraints refer to. */
export function registerContextFields(app: TypedApp, storage: Storage): void {
  registerReading(app, storage);
  registerCreating(app, storage);
  registerChanging(app, storage);
  registerLegalValues(app, storage);
}

function registerReading(app: TypedApp, storage: Storage): void {
  app.get(
    "/context",
    {
      schema: {
        summary: "Lists all context fields",
        tags: [tag],
        response: { 200: Type.Array(ContextFieldResponse), ...errorResponses(401, 403, 503) },
      },
    },
    () =>
      storage.read(async (db) => {
        const counts = await countReferences(db);
        const fields = await listContextFields(db);
        return fields.map((field) => ({ ...field, ...(counts.get(field.name) ?? UNUSED) }));
      }),
  );

  app.get(
    "/context/:contextField",
    {
      schema: {
        summary: "Shows a context field",
        tags: [tag],
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
        ...documented({
          tag,
          summary: "Lists the strategies with a constraint on a context field",
        }),
        params: ContextFieldParams,
      },
    },
    async (request) => ({
      strategies: await listStrategiesUsing(storage.db, request.params.contextField),
    }),
  );
}

function registerCreating(app: TypedApp, storage: Storage): void {
  app.post(
    "/context",
    {
      schema: {
        summary: "Creates a context field",
        tags: [tag],
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
        ...documented({
          tag,
          summary: "Checks whether a name is available for a new context field",
          empty: 200,
          hasBody: true,
          alsoFailsWith: [409],
        }),
        body: NameBody,
      },
    },
    async (request, reply) => {
      await checkNameIsAvailable(storage.db, request.body.name);
      return reply.send();
    },
  );
}

function registerChanging(app: TypedApp, storage: Storage): void {
  app.put(
    "/context/:contextField",
    {
      schema: {
        ...documented({
          tag,
          summary: "Updates the properties of a context field that the body contains",
          empty: 200,
          hasBody: true,
          alsoFailsWith: [404],
        }),
        params: ContextFieldParams,
        body: UpdateContextFieldBody,
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
        ...documented({
          tag,
          summary: "Deletes a context field that is not in use",
          empty: 200,
          alsoFailsWith: [404, 409],
        }),
        params: ContextFieldParams,
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
        ...documented({
          tag,
          summary: "Adds a legal value to a context field, or replaces its description",
          empty: 200,
          hasBody: true,
          alsoFailsWith: [404],
        }),
        params: ContextFieldParams,
        body: LegalValueBody,
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
        ...documented({
          tag,
          summary: "Removes a legal value from a context field",
          empty: 200,
          alsoFailsWith: [404],
        }),
        params: LegalValueParams,
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
