import type { Static } from "typebox";
import { operation } from "../access/operation.ts";
import { actorOf } from "../access/request-identity.ts";
import { getFeature } from "../domain/feature.ts";
import { FeatureParams, toFeatureAddress, toFeatureEnvironmentAddress } from "../domain/schemas.ts";
import type { StrategyAddress } from "../domain/strategies/find-strategies.ts";
import { StrategyParams } from "../domain/strategies/schemas.ts";
import type { TypedApp } from "../http/typed-app.ts";
import type { Storage } from "../storage/storage.ts";
import {
  actOnPlan,
  deletePlan,
  getPlan,
  listPlans,
  type PlanAction,
  setPlan,
  toPlanView,
} from "./plan.ts";
import { PlanBody } from "./schemas.ts";

const tag = "Rollout plans";
const ONE =
  "/projects/:projectId/features/:feature/environments/:environment/strategies/:strategyId/rollout-plan";

/** Routes for plans that raise the percentage of a strategy step by step. */
export function registerRolloutPlans(app: TypedApp, storage: Storage): void {
  registerReading(app, storage);
  registerChanging(app, storage);
  for (const [action, summary] of [
    ["pause", "Pauses a rollout plan. The percentage stays"],
    ["resume", "Continues a rollout plan that is paused, or waits for a person"],
    ["skip", "Makes the next step of a rollout plan now"],
    ["back", "Returns to the previous step of a rollout plan, and pauses it"],
  ] as const) {
    registerAction(app, storage, { action, summary });
  }
}

function toAddress({ strategyId, ...params }: Static<typeof StrategyParams>): StrategyAddress {
  return { ...toFeatureEnvironmentAddress(params), id: strategyId };
}

function registerReading(app: TypedApp, storage: Storage): void {
  app.get(
    ONE,
    operation({
      id: "getRolloutPlan",
      role: "viewer",
      tag,
      summary: "Shows the rollout plan of a strategy",
      alsoFailsWith: [404],
      params: StrategyParams,
    }),
    ({ params }) =>
      storage.read(async (db) => {
        const address = toAddress(params);
        await getFeature(db, address);
        return toPlanView(await getPlan(db, address));
      }),
  );

  app.get(
    "/projects/:projectId/features/:feature/rollout-plans",
    operation({
      id: "getRolloutPlans",
      role: "viewer",
      tag,
      summary: "Lists the rollout plans of a flag in all environments",
      alsoFailsWith: [404],
      params: FeatureParams,
    }),
    ({ params }) =>
      storage.read(async (db) => {
        const { name } = await getFeature(db, toFeatureAddress(params));
        return { rolloutPlans: await listPlans(db, name) };
      }),
  );
}

function registerChanging(app: TypedApp, storage: Storage): void {
  app.put(
    ONE,
    operation({
      id: "setRolloutPlan",
      role: "editor",
      tag,
      summary: "Sets the rollout plan of a strategy, and makes its first step",
      alsoFailsWith: [404],
      params: StrategyParams,
      body: PlanBody,
    }),
    async (request) => {
      const { steps } = request.body;
      const plan = await storage.write(actorOf(request), (transaction) =>
        setPlan(transaction, toAddress(request.params), steps),
      );
      return toPlanView(plan);
    },
  );

  app.delete(
    ONE,
    operation({
      id: "deleteRolloutPlan",
      role: "editor",
      tag,
      summary: "Deletes the rollout plan of a strategy. The percentage stays",
      empty: 200,
      alsoFailsWith: [404],
      params: StrategyParams,
    }),
    async (request, reply) => {
      await storage.write(actorOf(request), async (transaction) => {
        await getFeature(transaction.db, toAddress(request.params));
        await deletePlan(transaction, toAddress(request.params));
      });
      return reply.send();
    },
  );
}

function registerAction(
  app: TypedApp,
  storage: Storage,
  { action, summary }: { readonly action: PlanAction; readonly summary: string },
): void {
  const path: string = `${ONE}/${action}`;
  const options = operation({
    id: `${action}RolloutPlan`,
    role: "editor",
    tag,
    summary,
    alsoFailsWith: [404],
    params: StrategyParams,
  });
  app.post(path, options, async (request) => {
    const plan = await storage.write(actorOf(request), (transaction) =>
      actOnPlan(transaction, toAddress(request.params), action),
    );
    return toPlanView(plan);
  });
}
