import { eq } from "drizzle-orm";
import { badData } from "../../errors.ts";
import type { Database } from "../../storage/database.ts";
import { strategies } from "../../storage/schema/strategies.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { listStrategies } from "./find-strategies.ts";
import { requirePlace, type StrategyPlace } from "./place.ts";
import type { StrategyOrder } from "./schemas.ts";

/** Gives strategies of one flag in one environment their positions. */
export async function orderStrategies(
  { db, record }: WriteTransaction,
  place: StrategyPlace,
  order: StrategyOrder,
): Promise<void> {
  await requirePlace(db, place);
  const before = await listIds(db, place);
  for (const [index, { id, sortOrder }] of order.entries()) {
    if (!before.includes(id))
      throw badData(`/body/${index}/id`, "is not a strategy of the feature here");
    await db.update(strategies).set({ sortOrder }).where(eq(strategies.id, id));
  }
  const after = await listIds(db, place);
  await record({
    type: "strategy-order-changed",
    ...place,
    before: { strategyIds: before },
    after: { strategyIds: after },
  });
}

async function listIds(db: Database, place: StrategyPlace): Promise<string[]> {
  return (await listStrategies(db, place)).map(({ id }) => id);
}
