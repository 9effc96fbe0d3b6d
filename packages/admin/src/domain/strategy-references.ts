import { sql } from "drizzle-orm";
import { orderByText } from "../storage/database.ts";
import { features } from "../storage/schema/features.ts";
import { strategies, STRATEGY_ORDER } from "../storage/schema/strategies.ts";

/** Columns that describe a strategy which refers to a segment or context field. */
export const STRATEGY_REFERENCE = {
  id: strategies.id,
  projectId: features.project,
  featureName: strategies.feature,
  strategyName: strategies.name,
  environment: strategies.environment,
} as const;

export const STRATEGY_REFERENCE_ORDER = [
  orderByText(strategies.feature),
  orderByText(strategies.environment),
  ...STRATEGY_ORDER,
] as const;

/** How many active flags refer to something, and how many projects these flags belong to. */
export interface ReferenceCount {
  readonly usedInFeatures: number;
  readonly usedInProjects: number;
}

/** Columns that compute a `ReferenceCount`. */
export const REFERENCE_COUNT = {
  usedInFeatures: sql<number>`count(distinct ${features.name})::int`,
  usedInProjects: sql<number>`count(distinct ${features.project})::int`,
} as const;

export const UNUSED: ReferenceCount = { usedInFeatures: 0, usedInProjects: 0 };
