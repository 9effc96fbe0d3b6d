import { actorOf } from "../../access/request-token.ts";
import { documented } from "../../http/schemas.ts";
import type { TypedApp } from "flags-server-kit/http";
import type { Storage } from "../../storage/storage.ts";
import {
  CreateStrategyTypeBody,
  StrategyTypeParams,
  UpdateStrategyTypeBody,
} from "./strategy-type-schemas.ts";
import {
  createStrategyType,
  deleteStrategyType,
  getStrategyType,
  listStrategyTypes,
  updateStrategyType,
} from "./strategy-types.ts";

const tag = "Strategy types";

/** The kinds of strategies: the built-in ones, and those that applications bring the code for. */
export function registerStrategyTypes(app: TypedApp, storage: Storage): void {
  app.get(
    "/strategies",
    { schema: documented({ tag, summary: "Lists the kinds of strategies" }) },
    async () => ({ version: 1, strategies: await listStrategyTypes(storage.db) }),
  );

  app.get(
    "/strategies/:strategyName",
    {
      schema: {
        ...documented({ tag, summary: "Shows a kind of strategy", alsoFailsWith: [404] }),
        params: StrategyTypeParams,
      },
    },
    ({ params }) => getStrategyType(storage.db, params.strategyName),
  );

  registerWriting(app, storage);
  registerChanging(app, storage);
}

function registerWriting(app: TypedApp, storage: Storage): void {
  app.post(
    "/strategies",
    {
      schema: {
        ...documented({
          tag,
          summary: "Describes a kind of strategy that applications bring the code for",
          hasBody: true,
          alsoFailsWith: [409],
        }),
        body: CreateStrategyTypeBody,
      },
    },
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
    {
      schema: {
        ...documented({
          tag,
          summary: "Changes the description of a kind of strategy",
          empty: 200,
          hasBody: true,
          alsoFailsWith: [404],
        }),
        params: StrategyTypeParams,
        body: UpdateStrategyTypeBody,
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        updateStrategyType(transaction, request.params.strategyName, request.body),
      );
      return reply.send();
    },
  );

  app.delete(
    "/strategies/:strategyName",
    {
      schema: {
        ...documented({
          tag,
          summary: "Deletes a kind of strategy that no feature uses",
          empty: 200,
          alsoFailsWith: [404, 409],
        }),
        params: StrategyTypeParams,
      },
    },
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        deleteStrategyType(transaction, request.params.strategyName),
      );
      return reply.send();
    },
  );
}
