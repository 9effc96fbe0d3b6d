import { and, eq, notInArray } from "drizzle-orm";
import { type RolloutStep, rolloutPlans } from "../../storage/schema/rollout-plans.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import type { StrategyAddress } from "./find-strategies.ts";

/** Stops the rollout plan of a strategy that somebody has edited: the plan no longer knows what is best. */
export async function stopPlan(
  { db, record }: WriteTransaction,
  { id, project, feature, environment }: StrategyAddress,
): Promise<void> {
  const [stopped] = await db
    .update(rolloutPlans)
    .set({ state: "stopped", nextAt: null, reason: "Somebody has edited the strategy" })
    .where(
      and(eq(rolloutPlans.strategy, id), notInArray(rolloutPlans.state, ["completed", "stopped"])),
    )
    .returning();
  if (stopped === undefined) return;
  await record({
    type: "rollout-plan-stopped",
    project,
    feature,
    environment,
    after: {
      strategyId: id,
      ...toStepFields(stopped.steps, stopped.step),
      reason: stopped.reason,
    },
  });
}

/** What events record of the step that a plan is at, so that their words need no other event. */
export function toStepFields(steps: readonly RolloutStep[], step: number) {
  return { step, stepCount: steps.length, rollout: steps[step]?.rollout };
}
