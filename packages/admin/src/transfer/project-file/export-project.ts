import { and, eq, inArray } from "drizzle-orm";
import { type Feature, listActiveFeatures } from "../../domain/feature.ts";
import { listFeatureEnvironments } from "../../domain/features/read-feature.ts";
import { readSnoozes, type StaleSnooze } from "../../domain/lifecycle/snooze.ts";
import { readDefaultStrategies } from "../../domain/default-strategies.ts";
import { getActiveProject } from "../../domain/projects/store.ts";
import { listSegmentsById, type Segment } from "../../domain/segments/store.ts";
import { listStrategiesOf, type Strategy } from "../../domain/strategies/find-strategies.ts";
import { type Database, groupBy, orderByText } from "../../storage/database.ts";
import type { StoredDefaultStrategy, StoredFlagVariant } from "../../storage/schema/json-values.ts";
import { dependencies, featureTags, tags } from "../../storage/schema/features.ts";
import { exportReferences, toConstraintsInFile } from "./export-references.ts";
import { environmentKey } from "./import-target.ts";
import type { FeatureInFile, ProjectFileContent, StrategyInFile } from "./schemas.ts";

/**
 * Exports the active flags and the default strategies of a project, and the definitions that they refer to.
 *
 * @throws {ApiError} if the project is unknown or archived
 */
export async function exportProject(db: Database, project: string): Promise<ProjectFileContent> {
  await getActiveProject(db, project);
  const features = await listActiveFeatures(db, project);
  const strategies = await listStrategiesOf(
    db,
    features.map(({ name }) => name),
  );
  const defaults = [...(await readDefaultStrategies(db, project))];
  const segments = await listSegmentsById(db, [
    ...strategies.flatMap((strategy) => strategy.segments),
    ...defaults.flatMap(([, strategy]) => strategy.segments),
  ]);
  const segmentNames = toNames(segments);
  const defaultStrategies = defaults.map(([environment, strategy]) => ({
    environment,
    ...toDefinitionInFile(strategy, segmentNames),
  }));
  const exported = await exportFeatures(db, features, { strategies, segments });
  return {
    version: 1,
    project,
    ...(await exportReferences(db, { features: exported, defaultStrategies, segments })),
    ...(defaultStrategies.length > 0 && { defaultStrategies }),
    features: exported,
  };
}

interface FeatureContext {
  readonly strategies: readonly Strategy[];
  /** The segments of the strategies. */
  readonly segments: readonly Segment[];
}

/** Exports flags with their parts. */
export async function exportFeatures(
  db: Database,
  features: readonly Feature[],
  { strategies, segments }: FeatureContext,
): Promise<FeatureInFile[]> {
  const names = features.map(({ name }) => name);
  if (names.length === 0) return [];
  const segmentNames = toNames(segments);
  const strategiesAt = groupBy(strategies, (row) => environmentKey(row.feature, row.environment));
  const environmentsOf = groupBy(await listFeatureEnvironments(db, names), (row) => row.feature);
  const tagsOf = groupBy(await listTags(db, names), (row) => row.feature);
  const parentsOf = groupBy(
    await db.select().from(dependencies).where(inArray(dependencies.child, names)),
    (row) => row.child,
  );
  const snoozes = await readSnoozes(db, names);
  return features.map(({ name, type, description, stale, impressionData }) => ({
    name,
    type,
    description,
    stale,
    staleSnooze: toSnoozeInFile(snoozes.get(name)),
    impressionData,
    tags: (tagsOf.get(name) ?? []).map(({ feature: _feature, ...tag }) => tag),
    dependencies: (parentsOf.get(name) ?? []).map(({ parent, enabled, variants }) => ({
      feature: parent,
      enabled,
      variants: [...variants],
    })),
    environments: (environmentsOf.get(name) ?? []).map((environment) => ({
      name: environment.name,
      enabled: environment.enabled,
      strategies: (strategiesAt.get(environmentKey(name, environment.name)) ?? []).map((strategy) =>
        toStrategyInFile(strategy, segmentNames),
      ),
      variants: environment.variants.map(toVariantInFile),
    })),
  }));
}

function toSnoozeInFile(snooze: StaleSnooze | undefined) {
  if (snooze === undefined) return null;
  return "until" in snooze ? { until: snooze.until.toISOString() } : snooze;
}

function toNames(segments: readonly Segment[]): ReadonlyMap<number, string> {
  return new Map(segments.map(({ id, name }) => [id, name]));
}

function toVariantInFile({ overrides, ...variant }: StoredFlagVariant) {
  return {
    ...variant,
    ...(overrides !== undefined && {
      overrides: overrides.map(({ contextName, values }) => ({ contextName, values: [...values] })),
    }),
  };
}

function listTags(db: Database, names: readonly string[]) {
  return db
    .select({
      feature: featureTags.feature,
      type: tags.type,
      value: tags.value,
      color: tags.color,
    })
    .from(featureTags)
    .innerJoin(tags, and(eq(tags.type, featureTags.type), eq(tags.value, featureTags.value)))
    .where(inArray(featureTags.feature, [...names]))
    .orderBy(orderByText(tags.type), orderByText(tags.value));
}

function toStrategyInFile(
  strategy: Strategy,
  segmentNames: ReadonlyMap<number, string>,
): StrategyInFile {
  return { ...toDefinitionInFile(strategy, segmentNames), disabled: strategy.disabled };
}

function toDefinitionInFile(
  { name, title, parameters, constraints, variants, segments }: StoredDefaultStrategy,
  segmentNames: ReadonlyMap<number, string>,
) {
  return {
    name,
    title,
    parameters,
    constraints: toConstraintsInFile(constraints),
    variants: [...variants],
    segments: segments.map((id) => segmentNames.get(id) ?? String(id)),
  };
}
