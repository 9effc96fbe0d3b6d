import { and, eq } from "drizzle-orm";
import { findPerformer, mayDo } from "../access/performer.ts";
import { toRequester } from "../access/person-behind.ts";
import { getEnabled } from "../domain/feature-environment.ts";
import { getActiveFeature } from "../domain/feature.ts";
import { getStrategy, type StrategyAddress } from "../domain/strategies/find-strategies.ts";
import { toStepFields } from "../domain/strategies/stop-plan.ts";
import { setRollout } from "../domain/strategies/write-strategies.ts";
import { badData, invalidOperation, notFound } from "../errors.ts";
import { type Database, databaseTime } from "../storage/database.ts";
import type { EventType } from "../storage/events.ts";
import { features } from "../storage/schema/features.ts";
import { type PlanState, type RolloutStep, rolloutPlans } from "../storage/schema/rollout-plans.ts";
import { strategies } from "../storage/schema/strategies.ts";
import type { WriteTransaction } from "../storage/storage.ts";

type Plan = typeof rolloutPlans.$inferSelect;

const MINUTE_MS = 60_000;

/** A plan as responses show it. */
export function toPlanView({ strategy: strategyId, setBy, ...plan }: Plan) {
  const { steps, step, state, nextAt, reason, setAt } = plan;
  return { strategyId, steps, step, state, nextAt, reason, setBy: { name: setBy.name }, setAt };
}

/** Lists the plans of a flag in all environments. */
export async function listPlans(db: Database, feature: string) {
  const rows = await db
    .select({ plan: rolloutPlans, environment: strategies.environment })
    .from(rolloutPlans)
    .innerJoin(strategies, eq(strategies.id, rolloutPlans.strategy))
    .where(eq(strategies.feature, feature));
  return rows.map(({ plan, environment }) => ({ ...toPlanView(plan), environment }));
}

/**
 * @throws {ApiError} 404 if the strategy is unknown, or has no plan
 */
export async function getPlan(db: Database, address: StrategyAddress): Promise<Plan> {
  await getStrategy(db, address);
  const [plan] = await db.select().from(rolloutPlans).where(eq(rolloutPlans.strategy, address.id));
  if (plan === undefined) throw notFound("The strategy has no rollout plan");
  return plan;
}

/**
 * Sets the plan of a strategy, instead of its previous one, and makes its first step.
 *
 * @throws {ApiError} if the strategy has no percentage, or a step is not larger than the previous one
 */
export async function setPlan(
  transaction: WriteTransaction,
  address: StrategyAddress,
  steps: readonly RolloutStep[],
): Promise<Plan> {
  const { db, actor } = transaction;
  await getActiveFeature(db, address);
  const { name } = await getStrategy(db, address);
  if (name !== "flexibleRollout") {
    throw invalidOperation(
      `Only strategies of type flexibleRollout have rollout plans, and this one has type ${JSON.stringify(name)}`,
    );
  }
  for (const [index, { rollout }] of steps.entries()) {
    const previous = steps[index - 1]?.rollout ?? -1;
    if (rollout <= previous) {
      throw badData(
        `/body/steps/${index}/rollout`,
        "must be larger than that of the previous step",
      );
    }
  }
  const setBy = await toRequester(db, actor);
  await db.delete(rolloutPlans).where(eq(rolloutPlans.strategy, address.id));
  await db
    .insert(rolloutPlans)
    .values({ strategy: address.id, steps, step: 0, state: "waiting", setBy });
  await record(transaction, address, "rollout-plan-set", { steps });
  await enterStep(transaction, address, 0);
  return getPlan(db, address);
}

/** Deletes the plan of a strategy, which keeps its percentage. */
export async function deletePlan(
  transaction: WriteTransaction,
  address: StrategyAddress,
): Promise<void> {
  const { steps, step } = await getPlan(transaction.db, address);
  await transaction.db.delete(rolloutPlans).where(eq(rolloutPlans.strategy, address.id));
  await record(transaction, address, "rollout-plan-deleted", {
    steps,
    ...toStepFields(steps, step),
  });
}

/** Makes a step: sets the percentage, and when the next step comes. */
async function enterStep(
  transaction: WriteTransaction,
  address: StrategyAddress,
  index: number,
): Promise<void> {
  const { db } = transaction;
  const { steps } = await getPlan(db, address);
  const { rollout = 0, holdMinutes = null } = steps[index] ?? {};
  await setRollout(transaction, address, rollout);
  const isLast = index === steps.length - 1;
  await update(db, address, {
    step: index,
    ...(isLast ? toState("completed") : await waitFor(db, holdMinutes)),
  });
  if (isLast) await record(transaction, address, "rollout-plan-completed", { rollout });
}

function toState(state: PlanState) {
  return { state, nextAt: null, reason: null };
}

async function waitFor(db: Database, holdMinutes: number | null) {
  if (holdMinutes === null) return toState("waiting");
  const now = await databaseTime(db);
  return {
    ...toState("running"),
    nextAt: new Date(now.getTime() + holdMinutes * MINUTE_MS),
  };
}

