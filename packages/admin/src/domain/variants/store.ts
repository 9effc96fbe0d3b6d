import { and, eq } from "drizzle-orm";
import { compilePatch, type PatchOperation } from "../../http/json-patch.ts";
import type { Database } from "../../storage/database.ts";
import { events } from "../../storage/schema/events.ts";
import type { StoredFlagVariant } from "../../storage/schema/json-values.ts";
import { featureEnvironments } from "../../storage/schema/features.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import type { EditedResource } from "../conditional-change.ts";
import { checkEnvironmentSize, isLarger } from "../environment-size.ts";
import {
  checkFeatureEnvironment,
  type FeatureEnvironmentAddress,
  isFeatureEnvironment,
  noSuchEnvironment,
  toVariantsEvent,
} from "../feature-environment.ts";
import { type FeatureAddress, getActiveFeature, getFeature } from "../feature.ts";
import { checkFlagVariants } from "./check-variants.ts";
import { type FlagVariantInput, FlagVariantsBody, type VariantsBatch } from "./schemas.ts";

type Variants = readonly StoredFlagVariant[];

/**
 * Reads the variants of a flag, archived or not, in an environment.
 *
 * @throws {ApiError} if the flag is unknown or not part of the environment
 */
async function readVariants(db: Database, address: FeatureEnvironmentAddress): Promise<Variants> {
  await getFeature(db, address);
  return findVariants(db, address);
}

/** Describes the variants of a flag in an environment for `writeIfMatch()`. */
export function editedVariants(address: FeatureEnvironmentAddress): EditedResource {
  const { feature, environment } = address;
  return {
    label: "The list of variants",
    readView: async (db) => toVariantList(await readVariants(db, address)),
    changes: {
      types: ["feature-environment-variants-updated"],
      where: and(eq(events.featureName, feature), eq(events.environment, environment)),
    },
  };
}

/** Converts variants to the form of responses. */
export function toVariantList(variants: Variants) {
  return { version: 1, variants };
}

/**
 * Replaces the variants of a flag in an environment.
 *
 * @throws {ApiError} if the flag is unknown, archived or not part of the environment, or a variant is
 *   invalid
 */
export async function replaceVariants(
  transaction: WriteTransaction,
  address: FeatureEnvironmentAddress,
  variants: readonly FlagVariantInput[],
): Promise<Variants> {
  await checkFeatureEnvironment(transaction.db, address);
  return replace(transaction, address, checkFlagVariants(variants, "/body"));
}

const applyPatch = compilePatch(FlagVariantsBody);

/** Applies a JSON Patch (RFC 6902) to the variants of a flag in an environment. */
export async function patchVariants(
  transaction: WriteTransaction,
  address: FeatureEnvironmentAddress,
  patch: readonly PatchOperation[],
): Promise<Variants> {
  await checkFeatureEnvironment(transaction.db, address);
  const before = await findVariants(transaction.db, address);
  const patched = applyPatch(before, patch);
  return replace(transaction, address, checkFlagVariants(patched, "/patched"));
}

/**
 * Replaces the variants of a flag in several environments: in all of them, or none.
 *
 * @throws {ApiError} if the flag is unknown or archived, or one of the environments or variants is invalid
 */
export async function replaceVariantsIn(
  transaction: WriteTransaction,
  address: FeatureAddress,
  { environments, variants }: VariantsBatch,
): Promise<Variants> {
  await getActiveFeature(transaction.db, address);
  const checked = checkFlagVariants(variants, "/body/variants");
  for (const environment of new Set(environments)) {
    await replace(transaction, { ...address, environment }, checked);
  }
  return checked;
}

async function findVariants(db: Database, address: FeatureEnvironmentAddress): Promise<Variants> {
  const [row] = await db
    .select({ variants: featureEnvironments.variants })
    .from(featureEnvironments)
    .where(isFeatureEnvironment(address));
  if (row === undefined) throw await noSuchEnvironment(db, address);
  return row.variants;
}

async function replace(
  { db, record }: WriteTransaction,
  address: FeatureEnvironmentAddress,
  variants: Variants,
): Promise<Variants> {
  const before = await findVariants(db, address);
  await db.update(featureEnvironments).set({ variants }).where(isFeatureEnvironment(address));
  if (isLarger(variants, before)) await checkEnvironmentSize(db, address.environment);
  await record(toVariantsEvent(address, before, variants));
  return findVariants(db, address);
}
