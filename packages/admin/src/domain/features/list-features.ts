import { eq, sql } from "drizzle-orm";
import { badData } from "../../errors.ts";
import { type Database, groupBy, isOneOf } from "../../storage/database.ts";
import { featureEnvironments } from "../../storage/schema/features.ts";
import { ENVIRONMENT_ORDER, environments } from "../../storage/schema/projects.ts";
import { strategies } from "../../storage/schema/strategies.ts";
import { type Feature, listActiveFeatures, toFeatureView } from "../feature.ts";
import { tagKey, type TagName } from "../tags/store.ts";
import { FEATURE_ENVIRONMENT, listTags } from "./read-feature.ts";

interface FeatureFilter {
  readonly namePrefix: string | undefined;
  /** Flags need at least one of these tags. An empty list matches every flag. */
  readonly tags: readonly TagName[];
}

/**
 * Parses `tag=type:value` parameters.
 *
 * @throws {ApiError} if a parameter is malformed
 */
export function parseTagFilter(parameter: string | readonly string[] | undefined): TagName[] {
  const texts = parameter === undefined ? [] : [parameter].flat();
  return texts.map((text) => {
    const separator = text.indexOf(":");
    if (separator < 1) throw badData("/query/tag", "must have the form `type:value`");
    return { type: text.slice(0, separator), value: text.slice(separator + 1) };
  });
}

/** Lists the active flags of a project, with a summary of their environments and their tags. */
export async function listFeatures(db: Database, project: string, filter: FeatureFilter) {
  const active = await listActiveFeatures(db, project);
  const named = active.filter((feature) => hasPrefix(feature, filter.namePrefix));
  const summaries = await summarize(db, named);
  if (filter.tags.length === 0) return summaries;
  // NOTE: clients can send thousands of tags, so each flag must not be compared with all of them.
  const wanted = new Set(filter.tags.map(tagKey));
  return summaries.filter(({ tags }) => tags.some((tag) => wanted.has(tagKey(tag))));
}

function hasPrefix({ name }: Feature, prefix = ""): boolean {
  return name.toLowerCase().startsWith(prefix.toLowerCase());
}

/** Adds tags and a summary of the environments to flags. */
export async function summarize(db: Database, features: readonly Feature[]) {
  if (features.length === 0) return [];
  const names = features.map(({ name }) => name);
  const environmentsOf = groupBy(await summarizeEnvironments(db, names), (row) => row.feature);
  const tagsOf = groupBy(await listTags(db, names), (row) => row.feature);
  return features.map((feature) => ({
    ...toFeatureView(feature),
    favorite: false,
    environments: (environmentsOf.get(feature.name) ?? []).map(
      ({ feature: _feature, ...environment }) => environment,
    ),
    tags: (tagsOf.get(feature.name) ?? []).map(({ type, value }) => ({ type, value })),
  }));
}

async function summarizeEnvironments(db: Database, names: readonly string[]) {
  const rows = await db
    .select({
      ...FEATURE_ENVIRONMENT,
      variantCount: sql<number>`jsonb_array_length(${featureEnvironments.variants})`,
    })
    .from(featureEnvironments)
    .innerJoin(environments, eq(environments.name, featureEnvironments.environment))
    .where(isOneOf(featureEnvironments.feature, names))
    .orderBy(...ENVIRONMENT_ORDER);
  const strategiesAt = new Map(
    (await countStrategies(db, names)).map((counts) => [
      keyOf(counts.feature, counts.environment),
      counts,
    ]),
  );
  return rows.map((row) => {
    const counts = strategiesAt.get(keyOf(row.feature, row.name));
    return {
      ...row,
      variantCount: row.variantCount + (counts?.variantCount ?? 0),
      hasStrategies: counts !== undefined,
      hasEnabledStrategies: counts?.hasEnabled ?? false,
    };
  });
}

/** Counts in the database, because a project can have tens of thousands of strategies. */
function countStrategies(db: Database, names: readonly string[]) {
  return db
    .select({
      feature: strategies.feature,
      environment: strategies.environment,
      hasEnabled: sql<boolean>`bool_or(not ${strategies.disabled})`,
      variantCount: sql<number>`sum(jsonb_array_length(${strategies.variants}))::int`,
    })
    .from(strategies)
    .where(isOneOf(strategies.feature, names))
    .groupBy(strategies.feature, strategies.environment);
}

function keyOf(feature: string, environment: string): string {
  return JSON.stringify([feature, environment]);
}
