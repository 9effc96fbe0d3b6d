import { actorOf } from "../../access/request-token.ts";
import { documented } from "../../http/schemas.ts";
import type { TypedApp } from "flags-server-kit/http";
import type { Storage } from "../../storage/storage.ts";
import { CreateTagTypeBody, TagTypeNameBody, TagTypeParams, UpdateTagTypeBody } from "./schemas.ts";
import {
  checkNameIsFree,
  createTagType,
  deleteTagType,
  getTagType,
  listTagTypes,
  updateTagType,
} from "./tag-types.ts";

const tag = "Tag types";

/** Kinds of tags. */
export function registerTagTypes(app: TypedApp, storage: Storage): void {
  registerReading(app, storage);
  registerWriting(app, storage);
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
          summary: "Tells whether a name can be given to a new tag type",
          hasBody: true,
          alsoFailsWith: [409],
        }),
        body: TagTypeNameBody,
      },
    },
    async ({ body }) => {
      await checkNameIsFree(storage.db, body.name);
      return { valid: true, tagType: body };
    },
  );
}

function registerWriting(app: TypedApp, storage: Storage): void {
  app.post(
    "/tag-types",
    {
      schema: {
        ...documented({ tag, summary: "Makes a tag type", hasBody: true, alsoFailsWith: [409] }),
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
          summary: "Changes a tag type: what is sent replaces, what is not sent stays",
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
          summary: "Deletes a tag type that no feature has a tag of",
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
