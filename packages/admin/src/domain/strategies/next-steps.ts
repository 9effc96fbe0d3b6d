import { and, eq, inArray, sql } from "drizzle-orm";
import { type Database, isOneOf } from "../../storage/database.ts";
import { rolloutPlans } from "../../storage/schema/rollout-plans.ts";
import { strategies } from "../../storage/schema/strategies.ts";

/** Finds the next steps of the rollout plans of flags that have not ended, the earliest first. */
export function listNextSteps(db: Database, features: readonly string[]) {
  return db
    .select({
      feature: strategies.feature,
      environment: strategies.environment,
      state: rolloutPlans.state,
      rollout: sql<number>`(${rolloutPlans.steps} -> (${rolloutPlans.step} + 1) ->> 'rollout')::int`,
      nextAt: rolloutPlans.nextAt,
    })
    .from(rolloutPlans)
    .innerJoin(strategies, eq(strategies.id, rolloutPlans.strategy))
    .where(
      and(
        inArray(rolloutPlans.state, ["paused", "running", "waiting"]),
        isOneOf(strategies.feature, features),
      ),
    )
    .orderBy(sql`${rolloutPlans.nextAt} nulls last`);
}
