import { actorOf } from "../../access/request-token.ts";
import { documented } from "../../http/schemas.ts";
import type { TypedApp } from "flags-server-kit/http";
import {
  BatchFeaturesBody,
  FeatureNameParams,
  FeatureParams,
  ProjectParams,
} from "../features/schemas.ts";
import type { Storage } from "../../storage/storage.ts";
import { archiveFeature, archiveFeatures, checkArchiving } from "./archive-features.ts";
import { deleteFeature, deleteFeatures } from "./delete-features.ts";
import { listArchived } from "./list-archived.ts";
import { reviveFeature, reviveFeatures } from "./revive-features.ts";

const tag = "Archive";

/** Archiving flags, bringing them back, and deleting them for good. */
export function registerArchive(app: TypedApp, storage: Storage): void {
  registerBatches(app, storage);
  registerArchivingOne(app, storage);
  registerArchived(app, storage);
  registerArchivedOne(app, storage);
}

function registerBatches(app: TypedApp, storage: Storage): void {
  const batches = [
    {
      word: "archive",
      status: 202,
      summary: "Archives features: all of the active ones among them, or none",
      run: archiveFeatures,
    },
    {
      word: "revive",
      status: 200,
      summary: "Brings archived features back, off in every environment: all of them, or none",
      run: reviveFeatures,
    },
    {
      word: "delete",
      status: 200,
      summary: "Deletes archived features for good: all of the archived ones among them, or none",
      run: deleteFeatures,
    },
  ] as const;
  for (const { word, status, summary, run } of batches) {
    const schema = {
      ...documented({ tag, summary, empty: status, hasBody: true, alsoFailsWith: [404] }),
      params: ProjectParams,
      body: BatchFeaturesBody,
    };
    app.post(`/projects/:projectId/${word}`, { schema }, async (request, reply) => {
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
          summary: "Tells what archiving features would mean for those that depend on them",
          hasBody: true,
        }),
        params: ProjectParams,
        body: BatchFeaturesBody,
      },
    },
    (request) => storage.read((db) => checkArchiving(db, request.body.features)),
  );
}

function registerArchivingOne(app: TypedApp, storage: Storage): void {
  app.delete(
    "/projects/:projectId/features/:feature",
    {
      schema: {
        ...documented({ tag, summary: "Archives a feature", empty: 202, alsoFailsWith: [404] }),
        params: FeatureParams,
      },
    },
    async (request, reply) => {
      const { projectId: project, feature } = request.params;
      await storage.write(actorOf(request), (transaction) =>
        archiveFeature(transaction, { project, feature }),
      );
      return reply.code(202).send();
    },
  );
}

function registerArchived(app: TypedApp, storage: Storage): void {
  app.get(
    "/archive/features",
    { schema: documented({ tag, summary: "Lists the archived features of all projects" }) },
    async () => ({ version: 2, features: await listArchived(storage.db) }),
  );

  app.get(
    "/archive/features/:projectId",
    {
      schema: {
        ...documented({ tag, summary: "Lists the archived features of a project" }),
        params: ProjectParams,
      },
    },
    async ({ params }) => ({
      version: 2,
      features: await listArchived(storage.db, params.projectId),
    }),
  );
}

function registerArchivedOne(app: TypedApp, storage: Storage): void {
  app.post(
    "/archive/revive/:feature",
    {
      schema: {
        ...documented({
          tag,
          summary: "Brings an archived feature back, off in every environment",
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
        ...documented({ tag, summary: "Deletes an archived feature for good", empty: 200 }),
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
