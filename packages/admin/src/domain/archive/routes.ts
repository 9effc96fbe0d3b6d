import type { TypedApp } from "../../http/typed-app.ts";
import { actorOf, callerOf } from "../../access/request-identity.ts";
import { operation } from "../../access/operation.ts";
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
      id: "archiveFeatures",
      role: "editor",
      status: 202,
      summary: "Archives the listed flags that are active: all of them, or none",
      run: archiveFeatures,
    },
    {
      action: "revive",
      id: "reviveFeatures",
      role: "editor",
      status: 200,
      summary: "Revives archived flags, off in every environment: all of them, or none",
      run: reviveFeatures,
    },
    {
      action: "delete",
      id: "deleteFeatures",
      role: "owner",
      status: 200,
      summary: "Permanently deletes the listed flags that are archived: all of them, or none",
      run: deleteFeatures,
    },
  ] as const;
  for (const { action, status, run, ...described } of operations) {
    const options = operation({
      ...described,
      tag,
      empty: status,
      alsoFailsWith: [404],
      params: ProjectParams,
      body: BatchFeaturesBody,
    });
    app.post(`/projects/:projectId/${action}`, options, async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        run(transaction, request.params.projectId, request.body.features),
      );
      return reply.code(status).send();
    });
  }

  app.post(
    "/projects/:projectId/archive/validate",
    operation({
      id: "validateArchiveFeatures",
      role: "viewer",
      tag,
      summary: "Checks how archiving flags would affect flags that depend on them",
      findsNothing: true,
      params: ProjectParams,
      body: BatchFeaturesBody,
    }),
    (request) => {
      const { projectId } = request.params;
      const isVisible = callerOf(request).projects.sees(projectId);
      const names = isVisible ? request.body.features : [];
      return storage.read((db) => checkArchiving(db, projectId, names));
    },
  );
}

function registerArchiveOne(app: TypedApp, storage: Storage): void {
  app.delete(
    "/projects/:projectId/features/:feature",
    operation({
      id: "archiveFeature",
      role: "editor",
      tag,
      summary: "Archives a flag",
      empty: 202,
      alsoFailsWith: [404],
      params: FeatureParams,
    }),
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
    operation({
      id: "deleteProject",
      role: "admin",
      tag: "Projects",
      summary:
        "Deletes a project without active flags, with its archived flags, segments, context fields and tokens",
      empty: 200,
      alsoFailsWith: [404],
      params: ProjectParams,
    }),
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
    operation({
      id: "getArchivedFeatures",
      role: "viewer",
      tag,
      summary: "Lists the archived flags of all projects",
    }),
    async (request) => ({
      version: 2,
      features: await listArchived(storage.db, callerOf(request).projects),
    }),
  );

  app.get(
    "/archive/features/:projectId",
    operation({
      id: "getArchivedFeaturesByProjectId",
      role: "viewer",
      tag,
      summary: "Lists the archived flags of a project",
      findsNothing: true,
      params: ProjectParams,
    }),
    async (request) => {
      const { projectId } = request.params;
      const isVisible = callerOf(request).projects.sees(projectId);
      return { version: 2, features: isVisible ? await listArchived(storage.db, projectId) : [] };
    },
  );
}

function registerReviveAndDeleteOne(app: TypedApp, storage: Storage): void {
  app.post(
    "/archive/revive/:feature",
    operation({
      id: "reviveFeature",
      role: "editor",
      tag,
      summary: "Revives an archived flag, off in every environment",
      empty: 200,
      alsoFailsWith: [400, 404],
      params: FeatureNameParams,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        reviveFeature(transaction, request.params.feature),
      );
      return reply.send();
    },
  );

  app.delete(
    "/archive/:feature",
    operation({
      id: "deleteFeature",
      role: "admin",
      tag,
      summary: "Permanently deletes an archived flag",
      empty: 200,
      params: FeatureNameParams,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        deleteFeature(transaction, request.params.feature),
      );
      return reply.send();
    },
  );
}
