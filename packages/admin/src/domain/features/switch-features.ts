import { and, eq } from "drizzle-orm";
import { batchesOf, type Database, groupBy, isOneOf } from "../../storage/database.ts";
import type { NewEvent } from "../../storage/events.ts";
import { featureEnvironments } from "../../storage/schema/features.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import type { ProjectEnvironment } from "../default-strategies.ts";
import { noSuchEnvironment, toSwitchEvent } from "../feature-environment.ts";
import { checkActive, findFeatures } from "../feature.ts";
import { listStrategiesIn, listWithEnabledStrategy } from "../strategies/find-strategies.ts";
import { addDefaultStrategies, enableStrategies } from "../strategies/write-strategies.ts";

interface SwitchOptions {
  readonly enabled: boolean;
  /** Enables disabled strategies, if there are no others, instead of adding a default strategy. */
  readonly activatesDisabledStrategies: boolean;
}

/**
 * Turns flags on or off in one environment: all of them or none. A flag that is on has at least one enabled
 * strategy. The number of statements depends on the number of flags only through the size of batches.
 *
 * @param names distinct names of flags
 * @throws {ApiError} if a flag is unknown, archived, or not part of the environment
 */
export async function switchFeatures(
  { db, record }: WriteTransaction,
  at: ProjectEnvironment,
  names: readonly string[],
  { enabled, activatesDisabledStrategies }: SwitchOptions,
): Promise<void> {
  const states = await readStates(db, at, names);
  const strategyEvents = enabled
    ? await ensureEnabledStrategies(db, at, names, activatesDisabledStrategies)
    : [];
  const changing = new Set(names.filter((name) => states.get(name) !== enabled));
  await db
    .update(featureEnvironments)
    .set({ enabled })
    .where(isStateIn(at, [...changing]));
  const eventsOf = groupBy(strategyEvents, ({ feature }) => feature);
  const events = names.flatMap((feature) => [
    ...(eventsOf.get(feature) ?? []),
    ...(changing.has(feature) ? [toSwitchEvent({ ...at, feature }, enabled)] : []),
  ]);
  for (const batch of batchesOf(events)) await record(...batch);
}

/** Reads whether flags are on, by name. */
async function readStates(
  db: Database,
  at: ProjectEnvironment,
  names: readonly string[],
): Promise<ReadonlyMap<string, boolean>> {
  const features = new Map((await findFeatures(db, names)).map((one) => [one.name, one]));
  const rows = await db
    .select({ feature: featureEnvironments.feature, enabled: featureEnvironments.enabled })
    .from(featureEnvironments)
    .where(isStateIn(at, names));
  const states = new Map(rows.map(({ feature, enabled }) => [feature, enabled]));
  for (const feature of names) {
    checkActive(features.get(feature), { ...at, feature });
    // oxlint-disable-next-line no-await-in-loop -- only for the first one
    if (!states.has(feature)) throw await noSuchEnvironment(db, { ...at, feature });
  }
  return states;
}

function isStateIn({ environment }: ProjectEnvironment, names: readonly string[]) {
  return and(
    eq(featureEnvironments.environment, environment),
    isOneOf(featureEnvironments.feature, names),
  );
}

/** Returns the events of the strategies that were added or enabled. */
async function ensureEnabledStrategies(
  db: Database,
  at: ProjectEnvironment,
  names: readonly string[],
  activatesDisabled: boolean,
): Promise<readonly NewEvent[]> {
  const ready = await listWithEnabledStrategy(db, at.environment, names);
  const others = names.filter((name) => !ready.has(name));
  if (others.length === 0) return [];
  const disabled = await listStrategiesIn(db, at.environment, others);
  const byFeature = groupBy(disabled, ({ feature }) => feature);
  const toActivate = activatesDisabled ? disabled : [];
  const toExtend = others.filter((name) => !activatesDisabled || !byFeature.has(name));
  return [
    ...(await enableStrategies(db, at.project, toActivate)),
    ...(await addDefaultStrategies(db, at, toExtend, byFeature)),
  ];
}
