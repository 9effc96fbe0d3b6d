import { and, eq } from "drizzle-orm";
import { notFound, type ApiError } from "../errors.ts";
import type { Database } from "../storage/database.ts";
import type { NewEvent } from "../storage/event.ts";
import { featureEnvironments } from "../storage/schema/features.ts";
import type { StoredFlagVariant } from "../storage/schema/variants.ts";
import type { WriteTransaction } from "../storage/storage.ts";
import { getActiveFeature, type FeatureAddress } from "./feature.ts";

/** Identifies the state of a flag in one environment. */
export interface FeatureEnvironmentKey {
  readonly feature: string;
  readonly environment: string;
}

/** A flag of a project, in one of its environments. */
export type FeatureEnvironmentAddress = FeatureAddress & FeatureEnvironmentKey;

/**
 * @throws {ApiError} if the flag is unknown, archived, or not part of the environment
 */
export async function checkFeatureEnvironment(
  db: Database,
  address: FeatureEnvironmentAddress,
): Promise<void> {
  await getActiveFeature(db, address);
  await getEnabled(db, address);
}

/**
 * Returns whether a flag is on in an environment.
 *
 * @throws {ApiError} if the flag is not part of the environment
 */
export async function getEnabled(db: Database, key: FeatureEnvironmentKey): Promise<boolean> {
  const [row] = await db
    .select({ enabled: featureEnvironments.enabled })
    .from(featureEnvironments)
    .where(isFeatureEnvironment(key));
  if (row === undefined) throw noSuchEnvironment(key);
  return row.enabled;
}

/**
 * Switches a flag on or off, and records an event if that changes anything.
 *
 * @throws {ApiError} if the flag is not part of the environment
 */
export async function setEnabled(
  { db, record }: WriteTransaction,
  { feature, environment, project }: FeatureEnvironmentAddress,
  enabled: boolean,
): Promise<void> {
  const key = { feature, environment };
  if ((await getEnabled(db, key)) === enabled) return;
  await db.update(featureEnvironments).set({ enabled }).where(isFeatureEnvironment(key));
  await record(toSwitchEvent({ ...key, project }, enabled));
}

/** Creates the event for a flag that was switched on or off. */
export function toSwitchEvent(
  { project, feature, environment }: FeatureEnvironmentAddress,
  enabled: boolean,
): NewEvent {
  return {
    type: enabled ? "feature-environment-enabled" : "feature-environment-disabled",
    project,
    feature,
    environment,
    before: { enabled: !enabled },
    after: { enabled },
  };
}

/** Creates the event for a flag whose variants in an environment were replaced. */
export function toVariantsEvent(
  { project, feature, environment }: FeatureEnvironmentAddress,
  before: readonly StoredFlagVariant[],
  after: readonly StoredFlagVariant[],
): NewEvent {
  return {
    type: "feature-environment-variants-updated",
    project,
    feature,
    environment,
    before: { variants: before },
    after: { variants: after },
  };
}

export function noSuchEnvironment({ feature, environment }: FeatureEnvironmentKey): ApiError {
  return notFound(
    `The flag ${JSON.stringify(feature)} has no environment ${JSON.stringify(environment)}`,
  );
}

/** Condition: the row is the state of this flag in this environment. */
export function isFeatureEnvironment({ feature, environment }: FeatureEnvironmentKey) {
  return and(
    eq(featureEnvironments.feature, feature),
    eq(featureEnvironments.environment, environment),
  );
}
