import type { TypedApp } from "../../http/typed-app.ts";
import { actorOf, callerOf } from "../../access/request-identity.ts";
import { operation } from "../../access/operation.ts";
import { JsonPatchBody } from "../../http/json-patch.ts";
import { parsePage } from "../../http/parse-filter.ts";
import type { Storage } from "../../storage/storage.ts";
import { IfMatchHeaders, withEntityTag, writeIfMatch } from "../conditional-change.ts";
import { checkFeatureName } from "../projects/feature-naming.ts";
import { getActiveProject } from "../projects/store.ts";
import { FeatureParams, ProjectParams, toFeatureAddress } from "../schemas.ts";
import { trimTag } from "../tags/store.ts";
import { cloneFeature, checkNameIsAvailable, createFeature } from "./create-feature.ts";
import {
  ChangeProjectBody,
  CloneFeatureBody,
  CreateFeatureBody,
  FeatureListQuery,
  FeatureQuery,
  FeatureSearchQuery,
  StaleBody,
  UpdateFeatureBody,
  ValidateFeatureBody,
} from "./schemas.ts";
import { listFeatures, parseTagFilter } from "./list-features.ts";
import { moveFeature, previewMove } from "./move-feature.ts";
import { readFeature } from "./read-feature.ts";
import { searchFeatures } from "./search-features.ts";
import { editedFeature, patchFeature, setStale, updateFeature } from "./update-feature.ts";

const tag = "Features";
const LIST = "/projects/:projectId/features";
const ONE = "/projects/:projectId/features/:feature";

export function registerFeatures(app: TypedApp, storage: Storage): void {
  registerReading(app, storage);
  registerSearch(app, storage);
  registerCreating(app, storage);
  registerChanging(app, storage);
  registerMoving(app, storage);
}

function registerReading(app: TypedApp, storage: Storage): void {
  app.get(
    LIST,
    operation({
      id: "getFeatures",
      role: "viewer",
      tag,
      summary: "Lists the active flags of a project",
      alsoFailsWith: [400],
      findsNothing: true,
      params: ProjectParams,
      querystring: FeatureListQuery,
    }),
    (request) => {
      const { projectId } = request.params;
      const { namePrefix, tag: tagFilter, favoritesFirst } = request.query;
      const { account, projects } = callerOf(request);
      const filter = {
        namePrefix,
        tags: parseTagFilter(tagFilter),
        userId: account?.id,
        favoritesFirst: favoritesFirst === "true",
      };
      const isVisible = projects.sees(projectId);
      return storage.read(async (db) => ({
        version: 2,
        features: isVisible ? await listFeatures(db, projectId, filter) : [],
      }));
    },
  );

  app.get(
    ONE,
    operation({
      id: "getFeature",
      role: "viewer",
      tag,
      summary: "Shows a flag with its environments, strategies, dependencies, tags and links",
      description: "The ETag is that of its settings, for If-Match",
      alsoFailsWith: [400, 404],
      params: FeatureParams,
      querystring: FeatureQuery,
    }),
    (request, reply) =>
      storage.read(async (db) => {
        const address = toFeatureAddress(request.params);
        // NOTE: not the tag of the whole response. It changes with every report of usage and with every
        // strategy, neither of which is a reason to reject other settings.
        withEntityTag(reply, await editedFeature(address).readView(db));
        return readFeature(db, address, {
          includesArchived: request.query.archived === "true",
          userId: callerOf(request).account?.id,
        });
      }),
  );
}

