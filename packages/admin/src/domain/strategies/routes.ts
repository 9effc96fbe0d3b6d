import type { TypedApp } from "../../http/typed-app.ts";
import type { Static } from "typebox";
import { actorOf } from "../../access/request-identity.ts";
import { operation } from "../../access/operation.ts";
import { JsonPatchBody } from "../../http/json-patch.ts";
import type { Storage } from "../../storage/storage.ts";
import { IfMatchHeaders, withEntityTag, writeIfMatch } from "../conditional-change.ts";
import { getEnabled } from "../feature-environment.ts";
import { getFeature } from "../feature.ts";
import { toDefaultStrategyView } from "../default-strategies.ts";
import {
  FeatureEnvironmentParams,
  ProjectEnvironmentParams,
  toFeatureEnvironmentAddress,
} from "../schemas.ts";
import {
  editedStrategy,
  listStrategies,
  type StrategyAddress,
  toStrategyView,
} from "./find-strategies.ts";
import {
  CreateStrategyBody,
  StrategyOrderBody,
  StrategyParams,
  StrategySegmentsBody,
  UpdateStrategyBody,
} from "./schemas.ts";
import { setDefaultStrategy } from "./set-default-strategy.ts";
import { withWarnings } from "./strategy-warnings.ts";
import { assignSegments } from "./strategy-segments.ts";
import {
  addStrategy,
  deleteStrategy,
  orderStrategies,
  patchStrategy,
  replaceStrategy,
} from "./write-strategies.ts";

const tag = "Strategies";
const LIST = "/projects/:projectId/features/:feature/environments/:environment/strategies";
const ONE = `${LIST}/:strategyId` as const;

/** Routes for the strategies of flags in an environment, and for the default strategies of projects. */
export function registerStrategies(app: TypedApp, storage: Storage): void {
  registerReading(app, storage);
  registerAdding(app, storage);
  registerChanging(app, storage);
  registerSegmentAssignment(app, storage);
  registerDefaultStrategy(app, storage);
}

function toStrategyAddress({
  strategyId,
  ...params
}: Static<typeof StrategyParams>): StrategyAddress {
  return { ...toFeatureEnvironmentAddress(params), id: strategyId };
}

function registerReading(app: TypedApp, storage: Storage): void {
  app.get(
    LIST,
    operation({
      id: "getFeatureStrategies",
      role: "viewer",
      tag,
      summary: "Lists the strategies of a flag in an environment",
      alsoFailsWith: [404],
      params: FeatureEnvironmentParams,
    }),
    ({ params }) =>
      storage.read(async (db) => {
        const address = toFeatureEnvironmentAddress(params);
        await getFeature(db, address);
        await getEnabled(db, address);
        return (await listStrategies(db, address)).map((one) => withWarnings(toStrategyView(one)));
      }),
  );

  app.get(
    ONE,
    operation({
      id: "getFeatureStrategy",
      role: "viewer",
      tag,
      summary: "Shows a strategy, with its ETag",
      alsoFailsWith: [404],
      params: StrategyParams,
    }),
    async ({ params }, reply) => {
      const { readView } = editedStrategy(toStrategyAddress(params));
      return withWarnings(withEntityTag(reply, await storage.read(readView)));
    },
  );
}

function registerAdding(app: TypedApp, storage: Storage): void {
  app.post(
    LIST,
    operation({
      id: "addFeatureStrategy",
      role: "editor",
      tag,
      summary: "Adds a strategy to a flag in an environment",
      alsoFailsWith: [404],
      params: FeatureEnvironmentParams,
      body: CreateStrategyBody,
    }),
    async (request) => {
      const address = toFeatureEnvironmentAddress(request.params);
      const view = await storage.write(actorOf(request), (transaction) =>
        addStrategy(transaction, address, request.body),
      );
      return withWarnings(view);
    },
  );

  app.post(
    `${LIST}/set-sort-order`,
    operation({
      id: "setStrategySortOrder",
      role: "editor",
      tag,
      summary: "Sets the sort order of strategies",
      empty: 200,
      alsoFailsWith: [404],
      params: FeatureEnvironmentParams,
      body: StrategyOrderBody,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        orderStrategies(transaction, toFeatureEnvironmentAddress(request.params), request.body),
      );
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
    params: StrategyParams,
  } as const;

  app.put(
    ONE,
    operation({
      id: "updateFeatureStrategy",
      summary: "Replaces a strategy",
      ...change,
      body: UpdateStrategyBody,
    }),
    async (request, reply) => {
      const address = toStrategyAddress(request.params);
      const view = await writeIfMatch(storage, request, editedStrategy(address), (transaction) =>
        replaceStrategy(transaction, address, request.body),
      );
      return withWarnings(withEntityTag(reply, view));
    },
  );

  app.patch(
    ONE,
    operation({
      id: "patchFeatureStrategy",
      summary: "Applies a JSON Patch to a strategy",
      ...change,
      body: JsonPatchBody,
    }),
    async (request, reply) => {
      const address = toStrategyAddress(request.params);
      const view = await writeIfMatch(storage, request, editedStrategy(address), (transaction) =>
        patchStrategy(transaction, address, request.body),
      );
      return withWarnings(withEntityTag(reply, view));
    },
  );

  app.delete(
    ONE,
    operation({
      id: "deleteFeatureStrategy",
      role: "editor",
      tag,
      summary: "Deletes a strategy",
      empty: 200,
      alsoFailsWith: [404, 412],
      headers: IfMatchHeaders,
      params: StrategyParams,
    }),
    async (request, reply) => {
      const address = toStrategyAddress(request.params);
      await writeIfMatch(storage, request, editedStrategy(address), (transaction) =>
        deleteStrategy(transaction, address),
      );
      return reply.send();
    },
  );
}

function registerSegmentAssignment(app: TypedApp, storage: Storage): void {
  app.post(
    "/segments/strategies",
    operation({
      id: "updateFeatureStrategySegments",
      role: "editor",
      projectInBody: { property: "projectId", absent: "everywhere" },
      tag: "Segments",
      summary: "Replaces the segments of a strategy",
      alsoFailsWith: [404],
      body: StrategySegmentsBody,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        assignSegments(transaction, request.body),
      );
      return reply.code(201).send(request.body);
    },
  );
}

function registerDefaultStrategy(app: TypedApp, storage: Storage): void {
  app.post(
    "/projects/:projectId/environments/:environment/default-strategy",
    operation({
      id: "addDefaultStrategyToProjectEnvironment",
      role: "owner",
      tag: "Projects",
      summary:
        "Sets the strategy that flags without enabled strategies get when they are turned on",
      description:
        "Existing strategies stay as they are. Without groupId, each flag uses its name. The sort order has no effect",
      alsoFailsWith: [404],
      params: ProjectEnvironmentParams,
      body: CreateStrategyBody,
    }),
    async (request) => {
      const { projectId: project, environment } = request.params;
      const stored = await storage.write(actorOf(request), (transaction) =>
        setDefaultStrategy(transaction, { project, environment }, request.body),
      );
      return withWarnings(toDefaultStrategyView(stored));
    },
  );
}
