import type { TypedApp } from "../../http/typed-app.ts";
import { actorOf } from "../../access/request-identity.ts";
import { operation } from "../../access/operation.ts";
import type { Storage } from "../../storage/storage.ts";
import { CreateStrategyTypeBody, StrategyTypeParams, UpdateStrategyTypeBody } from "./schemas.ts";
import {
  createStrategyType,
  deleteStrategyType,
  getStrategyType,
  listStrategyTypes,
  updateStrategyType,
} from "./store.ts";

const tag = "Strategy types";

/** Routes for strategy types: the built-in ones, and custom ones that applications implement. */
export function registerStrategyTypes(app: TypedApp, storage: Storage): void {
  app.get(
    "/strategies",
    operation({ id: "getAllStrategies", role: "viewer", tag, summary: "Lists the strategy types" }),
    async () => ({ version: 1, strategies: await listStrategyTypes(storage.db) }),
  );

  app.get(
    "/strategies/:strategyName",
    operation({
      id: "getStrategy",
      role: "viewer",
      tag,
      summary: "Shows a strategy type",
      alsoFailsWith: [404],
      params: StrategyTypeParams,
    }),
    ({ params }) => getStrategyType(storage.db, params.strategyName),
  );

  registerCreating(app, storage);
  registerChanging(app, storage);
  registerDeprecating(app, storage);
}

function registerCreating(app: TypedApp, storage: Storage): void {
  app.post(
    "/strategies",
    operation({
      id: "createStrategy",
      role: "admin",
      tag,
      summary: "Creates a strategy type that applications implement",
      alsoFailsWith: [409],
      body: CreateStrategyTypeBody,
    }),
    async (request, reply) => {
      const created = await storage.write(actorOf(request), (transaction) =>
        createStrategyType(transaction, request.body),
      );
      return reply.code(201).header("location", `strategies/${created.name}`).send(created);
    },
  );
}

function registerChanging(app: TypedApp, storage: Storage): void {
  app.put(
    "/strategies/:strategyName",
    operation({
      id: "updateStrategy",
      role: "admin",
      tag,
      summary: "Updates the given properties of a strategy type",
      empty: 200,
      alsoFailsWith: [404],
      params: StrategyTypeParams,
      body: UpdateStrategyTypeBody,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        updateStrategyType(transaction, request.params.strategyName, request.body),
      );
      return reply.send();
    },
  );

  app.delete(
    "/strategies/:strategyName",
    operation({
      id: "removeStrategy",
      role: "admin",
      tag,
      summary: "Deletes a strategy type that is not in use",
      empty: 200,
      alsoFailsWith: [404, 409],
      params: StrategyTypeParams,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        deleteStrategyType(transaction, request.params.strategyName),
      );
      return reply.send();
    },
  );
}

function registerDeprecating(app: TypedApp, storage: Storage): void {
  const operations = [
    {
      action: "deprecate",
      deprecated: true,
      id: "deprecateStrategy",
      summary:
        "Marks a strategy type as deprecated: the console no longer offers it for new strategies",
    },
    {
      action: "reactivate",
      deprecated: false,
      id: "reactivateStrategy",
      summary: "Reverts the deprecation of a strategy type",
    },
  ] as const;
  for (const { action, deprecated, ...described } of operations) {
    const options = operation({
      ...described,
      role: "admin",
      tag,
      empty: 200,
      alsoFailsWith: [404],
      params: StrategyTypeParams,
    });
    const path: string = `/strategies/:strategyName/${action}`;
    app.post(path, options, async (request, reply) => {
      const { strategyName } = request.params;
      await storage.write(actorOf(request), (transaction) =>
        updateStrategyType(transaction, strategyName, { deprecated }),
      );
      return reply.send();
    });
  }
}