async function update(
  db: Database,
  { id }: StrategyAddress,
  columns: Partial<typeof rolloutPlans.$inferInsert>,
): Promise<void> {
  await db.update(rolloutPlans).set(columns).where(eq(rolloutPlans.strategy, id));
}

async function record(
  transaction: WriteTransaction,
  { id, project, feature, environment }: StrategyAddress,
  type: EventType,
  more: object,
): Promise<void> {
  await transaction.record({
    type,
    project,
    feature,
    environment,
    after: { strategyId: id, ...more },
  });
}

/** What a person does with a plan. */
export type PlanAction = "back" | "pause" | "resume" | "skip";

type Act = (transaction: WriteTransaction, address: StrategyAddress, plan: Plan) => Promise<void>;

const ACTIONS: Readonly<Record<PlanAction, Act>> = {
  pause: async (transaction, address, { steps, step }) => {
    await update(transaction.db, address, toState("paused"));
    await record(transaction, address, "rollout-plan-paused", toStepFields(steps, step));
  },
  resume: async (transaction, address, { step, steps, state }) => {
    if (state === "running") return;
    await record(transaction, address, "rollout-plan-resumed", toStepFields(steps, step));
    const { holdMinutes = null } = steps[step] ?? {};
    // Whoever set the plan, with approvals if they are required, allowed the step after a person continues.
    transaction.approve(Number.POSITIVE_INFINITY);
    if (state === "waiting" || holdMinutes === null) {
      await advance(transaction, address, steps, step + 1);
    } else await update(transaction.db, address, await waitFor(transaction.db, holdMinutes));
  },
  // NOTE: earlier than the plan says, so it requires the approvals of a direct change.
  skip: (transaction, address, { steps, step }) => advance(transaction, address, steps, step + 1),
  back: async (transaction, address, { steps, step }) => {
    if (step === 0) throw invalidOperation("The plan is at its first step");
    transaction.approve(Number.POSITIVE_INFINITY);
    await advance(transaction, address, steps, step - 1);
    await update(transaction.db, address, toState("paused"));
  },
};

async function advance(
  transaction: WriteTransaction,
  address: StrategyAddress,
  steps: Plan["steps"],
  step: number,
): Promise<void> {
  await enterStep(transaction, address, step);
  await record(transaction, address, "rollout-plan-advanced", toStepFields(steps, step));
}

/**
 * Pauses, continues or moves a plan.
 *
 * @throws {ApiError} if the plan has ended, or there is no such step
 */
export async function actOnPlan(
  transaction: WriteTransaction,
  address: StrategyAddress,
  action: PlanAction,
): Promise<Plan> {
  await getActiveFeature(transaction.db, address);
  const plan = await getPlan(transaction.db, address);
  const isOver = plan.state === "stopped" || (plan.state === "completed" && action !== "back");
  if (isOver) throw invalidOperation(`The plan is ${plan.state}: set a new one`);
  await ACTIONS[action](transaction, address, plan);
  return getPlan(transaction.db, address);
}

/** Makes the next step of a plan that is due, unless another replica has, or somebody has moved the plan. */
export async function advanceDuePlan(
  transaction: WriteTransaction,
  strategyId: string,
  now: Date,
): Promise<void> {
  const { db } = transaction;
  const [found] = await db
    .select({ plan: rolloutPlans, strategy: strategies, project: features.project })
    .from(rolloutPlans)
    .innerJoin(strategies, eq(strategies.id, rolloutPlans.strategy))
    .innerJoin(features, eq(features.name, strategies.feature))
    .where(and(eq(rolloutPlans.strategy, strategyId), eq(rolloutPlans.state, "running")));
  if (found === undefined) return;
  const { plan, project } = found;
  if (plan.nextAt === null || plan.nextAt > now) return;
  const { feature, environment } = found.strategy;
  const address = { id: strategyId, project, feature, environment };
  const problem = await findProblem(db, address, plan);
  if (problem === undefined) {
    transaction.approve(Number.POSITIVE_INFINITY);
    await advance(transaction, address, plan.steps, plan.step + 1);
  } else {
    await pauseFor(transaction, address, problem);
  }
}

/** Pauses a plan whose next step cannot be made. */
export async function pauseFor(
  transaction: WriteTransaction,
  address: StrategyAddress,
  reason: string,
): Promise<void> {
  await update(transaction.db, address, { ...toState("paused"), reason });
  const { steps, step } = await getPlan(transaction.db, address);
  const details = { ...toStepFields(steps, step), reason };
  await record(transaction, address, "rollout-plan-paused", details);
}

async function findProblem(
  db: Database,
  address: StrategyAddress,
  { setBy }: Plan,
): Promise<string | undefined> {
  const [feature] = await db.select().from(features).where(eq(features.name, address.feature));
  if (feature?.archivedAt !== null) return "The flag is archived";
  if (!(await getEnabled(db, address))) return `The flag is off in ${address.environment}`;
  const performer = await findPerformer(db, setBy);
  if (performer !== undefined && mayDo(performer, address.project, "editor")) return undefined;
  return `${JSON.stringify(setBy.name)}, who set the plan, may no longer change flags of the project`;
}
