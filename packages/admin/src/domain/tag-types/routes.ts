import type { TypedApp } from "flags-server-kit/http";
import { actorOf } from "../../access/request-identity.ts";
import { documented } from "../../http/schemas.ts";
import type { Storage } from "../../storage/storage.ts";
import { CreateTagTypeBody, TagTypeNameBody, TagTypeParams, UpdateTagTypeBody } from "./schemas.ts";
import {
  checkNameIsAvailable,
  createTagType,
  deleteTagType,
  getTagType,
  listTagTypes,
  updateTagType,
} from "./store.ts";

const tag = "Tag types";

export function registerTagTypes(app: TypedApp, storage: Storage): void {
  registerReading(app, storage);
  registerCreating(app, storage);
  registerChanging(app, storage);
}

function registerReading(app: TypedApp, storage: Storage): void {
  app.get(
    "/tag-types",
    { schema: documented({ tag, summary: "Lists the tag types" }) },
    async () => ({ version: 1, tagTypes: await listTagTypes(storage.db) }),
  );

  app.get(
    "/tag-types/:type",
    {
      schema: {
        ...documented({ tag, summary: "Shows a tag type", alsoFailsWith: [404] }),
        params: TagTypeParams,
      },
    },
    async ({ params }) => ({ version: 1, tagType: await getTagType(storage.db, params.type) }),
  );

  app.post(
    "/tag-types/validate",
    {
      schema: {
        ...documented({
          tag,
          summary: "Checks whether a name is available for a new tag type",
          hasBody: true,
          alsoFailsWith: [409],
        }),
        body: TagTypeNameBody,
      },
    },
    async ({ body }) => {
      await checkNameIsAvailable(storage.db, body.name);
      return { valid: true, tagType: body };
    },
  );
}

function registerCreating(app: TypedApp, storage: Storage): void {
  app.post(
    "/tag-types",
    {
      schema: {
        ...documented({ tag, summary: "Creates a tag type", hasBody: true, alsoFailsWith: [409] }),
        body: CreateTagTypeBody,
      },
    },
    async (request, reply) => {
      const created = await storage.write(actorOf(request), (transaction) =>
        createTagType(transaction, request.body),
      );
      return reply.code(201).header("location", `tag-types/${created.name}`).send(created);
    },
  );
}

function registerChanging(app: TypedApp, storage: Storage): void {
  app.put(
    "/tag-types/:type",
    {
      schema: {
        ...documented({
          tag,
          summary: "Updates the given properties of a tag type",
          empty: 200,
          hasBody: true,
          alsoFailsWith: [404],
        }),
        params: TagTypeParams,
        body: UpdateTagTypeBody,
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        updateTagType(transaction, request.params.type, request.body),
      );
      return reply.send();
    },
  );

  app.delete(
    "/tag-types/:type",
    {
      schema: {
        ...documented({
          tag,
          summary: "Deletes a tag type that is not in use",
          empty: 200,
          alsoFailsWith: [404, 409],
        }),
        params: TagTypeParams,
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        deleteTagType(transaction, request.params.type),
      );
      return reply.send();
    },
  );
}
