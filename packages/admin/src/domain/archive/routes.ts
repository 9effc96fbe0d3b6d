import type { TypedApp } from "flags-server-kit/http";
import { actorOf } from "../../access/request-identity.ts";
import { documented } from "../../http/schemas.ts";
import type { Storage } from "../../storage/storage.ts";
import {
  BatchFeaturesBody,
  FeatureNameParams,
  FeatureParams,
  ProjectParams,
  toFeatureAddress,
} from "../schemas.ts";
import {
  archiveFeature,
  archiveFeatures,
  checkArchiving,
  deleteFeature,
  deleteFeatures,
  listArchived,
} from "./archive-features.ts";
import { deleteProject } from "./delete-project.ts";
import { reviveFeature, reviveFeatures } from "./revive-features.ts";

const tag = "Archive";

/** Routes that archive, revive and permanently delete flags. */
export function registerArchive(app: TypedApp, storage: Storage): void {
  registerBulkOperations(app, storage);
  registerArchiveOne(app, storage);
  registerLists(app, storage);
  registerReviveAndDeleteOne(app, storage);
  registerProjectDeletion(app, storage);
}

function registerBulkOperations(app: TypedApp, storage: Storage): void {
  const operations = [
    {
      action: "archive",
      status: 202,
      summary: "Archives the listed flags that are active: all of them, or none",
      run: archiveFeatures,
    },
    {
      action: "revive",
      status: 200,
      summary: "Revives archived flags, off in every environment: all of them, or none",
      run: reviveFeatures,
    },
    {
      action: "delete",
      status: 200,
      summary: "Permanently deletes the listed flags that are archived: all of them, or none",
      run: deleteFeatures,
    },
  ] as const;
  for (const { action, status, summary, run } of operations) {
    const schema = {
      ...documented({ tag, summary, empty: status, hasBody: true, alsoFailsWith: [404] }),
      params: ProjectParams,
      body: BatchFeaturesBody,
    };
    app.post(`/projects/:projectId/${action}`, { schema }, async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        run(transaction, request.params.projectId, request.body.features),
      );
      return reply.code(status).send();
    });
  }

  app.post(
    "/projects/:projectId/archive/validate",
    {
      schema: {
        ...documented({
          tag,
          summary: "Checks how archiving flags would affect flags that depend on them",
          hasBody: true,
        }),
        params: ProjectParams,
        body: BatchFeaturesBody,
      },
    },
    (request) => storage.read((db) => checkArchiving(db, request.body.features)),
  );
}

function registerArchiveOne(app: TypedApp, storage: Storage): void {
  app.delete(
    "/projects/:projectId/features/:feature",
    {
      schema: {
        ...documented({ tag, summary: "Archives a flag", empty: 202, alsoFailsWith: [404] }),
        params: FeatureParams,
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        archiveFeature(transaction, toFeatureAddress(request.params)),
      );
      return reply.code(202).send();
    },
  );
}

function registerProjectDeletion(app: TypedApp, storage: Storage): void {
  app.delete(
    "/projects/:projectId",
    {
      schema: {
        ...documented({
          tag: "Projects",
          summary:
            "Deletes a project without active flags, with its archived flags, segments, context fields and tokens",
          empty: 200,
          alsoFailsWith: [404],
        }),
        params: ProjectParams,
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        deleteProject(transaction, request.params.projectId),
      );
      return reply.send();
    },
  );
}

function registerLists(app: TypedApp, storage: Storage): void {
  app.get(
    "/archive/features",
    { schema: documented({ tag, summary: "Lists the archived flags of all projects" }) },
    async () => ({ version: 2, features: await listArchived(storage.db) }),
  );

  app.get(
    "/archive/features/:projectId",
    {
      schema: {
        ...documented({ tag, summary: "Lists the archived flags of a project" }),
        params: ProjectParams,
      },
    },
    async ({ params }) => ({
      version: 2,
      features: await listArchived(storage.db, params.projectId),
    }),
  );
}

function registerReviveAndDeleteOne(app: TypedApp, storage: Storage): void {
  app.post(
    "/archive/revive/:feature",
    {
      schema: {
        ...documented({
          tag,
          summary: "Revives an archived flag, off in every environment",
          empty: 200,
          alsoFailsWith: [400, 404],
        }),
        params: FeatureNameParams,
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        reviveFeature(transaction, request.params.feature),
      );
      return reply.send();
    },
  );

  app.delete(
    "/archive/:feature",
    {
      schema: {
        ...documented({ tag, summary: "Permanently deletes an archived flag", empty: 200 }),
        params: FeatureNameParams,
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        deleteFeature(transaction, request.params.feature),
      );
      return reply.send();
    },
  );
}
