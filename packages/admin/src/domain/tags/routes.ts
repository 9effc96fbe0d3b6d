import type { TypedApp } from "../../http/typed-app.ts";
import { actorOf, callerOf } from "../../access/request-identity.ts";
import { operation } from "../../access/operation.ts";
import type { Storage } from "../../storage/storage.ts";
import { FeatureNameParams, ProjectParams } from "../schemas.ts";
import { TagTypeParams } from "../tag-types.ts";
import { changeTags, changeTagsInBulk, listFeatureTags } from "./feature-tags.ts";
import { BulkTagsBody, FeatureTagParams, TagBody, TagChangesBody, TagParams } from "./schemas.ts";
import { createTag, deleteTag, getTag, listTags, trimTag } from "./store.ts";

const tag = "Tags";

/** Routes for tags, and for the tags of flags. */
export function registerTags(app: TypedApp, storage: Storage): void {
  registerFeatureTags(app, storage);
  registerFeatureTagChanges(app, storage);
  registerReading(app, storage);
  registerCreatingAndDeleting(app, storage);
}

function registerFeatureTags(app: TypedApp, storage: Storage): void {
  app.get(
    "/features/:feature/tags",
    operation({
      id: "listTags",
      role: "viewer",
      tag,
      summary: "Lists the tags of a flag",
      alsoFailsWith: [404],
      params: FeatureNameParams,
    }),
    ({ params }) =>
      storage.read(async (db) => ({ version: 1, tags: await listFeatureTags(db, params.feature) })),
  );

  app.post(
    "/features/:feature/tags",
    operation({
      id: "addTag",
      role: "editor",
      tag,
      summary: "Adds a tag to a flag, and creates the tag if it does not exist",
      alsoFailsWith: [404],
      params: FeatureNameParams,
      body: TagBody,
    }),
    async (request, reply) => {
      const { feature } = request.params;
      const { type, value } = trimTag(request.body);
      await storage.write(actorOf(request), (transaction) =>
        changeTags(transaction, feature, { addedTags: [request.body], removedTags: [] }),
      );
      return reply.code(201).header("location", `${feature}/tags`).send({ type, value });
    },
  );

  app.delete(
    "/features/:feature/tags/:type/:value",
    operation({
      id: "removeTag",
      role: "editor",
      tag,
      summary: "Removes a tag from a flag",
      empty: 200,
      alsoFailsWith: [404],
      params: FeatureTagParams,
    }),
    async (request, reply) => {
      const { feature, type, value } = request.params;
      await storage.write(actorOf(request), (transaction) =>
        changeTags(transaction, feature, { addedTags: [], removedTags: [{ type, value }] }),
      );
      return reply.send();
    },
  );
}

function registerFeatureTagChanges(app: TypedApp, storage: Storage): void {
  app.put(
    "/features/:feature/tags",
    operation({
      id: "updateTags",
      role: "editor",
      tag,
      summary: "Adds tags to a flag and removes others",
      alsoFailsWith: [404],
      params: FeatureNameParams,
      body: TagChangesBody,
    }),
    (request) =>
      storage.write(actorOf(request), async (transaction) => {
        const { feature } = request.params;
        await changeTags(transaction, feature, request.body);
        return { version: 1, tags: await listFeatureTags(transaction.db, feature) };
      }),
  );

  app.put(
    "/projects/:projectId/tags",
    operation({
      id: "addTagToFeatures",
      role: "editor",
      tag,
      summary: "Adds tags to flags and removes others: from all flags, or none",
      empty: 200,
      alsoFailsWith: [404],
      params: ProjectParams,
      body: BulkTagsBody,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        changeTagsInBulk(transaction, request.params.projectId, request.body),
      );
      return reply.send();
    },
  );
}

function registerReading(app: TypedApp, storage: Storage): void {
  app.get(
    "/tags",
    operation({ id: "getTags", role: "viewer", tag, summary: "Lists all tags" }),
    async () => ({
      version: 1,
      tags: await listTags(storage.db),
    }),
  );

  app.get(
    "/tags/:type",
    operation({
      id: "getTagsByType",
      role: "viewer",
      tag,
      summary: "Lists the tags of a type",
      params: TagTypeParams,
    }),
    async ({ params }) => ({ version: 1, tags: await listTags(storage.db, params.type) }),
  );

  app.get(
    "/tags/:type/:value",
    operation({
      id: "getTag",
      role: "viewer",
      tag,
      summary: "Shows a tag",
      alsoFailsWith: [404],
      params: TagParams,
    }),
    async ({ params }) => ({ version: 1, tag: await getTag(storage.db, params) }),
  );
}

function registerCreatingAndDeleting(app: TypedApp, storage: Storage): void {
  app.post(
    "/tags",
    operation({
      id: "createTag",
      role: "editor",
      tag,
      summary: "Creates a tag",
      alsoFailsWith: [409],
      body: TagBody,
    }),
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
    operation({
      id: "deleteTag",
      role: "editor",
      tag,
      summary: "Deletes a tag and removes it from every flag",
      empty: 200,
      alsoFailsWith: [404],
      params: TagParams,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        deleteTag(transaction, request.params, callerOf(request).projects),
      );
      return reply.send();
    },
  );
}
