import { Type } from "typebox";
import { actorOf } from "../../access/request-token.ts";
import { documented } from "../../http/schemas.ts";
import type { TypedApp } from "flags-server-kit/http";
import { JsonPatchBody } from "../../http/json-patch/schemas.ts";
import { getActiveProject } from "../projects/find-projects.ts";
import type { Storage } from "../../storage/storage.ts";
import { checkNameIsFree, createFeature } from "./create-feature.ts";
import { FEATURE_TYPES } from "./feature-types.ts";
import { listFeatures, parseTagFilter } from "./list-features.ts";
import { patchFeature } from "./patch-feature.ts";
import { readFeature } from "./read-feature.ts";
import {
  CreateFeatureBody,
  FeatureParams,
  ProjectParams,
  StaleBody,
  UpdateFeatureBody,
  ValidateFeatureBody,
} from "./schemas.ts";
import { setStale, updateFeature } from "./update-feature.ts";

const tag = "Features";
const LIST = "/projects/:projectId/features";
const ONE = "/projects/:projectId/features/:feature";

const ListQuery = Type.Object({
  namePrefix: Type.Optional(Type.String()),
  tag: Type.Optional(
    Type.Unsafe<string | string[]>({ type: ["string", "array"], items: { type: "string" } }),
  ),
});

export function registerFeatures(app: TypedApp, storage: Storage): void {
  registerReading(app, storage);
  registerCreating(app, storage);
  registerChanging(app, storage);
  registerMarking(app, storage);
}

function registerReading(app: TypedApp, storage: Storage): void {
  app.get(
    LIST,
    {
      schema: {
        ...documented({
          tag,
          summary: "Lists the active features of a project",
          alsoFailsWith: [400],
        }),
        params: ProjectParams,
        querystring: ListQuery,
      },
    },
    ({ params, query }) =>
      storage.read(async (db) => ({
        version: 2,
        features: await listFeatures(db, params.projectId, {
          namePrefix: query.namePrefix,
          tags: parseTagFilter(query.tag),
        }),
      })),
  );

  app.get(
    ONE,
    {
      schema: {
        ...documented({ tag, summary: "Shows a feature with all it has", alsoFailsWith: [404] }),
        params: FeatureParams,
      },
    },
    ({ params }) =>
      storage.read((db) => readFeature(db, { project: params.projectId, feature: params.feature })),
  );

  app.get(
    "/feature-types",
    { schema: documented({ tag, summary: "Lists what features can be for" }) },
    () => ({ version: 1, types: FEATURE_TYPES }),
  );
}

function registerCreating(app: TypedApp, storage: Storage): void {
  app.post(
    LIST,
    {
      schema: {
        ...documented({
          tag,
          summary: "Makes a feature that is off in every environment",
          hasBody: true,
          alsoFailsWith: [404, 409],
        }),
        params: ProjectParams,
        body: CreateFeatureBody,
      },
    },
    async (request, reply) => {
      const created = await storage.write(actorOf(request), (transaction) =>
        createFeature(transaction, request.params.projectId, request.body),
      );
      return reply.code(201).send(created);
    },
  );

  app.post(
    "/features/validate",
    {
      schema: {
        ...documented({
          tag,
          summary: "Tells whether a name can be given to a new feature",
          empty: 200,
          hasBody: true,
          alsoFailsWith: [404, 409],
        }),
        body: ValidateFeatureBody,
      },
    },
    async ({ body }, reply) => {
      if (typeof body.projectId === "string") await getActiveProject(storage.db, body.projectId);
      await checkNameIsFree(storage.db, body.name);
      return reply.send();
    },
  );
}

function registerChanging(app: TypedApp, storage: Storage): void {
  app.put(
    ONE,
    {
      schema: {
        ...documented({
          tag,
          summary: "Changes a feature: what is sent replaces, what is not sent stays",
          hasBody: true,
          alsoFailsWith: [404],
        }),
        params: FeatureParams,
        body: UpdateFeatureBody,
      },
    },
    (request) => {
      const { projectId: project, feature } = request.params;
      return storage.write(actorOf(request), (transaction) =>
        updateFeature(transaction, { project, feature }, request.body),
      );
    },
  );

  app.patch(
    ONE,
    {
      schema: {
        ...documented({
          tag,
          summary: "Changes a feature by a JSON Patch",
          hasBody: true,
          alsoFailsWith: [404],
        }),
        params: FeatureParams,
        body: JsonPatchBody,
      },
    },
    (request) => {
      const { projectId: project, feature } = request.params;
      return storage.write(actorOf(request), (transaction) =>
        patchFeature(transaction, { project, feature }, request.body),
      );
    },
  );
}

function registerMarking(app: TypedApp, storage: Storage): void {
  app.post(
    "/projects/:projectId/stale",
    {
      schema: {
        ...documented({
          tag,
          summary: "Marks features as stale, or no longer stale",
          empty: 202,
          hasBody: true,
          alsoFailsWith: [404],
        }),
        params: ProjectParams,
        body: StaleBody,
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        setStale(transaction, request.params.projectId, request.body),
      );
      return reply.code(202).send();
    },
  );
}
