import { getActiveFeature, type FeatureAddress } from "../features/find-features.ts";
import { isEnabled } from "../features/is-enabled.ts";
import { noSuchEnvironment } from "../features/no-such-environment.ts";
import { notFound } from "../../errors.ts";
import type { Database } from "../../storage/database.ts";
import { findStrategy, type StrategyWithSegments } from "./find-strategies.ts";

/** A flag of a project, in one of its environments. */
export type StrategyPlace = FeatureAddress & { readonly environment: string };

/**
 * @throws {ApiError} when the flag is unknown, archived, or does not live in the environment
 */
export async function requirePlace(db: Database, place: StrategyPlace): Promise<void> {
  await getActiveFeature(db, place);
  if ((await isEnabled(db, place)) === undefined) {
    throw noSuchEnvironment(place.feature, place.environment);
  }
}

/**
 * @throws {ApiError} when the strategy is not one of this flag in this environment: who may change one
 * environment must not reach into another
 */
export async function getStrategyAt(
  db: Database,
  { id, feature, environment }: StrategyPlace & { readonly id: string },
): Promise<StrategyWithSegments> {
  const strategy = await findStrategy(db, id);
  if (strategy?.feature !== feature || strategy.environment !== environment) {
    throw notFound(
      `The feature ${JSON.stringify(feature)} has no strategy ${JSON.stringify(id)} in ${JSON.stringify(environment)}`,
    );
  }
  return strategy;
}
