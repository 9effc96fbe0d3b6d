import { actorOf } from "../../access/request-token.ts";
import { FeatureNameParams, ProjectParams } from "../features/schemas.ts";
import { documented } from "../../http/schemas.ts";
import type { TypedApp } from "flags-server-kit/http";
import type { Storage } from "../../storage/storage.ts";
import { addTag, changeTags, changeTagsOfMany, listTagsOf, removeTag } from "./feature-tags.ts";
import {
  BulkTagsBody,
  FeatureTagParams,
  TagBody,
  TagChangesBody,
  TagParams,
  TagTypeParams,
} from "./schemas.ts";
import { createTag, deleteTag, getTag, listTags } from "./tags.ts";

const tag = "Tags";

/** Words that flags are grouped by. */
export function registerTags(app: TypedApp, storage: Storage): void {
  registerFeatureTags(app, storage);
  registerUntagging(app, storage);
  registerTagChanges(app, storage);
  registerReading(app, storage);
  registerWriting(app, storage);
}

function registerFeatureTags(app: TypedApp, storage: Storage): void {
  app.get(
    "/features/:feature/tags",
    {
      schema: {
        ...documented({ tag, summary: "Lists the tags of a feature", alsoFailsWith: [404] }),
        params: FeatureNameParams,
      },
    },
    ({ params }) =>
      storage.read(async (db) => ({ version: 1, tags: await listTagsOf(db, params.feature) })),
  );

  app.post(
    "/features/:feature/tags",
    {
      schema: {
        ...documented({
          tag,
          summary: "Tags a feature; the tag is made when there is none",
          hasBody: true,
          alsoFailsWith: [404],
        }),
        params: FeatureNameParams,
        body: TagBody,
      },
    },
    async (request, reply) => {
      const { feature } = request.params;
      const { type, value } = request.body;
      await storage.write(actorOf(request), (transaction) =>
        addTag(transaction, feature, request.body),
      );
      return reply.code(201).header("location", `${feature}/tags`).send({ type, value });
    },
  );
}

function registerUntagging(app: TypedApp, storage: Storage): void {
  app.delete(
    "/features/:feature/tags/:type/:value",
    {
      schema: {
        ...documented({
          tag,
          summary: "Takes a tag from a feature",
          empty: 200,
          alsoFailsWith: [404],
        }),
        params: FeatureTagParams,
      },
    },
    async (request, reply) => {
      const { feature, type, value } = request.params;
      await storage.write(actorOf(request), (transaction) =>
        removeTag(transaction, feature, { type, value }),
      );
      return reply.send();
    },
  );
}

function registerTagChanges(app: TypedApp, storage: Storage): void {
  app.put(
    "/features/:feature/tags",
    {
      schema: {
        ...documented({
          tag,
          summary: "Adds tags to a feature and takes others from it",
          hasBody: true,
          alsoFailsWith: [404],
        }),
        params: FeatureNameParams,
        body: TagChangesBody,
      },
    },
    (request) =>
      storage.write(actorOf(request), async (transaction) => {
        const { feature } = request.params;
        await changeTags(transaction, feature, request.body);
        return { version: 1, tags: await listTagsOf(transaction.db, feature) };
      }),
  );

  app.put(
    "/projects/:projectId/tags",
    {
      schema: {
        ...documented({
          tag,
          summary: "Adds tags to several features and takes others from them, all or nothing",
          empty: 200,
          hasBody: true,
          alsoFailsWith: [404],
        }),
        params: ProjectParams,
        body: BulkTagsBody,
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        changeTagsOfMany(transaction, request.params.projectId, request.body),
      );
      return reply.send();
    },
  );
}

function registerReading(app: TypedApp, storage: Storage): void {
  app.get("/tags", { schema: documented({ tag, summary: "Lists all tags" }) }, async () => ({
    version: 1,
    tags: await listTags(storage.db),
  }));

  app.get(
    "/tags/:type",
    {
      schema: {
        ...documented({ tag, summary: "Lists the tags of a type" }),
        params: TagTypeParams,
      },
    },
    async ({ params }) => ({ version: 1, tags: await listTags(storage.db, params.type) }),
  );

  app.get(
    "/tags/:type/:value",
    {
      schema: {
        ...documented({ tag, summary: "Shows a tag", alsoFailsWith: [404] }),
        params: TagParams,
      },
    },
    async ({ params }) => ({ version: 1, tag: await getTag(storage.db, params) }),
  );
}

function registerWriting(app: TypedApp, storage: Storage): void {
  app.post(
    "/tags",
    {
      schema: {
        ...documented({ tag, summary: "Makes a tag", hasBody: true, alsoFailsWith: [409] }),
        body: TagBody,
      },
    },
    async (request, reply) => {
      const created = await storage.write(actorOf(request), (transaction) =>
        createTag(transaction, request.body),
      );
      const { type, value } = created;
      return reply
        .code(201)
        .header("location", `tags/${encodeURIComponent(type)}/${encodeURIComponent(value)}`)
        .send({ version: 1, tag: created });
    },
  );

  app.delete(
    "/tags/:type/:value",
    {
      schema: {
        ...documented({
          tag,
          summary: "Deletes a tag and takes it from every feature",
          empty: 200,
          alsoFailsWith: [404],
        }),
        params: TagParams,
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        deleteTag(transaction, request.params),
      );
      return reply.send();
    },
  );
}
