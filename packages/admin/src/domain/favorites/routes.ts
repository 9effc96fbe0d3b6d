import { operation } from "../../access/operation.ts";
import { accountOf, actorOf } from "../../access/request-identity.ts";
import type { TypedApp } from "../../http/typed-app.ts";
import type { Storage } from "../../storage/storage.ts";
import { FeatureParams, ProjectParams, toFeatureAddress } from "../schemas.ts";
import {
  addFavoriteFeature,
  addFavoriteProject,
  removeFavoriteFeature,
  removeFavoriteProject,
} from "./change-favorites.ts";

const tag = "Features";
const FEATURE = "/projects/:projectId/features/:feature/favorites";
const PROJECT = "/projects/:projectId/favorites";

/** Routes for what users mark as favorites. Each user has their own; an API token has none. */
export function registerFavorites(app: TypedApp, storage: Storage): void {
  registerFavoriteFeatures(app, storage);
  registerFavoriteProjects(app, storage);
}

function registerFavoriteFeatures(app: TypedApp, storage: Storage): void {
  const common = {
    role: "viewer",
    tag,
    empty: 200,
    alsoFailsWith: [404],
    params: FeatureParams,
  } as const;
  app.post(
    FEATURE,
    operation({
      id: "addFavoriteFeature",
      summary: "Marks a flag as a favorite of the current user",
      ...common,
    }),
    async (request, reply) => {
      const { id } = accountOf(request);
      await storage.write(actorOf(request), (transaction) =>
        addFavoriteFeature(transaction, id, toFeatureAddress(request.params)),
      );
      return reply.send();
    },
  );
  app.delete(
    FEATURE,
    operation({
      id: "removeFavoriteFeature",
      summary: "Removes a flag from the favorites of the current user",
      ...common,
    }),
    async (request, reply) => {
      const { id } = accountOf(request);
      await storage.write(actorOf(request), (transaction) =>
        removeFavoriteFeature(transaction, id, toFeatureAddress(request.params)),
      );
      return reply.send();
    },
  );
}

function registerFavoriteProjects(app: TypedApp, storage: Storage): void {
  const common = {
    role: "viewer",
    tag: "Projects",
    empty: 200,
    alsoFailsWith: [404],
    params: ProjectParams,
  } as const;
  app.post(
    PROJECT,
    operation({
      id: "addFavoriteProject",
      summary: "Marks a project as a favorite of the current user",
      ...common,
    }),
    async (request, reply) => {
      const { id } = accountOf(request);
      await storage.write(actorOf(request), (transaction) =>
        addFavoriteProject(transaction, id, request.params.projectId),
      );
      return reply.send();
    },
  );
  app.delete(
    PROJECT,
    operation({
      id: "removeFavoriteProject",
      summary: "Removes a project from the favorites of the current user",
      ...common,
    }),
    async (request, reply) => {
      const { id } = accountOf(request);
      await storage.write(actorOf(request), (transaction) =>
        removeFavoriteProject(transaction, id, request.params.projectId),
      );
      return reply.send();
    },
  );
}
