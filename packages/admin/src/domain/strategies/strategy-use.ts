import { sql } from "drizzle-orm";
import { features } from "../../storage/schema/features.ts";
import { strategies } from "../../storage/schema/strategies.ts";

/** Columns that tell of a strategy which uses something. */
export const STRATEGY_USE = {
  id: strategies.id,
  projectId: features.project,
  featureName: strategies.feature,
  strategyName: strategies.name,
  environment: strategies.environment,
} as const;

/** The order in which strategies are told of. */
export const STRATEGY_USE_ORDER = [
  strategies.feature,
  strategies.environment,
  strategies.sortOrder,
  strategies.id,
] as const;

/** How much something is used by active flags. */
export interface UseCount {
  readonly usedInFeatures: number;
  readonly usedInProjects: number;
}

/** Columns that count what uses something. */
export const USE_COUNT = {
  usedInFeatures: sql<number>`count(distinct ${features.name})::int`,
  usedInProjects: sql<number>`count(distinct ${features.project})::int`,
} as const;

export const UNUSED: UseCount = { usedInFeatures: 0, usedInProjects: 0 };