function registerCreating(app: TypedApp, storage: Storage): void {
  app.post(
    LIST,
    operation({
      id: "createFeature",
      role: "editor",
      tag,
      summary: "Creates a flag that is off in every environment",
      alsoFailsWith: [404, 409],
      params: ProjectParams,
      body: CreateFeatureBody,
    }),
    async (request, reply) => {
      const { projectId } = request.params;
      const { tags = [], ...body } = request.body;
      const created = await storage.write(actorOf(request), (transaction) =>
        createFeature(transaction, projectId, { ...body, tags: tags.map(trimTag) }),
      );
      return reply.code(201).send(created);
    },
  );

  app.post(
    `${ONE}/clone`,
    operation({
      id: "cloneFeature",
      role: "editor",
      tag,
      summary: "Copies a flag. The copy is off in every environment",
      description:
        "Copies the properties, tags, dependency, and in every environment the strategies and variants",
      alsoFailsWith: [404, 409],
      params: FeatureParams,
      body: CloneFeatureBody,
    }),
    async (request, reply) => {
      const created = await storage.write(actorOf(request), (transaction) =>
        cloneFeature(transaction, toFeatureAddress(request.params), request.body),
      );
      return reply.code(201).send(created);
    },
  );

  app.post(
    "/features/validate",
    operation({
      id: "validateFeature",
      role: "viewer",
      tag,
      summary:
        "Checks whether a name is available for a new flag, and whether a project accepts it",
      empty: 200,
      alsoFailsWith: [404, 409],
      projectInBody: { property: "projectId", absent: "unchanged" },
      body: ValidateFeatureBody,
    }),
    async ({ body }, reply) => {
      if (typeof body.projectId === "string") {
        const { featureNaming } = await getActiveProject(storage.db, body.projectId);
        checkFeatureName(featureNaming, body.name);
      }
      await checkNameIsAvailable(storage.db, body.name);
      return reply.send();
    },
  );
}

function registerChanging(app: TypedApp, storage: Storage): void {
  const change = {
    role: "editor",
    tag,
    alsoFailsWith: [404, 412],
    headers: IfMatchHeaders,
    params: FeatureParams,
  } as const;

  app.put(
    ONE,
    operation({
      id: "updateFeature",
      summary: "Updates the given properties of a flag",
      ...change,
      body: UpdateFeatureBody,
    }),
    async (request, reply) => {
      const address = toFeatureAddress(request.params);
      const view = await writeIfMatch(storage, request, editedFeature(address), (transaction) =>
        updateFeature(transaction, address, request.body),
      );
      return withEntityTag(reply, view);
    },
  );

  app.patch(
    ONE,
    operation({
      id: "patchFeature",
      summary: "Applies a JSON Patch to a flag",
      ...change,
      body: JsonPatchBody,
    }),
    async (request, reply) => {
      const address = toFeatureAddress(request.params);
      const view = await writeIfMatch(storage, request, editedFeature(address), (transaction) =>
        patchFeature(transaction, address, request.body),
      );
      return withEntityTag(reply, view);
    },
  );

  app.post(
    "/projects/:projectId/stale",
    operation({
      id: "staleFeatures",
      role: "editor",
      tag,
      summary: "Marks flags as stale or not stale",
      empty: 202,
      alsoFailsWith: [404],
      params: ProjectParams,
      body: StaleBody,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        setStale(transaction, request.params.projectId, request.body),
      );
      return reply.code(202).send();
    },
  );
}

function registerMoving(app: TypedApp, storage: Storage): void {
  const move = {
    role: "editor",
    tag,
    alsoFailsWith: [404],
    params: FeatureParams,
    projectInBody: { property: "newProjectId", absent: "everywhere" },
    body: ChangeProjectBody,
  } as const;

  app.post(
    `${ONE}/changeProject`,
    operation({
      id: "changeProject",
      summary: "Moves a flag, and the flags that dependencies connect with it, to another project",
      description:
        "Requires the role in both projects. In environments that the new project does not have, the flags must be off; their strategies and variants there are deleted. Names, tags, history and usage stay. Returns what it has moved",
      ...move,
    }),
    (request) =>
      storage.write(actorOf(request), (transaction) =>
        moveFeature(transaction, toFeatureAddress(request.params), request.body.newProjectId),
      ),
  );

  app.post(
    `${ONE}/changeProject/validate`,
    operation({
      id: "validateChangeProject",
      summary: "Checks what moving a flag to another project would do, and what stands in the way",
      ...move,
    }),
    ({ params, body }) =>
      storage.read((db) => previewMove(db, toFeatureAddress(params), body.newProjectId)),
  );
}

function registerSearch(app: TypedApp, storage: Storage): void {
  app.get(
    "/search/features",
    operation({
      id: "searchFeatures",
      role: "viewer",
      tag,
      summary: "Searches the flags of all projects",
      alsoFailsWith: [400],
      querystring: FeatureSearchQuery,
    }),
    (request) => {
      const { query } = request;
      const page = parsePage(query, { defaultLimit: 50, maxLimit: 100 });
      return storage.read((db) => searchFeatures(db, query, page, callerOf(request)));
    },
  );
}
