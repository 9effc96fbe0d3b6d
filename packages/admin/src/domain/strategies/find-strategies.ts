import { and, eq } from "drizzle-orm";
import { type Database, groupBy, isOneOf } from "../../storage/database.ts";
import { strategies, strategySegments } from "../../storage/schema/strategies.ts";

export type StrategyRow = typeof strategies.$inferSelect;

/** A strategy and the ids of its segments. */
export type StrategyWithSegments = StrategyRow & { readonly segments: readonly number[] };

/** Where a flag is switched on and off. */
export interface FeatureEnvironmentKey {
  readonly feature: string;
  readonly environment: string;
}

/** In the order in which they are looked at. */
export async function listStrategies(
  db: Database,
  { feature, environment }: FeatureEnvironmentKey,
): Promise<StrategyWithSegments[]> {
  const rows = await db
    .select()
    .from(strategies)
    .where(and(eq(strategies.feature, feature), eq(strategies.environment, environment)))
    .orderBy(strategies.sortOrder, strategies.createdAt, strategies.id);
  return withSegments(db, rows);
}

/** The strategies of several flags in all of their environments. */
export async function listStrategiesOf(
  db: Database,
  features: readonly string[],
): Promise<StrategyWithSegments[]> {
  if (features.length === 0) return [];
  const rows = await db
    .select()
    .from(strategies)
    .where(isOneOf(strategies.feature, features))
    .orderBy(strategies.sortOrder, strategies.createdAt, strategies.id);
  return withSegments(db, rows);
}

export async function findStrategy(
  db: Database,
  id: string,
): Promise<StrategyWithSegments | undefined> {
  const rows = await db.select().from(strategies).where(eq(strategies.id, id));
  const [strategy] = await withSegments(db, rows);
  return strategy;
}

async function withSegments(
  db: Database,
  rows: readonly StrategyRow[],
): Promise<StrategyWithSegments[]> {
  if (rows.length === 0) return [];
  const links = await db
    .select()
    .from(strategySegments)
    .where(
      isOneOf(
        strategySegments.strategy,
        rows.map(({ id }) => id),
      ),
    )
    .orderBy(strategySegments.segment);
  const byStrategy = groupBy(links, (link) => link.strategy);
  return rows.map((row) => ({
    ...row,
    segments: (byStrategy.get(row.id) ?? []).map(({ segment }) => segment),
  }));
}
