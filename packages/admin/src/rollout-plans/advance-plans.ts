import { and, eq, lte } from "drizzle-orm";
import type { Logger } from "flags-server-kit/neutral";
import { toApiError } from "../http/to-api-error.ts";
import { type Database, databaseTime } from "../storage/database.ts";
import { features } from "../storage/schema/features.ts";
import { rolloutPlans } from "../storage/schema/rollout-plans.ts";
import { strategies } from "../storage/schema/strategies.ts";
import type { Storage } from "../storage/storage.ts";
import { advanceDuePlan, pauseFor } from "./plan.ts";

interface Options {
  readonly storage: Storage;
  readonly logger: Pick<Logger, "warn">;
  /** @default that of the database */
  readonly clock?: ((db: Database) => Promise<Date>) | undefined;
}

/** How many plans one look at the database finds. */
const BATCH = 50;

/**
 * Makes the steps of all plans that are due, each by exactly one replica: changes run one at a time. A plan that is late makes
 * one step, and holds it for as long as it says.
 */
export async function advancePlans(
  { storage, logger, clock = databaseTime }: Options,
  signal?: AbortSignal,
): Promise<number> {
  const now = await clock(storage.db);
  const due = await storage.db
    .select({
      id: rolloutPlans.strategy,
      setBy: rolloutPlans.setBy,
      project: features.project,
      feature: strategies.feature,
      environment: strategies.environment,
    })
    .from(rolloutPlans)
    .innerJoin(strategies, eq(strategies.id, rolloutPlans.strategy))
    .innerJoin(features, eq(features.name, strategies.feature))
    .where(and(eq(rolloutPlans.state, "running"), lte(rolloutPlans.nextAt, now)))
    .orderBy(rolloutPlans.nextAt)
    .limit(BATCH);
  for (const { setBy, ...address } of due) {
    if (signal?.aborted === true) break;
    try {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await storage.write(setBy, (transaction) => advanceDuePlan(transaction, address.id, now));
    } catch (error) {
      const { statusCode, message } = toApiError(error);
      if (statusCode >= 500) {
        logger.warn(`Cannot make the next step of a rollout plan of ${address.feature} yet`, error);
      } else {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await storage.write(setBy, (transaction) => pauseFor(transaction, address, message));
      }
    }
  }
  return due.length;
}
