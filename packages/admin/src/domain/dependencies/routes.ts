import type { TypedApp } from "../../http/typed-app.ts";
import { actorOf } from "../../access/request-identity.ts";
import { operation } from "../../access/operation.ts";
import type { Storage } from "../../storage/storage.ts";
import { FeatureParams, ProjectParams, toFeatureAddress } from "../schemas.ts";
import { DependencyBody, ParentParams } from "./schemas.ts";
import {
  hasAnyDependency,
  listPossibleParents,
  listVariantNames,
  removeParent,
  removeParents,
  setParent,
} from "./store.ts";

const tag = "Dependencies";
const ONE = "/projects/:projectId/features/:feature";

/** Routes for the dependencies of flags on other flags. */
export function registerDependencies(app: TypedApp, storage: Storage): void {
  registerAdding(app, storage);
  registerRemoving(app, storage);
  registerReading(app, storage);
}

function registerAdding(app: TypedApp, storage: Storage): void {
  app.post(
    `${ONE}/dependencies`,
    operation({
      id: "addFeatureDependency",
      role: "editor",
      tag,
      summary: "Makes a flag depend on another one, instead of its previous parent",
      empty: 200,
      alsoFailsWith: [404],
      params: FeatureParams,
      body: DependencyBody,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        setParent(transaction, toFeatureAddress(request.params), request.body),
      );
      return reply.send();
    },
  );
}

function registerRemoving(app: TypedApp, storage: Storage): void {
  app.delete(
    `${ONE}/dependencies/:parent`,
    operation({
      id: "deleteFeatureDependency",
      role: "editor",
      tag,
      summary: "Removes the dependency of a flag on another one",
      empty: 200,
      alsoFailsWith: [404],
      params: ParentParams,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        removeParent(transaction, toFeatureAddress(request.params), request.params.parent),
      );
      return reply.send();
    },
  );

  app.delete(
    `${ONE}/dependencies`,
    operation({
      id: "deleteFeatureDependencies",
      role: "editor",
      tag,
      summary: "Removes all dependencies of a flag",
      empty: 200,
      alsoFailsWith: [404],
      params: FeatureParams,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        removeParents(transaction, toFeatureAddress(request.params)),
      );
      return reply.send();
    },
  );
}

function registerReading(app: TypedApp, storage: Storage): void {
  app.get(
    `${ONE}/parents`,
    operation({
      id: "listParentOptions",
      role: "viewer",
      tag,
      summary: "Lists the flags that a flag may depend on",
      alsoFailsWith: [404],
      params: FeatureParams,
    }),
    ({ params }) => storage.read((db) => listPossibleParents(db, toFeatureAddress(params))),
  );

  app.get(
    `${ONE}/parent-variants`,
    operation({
      id: "listParentVariantOptions",
      role: "viewer",
      tag,
      summary: "Lists the variants of a flag that other flags may depend on",
      alsoFailsWith: [404],
      params: FeatureParams,
    }),
    ({ params }) => storage.read((db) => listVariantNames(db, toFeatureAddress(params))),
  );

  app.get(
    "/projects/:projectId/dependencies",
    operation({
      id: "checkDependenciesExist",
      role: "viewer",
      tag,
      summary: "Returns whether any flag depends on another one",
      params: ProjectParams,
    }),
    async (_request, reply) =>
      reply.type("application/json; charset=utf-8").send(await hasAnyDependency(storage.db)),
  );
}
