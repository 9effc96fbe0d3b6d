import { and, eq } from "drizzle-orm";
import { notFound, type ApiError } from "../errors.ts";
import type { Database } from "../storage/database.ts";
import type { NewEvent } from "../storage/events.ts";
import type { StoredFlagVariant } from "../storage/schema/json-values.ts";
import { featureEnvironments } from "../storage/schema/features.ts";
import type { WriteTransaction } from "../storage/storage.ts";
import { getEnvironment } from "./environments/store.ts";
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
export async function getEnabled(
  db: Database,
  address: FeatureEnvironmentAddress,
): Promise<boolean> {
  const [row] = await db
    .select({ enabled: featureEnvironments.enabled })
    .from(featureEnvironments)
    .where(isFeatureEnvironment(address));
  if (row === undefined) throw await noSuchEnvironment(db, address);
  return row.enabled;
}

/**
 * Turns a flag off, and records an event if it was on.
 *
 * @throws {ApiError} if the flag is not part of the environment
 */
export async function turnOff(
  { db, record }: WriteTransaction,
  address: FeatureEnvironmentAddress,
): Promise<void> {
  if (!(await getEnabled(db, address))) return;
  await db.update(featureEnvironments).set({ enabled: false }).where(isFeatureEnvironment(address));
  await record(toSwitchEvent(address, false));
}

/** Creates the event for a flag that was turned on or off. */
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

/** Creates a 404 for a flag without state in an environment: flags have one in each environment of their project. */
export async function noSuchEnvironment(
  db: Database,
  address: FeatureEnvironmentAddress,
): Promise<ApiError> {
  await getEnvironment(db, address.environment);
  return notInProject(address);
}

export function notInProject({
  project,
  environment,
}: Pick<FeatureEnvironmentAddress, "environment" | "project">): ApiError {
  return notFound(
    `The project ${JSON.stringify(project)} does not contain the environment ${JSON.stringify(environment)}: add it in the project settings, or with POST /api/admin/projects/${project}/environments`,
  );
}

/** Condition: the row is the state of this flag in this environment. */
export function isFeatureEnvironment({ feature, environment }: FeatureEnvironmentKey) {
  return and(
    eq(featureEnvironments.feature, feature),
    eq(featureEnvironments.environment, environment),
  );
}
