import type { Static } from "typebox";
import { actorOf } from "../../access/request-token.ts";
import { readLegalValues } from "../context-fields/read-legal-values.ts";
import { readFeatureEnvironment } from "../features/read-feature.ts";
import { FeatureEnvironmentParams } from "../features/schemas.ts";
import { documented } from "../../http/schemas.ts";
import type { TypedApp } from "flags-server-kit/http";
import { JsonPatchBody } from "../../http/json-patch/schemas.ts";
import { getFeature } from "../features/find-features.ts";
import type { Storage } from "../../storage/storage.ts";
import { checkConstraint } from "./check-constraints.ts";
import { orderStrategies } from "./order-strategies.ts";
import { patchStrategy } from "./patch-strategy.ts";
import { getStrategyAt } from "./place.ts";
import {
  ConstraintBody,
  CreateStrategyBody,
  StrategyOrderBody,
  StrategyParams,
  UpdateStrategyBody,
} from "./schemas.ts";
import { toStrategyView } from "./strategy-view.ts";
import { addStrategy, deleteStrategy, replaceStrategy } from "./write-strategies.ts";

const tag = "Strategies";
const LIST = "/projects/:projectId/features/:feature/environments/:environment/strategies";
const ONE = `${LIST}/:strategyId` as const;

/** What decides for whom a flag is on, in one environment. */
export function registerStrategies(app: TypedApp, storage: Storage): void {
  registerReading(app, storage);
  registerAdding(app, storage);
  registerChanging(app, storage);
  registerConstraintCheck(app, storage);
}

type Place = Static<typeof FeatureEnvironmentParams>;

function placeOf({ projectId: project, feature, environment }: Place) {
  return { project, feature, environment };
}

function registerReading(app: TypedApp, storage: Storage): void {
  app.get(
    LIST,
    {
      schema: {
        ...documented({
          tag,
          summary: "Lists the strategies of a feature in an environment",
          alsoFailsWith: [404],
        }),
        params: FeatureEnvironmentParams,
      },
    },
    ({ params }) =>
      storage.read(async (db) => {
        const { strategies } = await readFeatureEnvironment(db, placeOf(params));
        return strategies;
      }),
  );

  app.get(
    ONE,
    {
      schema: {
        ...documented({ tag, summary: "Shows a strategy", alsoFailsWith: [404] }),
        params: StrategyParams,
      },
    },
    ({ params }) =>
      storage.read(async (db) => {
        const place = placeOf(params);
        await getFeature(db, place);
        return toStrategyView(await getStrategyAt(db, { ...place, id: params.strategyId }));
      }),
  );
}

function registerAdding(app: TypedApp, storage: Storage): void {
  app.post(
    LIST,
    {
      schema: {
        ...documented({
          tag,
          summary: "Adds a strategy to a feature in an environment",
          hasBody: true,
          alsoFailsWith: [404],
        }),
        params: FeatureEnvironmentParams,
        body: CreateStrategyBody,
      },
    },
    (request) =>
      storage.write(actorOf(request), (transaction) =>
        addStrategy(transaction, placeOf(request.params), request.body),
      ),
  );

  app.post(
    `${LIST}/set-sort-order`,
    {
      schema: {
        ...documented({
          tag,
          summary: "Puts strategies in another order",
          empty: 200,
          hasBody: true,
          alsoFailsWith: [404],
        }),
        params: FeatureEnvironmentParams,
        body: StrategyOrderBody,
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        orderStrategies(transaction, placeOf(request.params), request.body),
      );
      return reply.send();
    },
  );
}

function registerChanging(app: TypedApp, storage: Storage): void {
  const describe = (summary: string) => ({
    ...documented({ tag, summary, hasBody: true, alsoFailsWith: [404] }),
    params: StrategyParams,
  });

  app.put(
    ONE,
    { schema: { ...describe("Replaces a strategy"), body: UpdateStrategyBody } },
    (request) => {
      const at = { ...placeOf(request.params), id: request.params.strategyId };
      return storage.write(actorOf(request), (transaction) =>
        replaceStrategy(transaction, at, request.body),
      );
    },
  );

  app.patch(
    ONE,
    { schema: { ...describe("Changes a strategy by a JSON Patch"), body: JsonPatchBody } },
    (request) => {
      const at = { ...placeOf(request.params), id: request.params.strategyId };
      return storage.write(actorOf(request), (transaction) =>
        patchStrategy(transaction, at, request.body),
      );
    },
  );

  app.delete(
    ONE,
    {
      schema: {
        ...documented({ tag, summary: "Deletes a strategy", empty: 200, alsoFailsWith: [404] }),
        params: StrategyParams,
      },
    },
    async (request, reply) => {
      const at = { ...placeOf(request.params), id: request.params.strategyId };
      await storage.write(actorOf(request), (transaction) => deleteStrategy(transaction, at));
      return reply.send();
    },
  );
}

function registerConstraintCheck(app: TypedApp, storage: Storage): void {
  app.post(
    "/constraints/validate",
    {
      schema: {
        ...documented({
          tag,
          summary: "Tells whether a constraint is sound",
          empty: 204,
          hasBody: true,
        }),
        body: ConstraintBody,
      },
    },
    async ({ body }, reply) => {
      const legalValuesOf = await readLegalValues(storage.db, [body.contextName]);
      checkConstraint(body, { legalValues: legalValuesOf(body.contextName), path: "/body" });
      return reply.code(204).send();
    },
  );
}
