import { and, eq, max, type SQL } from "drizzle-orm";
import { notFound } from "../../errors.ts";
import { type Database, groupBy, isOneOf } from "../../storage/database.ts";
import { events } from "../../storage/schema/events.ts";
import type { StoredConstraint, StoredVariant } from "../../storage/schema/json-values.ts";
import { strategies, STRATEGY_ORDER, strategySegments } from "../../storage/schema/strategies.ts";
import type { EditedResource } from "../conditional-change.ts";
import type { FeatureEnvironmentAddress, FeatureEnvironmentKey } from "../feature-environment.ts";
import { getFeature } from "../feature.ts";
import { MAX_SORT_ORDER } from "./schemas.ts";

/** A strategy with the ids of its segments. */
export type Strategy = typeof strategies.$inferSelect & { readonly segments: readonly number[] };

/** A strategy as responses and events show it. */
export interface StrategyView {
  readonly id: string;
  readonly name: string;
  readonly title: string | null;
  readonly disabled: boolean;
  readonly constraints: readonly StoredConstraint[];
  readonly parameters: Readonly<Record<string, string>>;
  readonly variants: readonly StoredVariant[];
  readonly segments: readonly number[];
  readonly sortOrder: number;
}

export function toStrategyView(strategy: Strategy): StrategyView {
  const { id, name, title, disabled, sortOrder } = strategy;
  const { constraints, parameters, variants, segments } = strategy;
  return { id, name, title, disabled, constraints, parameters, variants, segments, sortOrder };
}

/** Identifies a strategy in a request. */
export type StrategyAddress = FeatureEnvironmentAddress & { readonly id: string };

/** Lists the strategies of a flag in one environment, in evaluation order. */
export function listStrategies(db: Database, key: FeatureEnvironmentKey): Promise<Strategy[]> {
  return selectStrategies(db, isIn(key));
}

/** Lists the strategies of several flags in all environments, in evaluation order. */
export async function listStrategiesOf(
  db: Database,
  features: readonly string[],
): Promise<Strategy[]> {
  return features.length === 0 ? [] : selectStrategies(db, isOneOf(strategies.feature, features));
}

/** Lists the strategies of several flags in one environment, in evaluation order. */
export async function listStrategiesIn(
  db: Database,
  environment: string,
  features: readonly string[],
): Promise<Strategy[]> {
  return features.length === 0 ? [] : selectStrategies(db, isOneOfIn(environment, features));
}

/** Returns the flags among `features` that have an enabled strategy in an environment. */
export async function listWithEnabledStrategy(
  db: Database,
  environment: string,
  features: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectDistinct({ feature: strategies.feature })
    .from(strategies)
    .where(and(isOneOfIn(environment, features), eq(strategies.disabled, false)));
  return new Set(rows.map(({ feature }) => feature));
}

function isOneOfIn(environment: string, features: readonly string[]): SQL | undefined {
  return and(eq(strategies.environment, environment), isOneOf(strategies.feature, features));
}

export async function findStrategy(db: Database, id: string): Promise<Strategy | undefined> {
  const [strategy] = await selectStrategies(db, eq(strategies.id, id));
  return strategy;
}

/**
 * @throws {ApiError} if the strategy does not belong to this flag and environment. This keeps
 *   requests for one environment from changing another one
 */
export async function getStrategy(
  db: Database,
  { id, feature, environment }: StrategyAddress,
): Promise<Strategy> {
  const strategy = await findStrategy(db, id);
  if (strategy?.feature !== feature || strategy.environment !== environment) {
    throw notFound(
      `The flag ${JSON.stringify(feature)} has no strategy ${JSON.stringify(id)} in ${JSON.stringify(environment)}`,
    );
  }
  return strategy;
}

/** Describes a strategy for `writeIfMatch()`. */
export function editedStrategy(address: StrategyAddress): EditedResource<StrategyView> {
  const { feature, id } = address;
  return {
    label: "The strategy",
    readView: async (db) => {
      await getFeature(db, address);
      return toStrategyView(await getStrategy(db, address));
    },
    changes: {
      types: ["feature-strategy-add", "feature-strategy-update", "strategy-order-changed"],
      where: eq(events.featureName, feature),
      containing: [{ id }, { strategyIds: [id] }],
    },
  };
}

async function selectStrategies(db: Database, condition: SQL | undefined): Promise<Strategy[]> {
  const rows = await db
    .select()
    .from(strategies)
    .where(condition)
    .orderBy(...STRATEGY_ORDER);
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const links = await db
    .select()
    .from(strategySegments)
    .where(isOneOf(strategySegments.strategy, ids))
    .orderBy(strategySegments.segment);
  const byStrategy = groupBy(links, (link) => link.strategy);
  return rows.map((row) => ({
    ...row,
    segments: (byStrategy.get(row.id) ?? []).map(({ segment }) => segment),
  }));
}

/** Returns the sort order after the last strategy of a flag in one environment. */
export async function nextSortOrder(db: Database, key: FeatureEnvironmentKey): Promise<number> {
  const [row] = await db
    .select({ last: max(strategies.sortOrder) })
    .from(strategies)
    .where(isIn(key));
  return sortOrderAfter(row?.last);
}

/** Returns the sort order after one that exists. */
export function sortOrderAfter(last: number | null | undefined): number {
  return Math.min((last ?? -1) + 1, MAX_SORT_ORDER);
}

function isIn({ feature, environment }: FeatureEnvironmentKey): SQL | undefined {
  return and(eq(strategies.feature, feature), eq(strategies.environment, environment));
}
