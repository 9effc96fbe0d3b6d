import { operation } from "../../access/operation.ts";
import { actorOf } from "../../access/request-identity.ts";
import type { TypedApp } from "../../http/typed-app.ts";
import type { Storage } from "../../storage/storage.ts";
import { getFeature } from "../feature.ts";
import { FeatureParams, toFeatureAddress } from "../schemas.ts";
import { completeFeature, snooze, uncompleteFeature, unsnooze } from "./change-lifecycle.ts";
import { listStages } from "./read-lifecycles.ts";
import { CompleteBody, LifecycleResponse, StaleSnoozeBody } from "./schemas.ts";

const tag = "Lifecycle";
const ONE = "/projects/:projectId/features/:feature/lifecycle";
const SNOOZE = "/projects/:projectId/features/:feature/stale-snooze";

/** What the operations that change a flag have in common. */
const change = {
  role: "editor",
  tag,
  empty: 200,
  alsoFailsWith: [400, 404],
  params: FeatureParams,
} as const;

/** Routes for the stages of flags, and for flags that are needed although they seem stale. */
export function registerLifecycle(app: TypedApp, storage: Storage): void {
  registerStages(app, storage);
  registerSnooze(app, storage);
}

function registerStages(app: TypedApp, storage: Storage): void {
  app.get(
    ONE,
    operation({
      id: "getFeatureLifecycle",
      role: "viewer",
      tag,
      summary: "Lists the stages that a flag has reached",
      returns: LifecycleResponse,
      alsoFailsWith: [404],
      params: FeatureParams,
    }),
    ({ params }) =>
      storage.read(async (db) => {
        const { name } = await getFeature(db, toFeatureAddress(params));
        return listStages(db, name);
      }),
  );

  app.post(
    `${ONE}/complete`,
    operation({
      id: "complete",
      summary: "Completes a flag: its code is kept or discarded, and the flag can be removed",
      ...change,
      body: CompleteBody,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        completeFeature(transaction, toFeatureAddress(request.params), request.body),
      );
      return reply.send();
    },
  );

  app.post(
    `${ONE}/uncomplete`,
    operation({
      id: "uncomplete",
      summary: "Returns a flag to the stage that it had before it was completed",
      ...change,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        uncompleteFeature(transaction, toFeatureAddress(request.params)),
      );
      return reply.send();
    },
  );
}

function registerSnooze(app: TypedApp, storage: Storage): void {
  app.put(
    SNOOZE,
    operation({
      id: "snoozeStaleFeature",
      summary: "Says that a flag is needed, until a time or for good: it is not potentially stale",
      ...change,
      body: StaleSnoozeBody,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        snooze(transaction, toFeatureAddress(request.params), request.body),
      );
      return reply.send();
    },
  );

  app.delete(
    SNOOZE,
    operation({
      id: "unsnoozeStaleFeature",
      summary: "Lets a flag be found potentially stale again",
      ...change,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), (transaction) =>
        unsnooze(transaction, toFeatureAddress(request.params)),
      );
      return reply.send();
    },
  );
}
