import { and, eq, max } from "drizzle-orm";
import type { Database } from "../../storage/database.ts";
import { strategies } from "../../storage/schema/strategies.ts";
import type { FeatureEnvironmentKey } from "./find-strategies.ts";

/** Positions are 32-bit numbers in the database. */
export const MAX_SORT_ORDER = 2 ** 31 - 1;

/** The position behind the last strategy. */
export async function nextSortOrder(
  db: Database,
  { feature, environment }: FeatureEnvironmentKey,
): Promise<number> {
  const [row] = await db
    .select({ last: max(strategies.sortOrder) })
    .from(strategies)
    .where(and(eq(strategies.feature, feature), eq(strategies.environment, environment)));
  return Math.min((row?.last ?? -1) + 1, MAX_SORT_ORDER);
}
