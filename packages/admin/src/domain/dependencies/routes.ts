import { actorOf } from "../../access/request-token.ts";
import { FeatureParams, ProjectParams } from "../features/schemas.ts";
import { documented } from "../../http/schemas.ts";
import type { TypedApp } from "flags-server-kit/http";
import type { Storage } from "../../storage/storage.ts";
import { hasAnyDependency, listPossibleParents, listVariantNames } from "./find-dependencies.ts";
import { DependencyBody, ParentParams } from "./schemas.ts";
import { removeParent, removeParents, setParent } from "./write-dependencies.ts";

const tag = "Dependencies";
const ONE = "/projects/:projectId/features/:feature";

/** What flags require of other flags. */
export function registerDependencies(app: TypedApp, storage: Storage): void {
  registerWriting(app, storage);
  registerRemoving(app, storage);
  registerReading(app, storage);
}

function registerWriting(app: TypedApp, storage: Storage): void {
  app.post(
    `${ONE}/dependencies`,
    {
      schema: {
        ...documented({
          tag,
          summary: "Makes a feature depend on another one",
          empty: 200,
          hasBody: true,
          alsoFailsWith: [404],
        }),
        params: FeatureParams,
        body: DependencyBody,
      },
    },
    async (request, reply) => {
      const { projectId: project, feature } = request.params;
      await storage.write(actorOf(request), (transaction) =>
        setParent(transaction, { project, feature }, request.body),
      );
      return reply.send();
    },
  );
}

function registerRemoving(app: TypedApp, storage: Storage): void {
  app.delete(
    `${ONE}/dependencies/:parent`,
    {
      schema: {
        ...documented({
          tag,
          summary: "Frees a feature from one it depends on",
          empty: 200,
          alsoFailsWith: [404],
        }),
        params: ParentParams,
      },
    },
    async (request, reply) => {
      const { projectId: project, feature, parent } = request.params;
      await storage.write(actorOf(request), (transaction) =>
        removeParent(transaction, { project, feature }, parent),
      );
      return reply.send();
    },
  );

  app.delete(
    `${ONE}/dependencies`,
    {
      schema: {
        ...documented({
          tag,
          summary: "Frees a feature from all it depends on",
          empty: 200,
          alsoFailsWith: [404],
        }),
        params: FeatureParams,
      },
    },
    async (request, reply) => {
      const { projectId: project, feature } = request.params;
      await storage.write(actorOf(request), (transaction) =>
        removeParents(transaction, { project, feature }),
      );
      return reply.send();
    },
  );
}

function registerReading(app: TypedApp, storage: Storage): void {
  app.get(
    `${ONE}/parents`,
    {
      schema: {
        ...documented({
          tag,
          summary: "Lists the features that a feature may depend on",
          alsoFailsWith: [404],
        }),
        params: FeatureParams,
      },
    },
    ({ params: { projectId: project, feature } }) =>
      storage.read((db) => listPossibleParents(db, { project, feature })),
  );

  app.get(
    `${ONE}/parent-variants`,
    {
      schema: {
        ...documented({
          tag,
          summary: "Lists the variants of a feature that others may depend on",
          alsoFailsWith: [404],
        }),
        params: FeatureParams,
      },
    },
    ({ params: { projectId: project, feature } }) =>
      storage.read((db) => listVariantNames(db, { project, feature })),
  );

  app.get(
    "/projects/:projectId/dependencies",
    {
      schema: {
        ...documented({ tag, summary: "Tells whether any feature depends on another" }),
        params: ProjectParams,
      },
    },
    async (_request, reply) =>
      reply.type("application/json; charset=utf-8").send(await hasAnyDependency(storage.db)),
  );
}
