import { eq } from "drizzle-orm";
import { notFound } from "../../errors.ts";
import { type Database, groupBy, isOneOf, orderByText } from "../../storage/database.ts";
import { ENVIRONMENT_ORDER, environments } from "../../storage/schema/projects.ts";
import { dependencies, featureEnvironments, featureTags } from "../../storage/schema/features.ts";
import { findFavoriteFeatures } from "../favorites.ts";
import { getEnabled, type FeatureEnvironmentAddress } from "../feature-environment.ts";
import { getFeature, toFeatureView, type FeatureAddress } from "../feature.ts";
import { toProjectLinks } from "../projects/link-templates.ts";
import { getProject } from "../projects/store.ts";
import { readLifecycles } from "../lifecycle/read-lifecycles.ts";
import { listLinks } from "../links/store.ts";
import {
  listStrategies,
  listStrategiesOf,
  toStrategyView,
  type StrategyView,
} from "../strategies/find-strategies.ts";

interface ReadOptions {
  /** Whether to read an archived flag too. @default false */
  readonly includesArchived?: boolean;
  /** Whose favorites are marked. @default nobody's */
  readonly userId?: number | undefined;
}

/**
 * Reads a flag with its environments, strategies, dependencies, tags and links.
 *
 * @throws {ApiError} if the flag is unknown, or archived and not included
 */
export async function readFeature(
  db: Database,
  address: FeatureAddress,
  { includesArchived = false, userId }: ReadOptions = {},
) {
  const feature = await getFeature(db, address);
  if (feature.archivedAt !== null && !includesArchived) {
    throw notFound(`The flag ${JSON.stringify(feature.name)} is archived`);
  }
  const { linkTemplates } = await getProject(db, feature.project);
  const lifecycleOf = await readLifecycles(db, [feature.name]);
  return {
    ...toFeatureView(feature),
    ...lifecycleOf(feature.name),
    projectLinks: toProjectLinks(linkTemplates, {
      project: feature.project,
      feature: feature.name,
    }),
    favorite: (await findFavoriteFeatures(db, userId, [feature.name])).has(feature.name),
    environments: await readEnvironments(db, feature.name),
    dependencies: await readParents(db, feature.name),
    children: await readChildren(db, feature.name),
    tags: (await listTags(db, [feature.name])).map(({ type, value }) => ({ type, value })),
    links: await listLinks(db, feature.name),
  };
}

async function readEnvironments(db: Database, feature: string) {
  const rows = await listFeatureEnvironments(db, [feature]);
  const strategies = groupBy(await listStrategiesOf(db, [feature]), (row) => row.environment);
  return rows.map(({ feature: _feature, ...environment }) => ({
    ...environment,
    strategies: (strategies.get(environment.name) ?? []).map(toStrategyView),
  }));
}

/** Columns that describe the state of a flag in one environment. */
export const FEATURE_ENVIRONMENT = {
  feature: featureEnvironments.feature,
  name: environments.name,
  type: environments.type,
  enabled: featureEnvironments.enabled,
  sortOrder: environments.sortOrder,
  lastSeenAt: featureEnvironments.lastSeenAt,
} as const;

/** Lists the environments of flags and whether the flags are on there, in environment order. */
export function listFeatureEnvironments(db: Database, names: readonly string[]) {
  return db
    .select({ ...FEATURE_ENVIRONMENT, variants: featureEnvironments.variants })
    .from(featureEnvironments)
    .innerJoin(environments, eq(environments.name, featureEnvironments.environment))
    .where(isOneOf(featureEnvironments.feature, names))
    .orderBy(...ENVIRONMENT_ORDER);
}

function readParents(db: Database, child: string) {
  return db
    .select({
      feature: dependencies.parent,
      enabled: dependencies.enabled,
      variants: dependencies.variants,
    })
    .from(dependencies)
    .where(eq(dependencies.child, child));
}

async function readChildren(db: Database, parent: string): Promise<string[]> {
  const rows = await db
    .select({ child: dependencies.child })
    .from(dependencies)
    .where(eq(dependencies.parent, parent))
    .orderBy(orderByText(dependencies.child));
  return rows.map(({ child }) => child);
}

/** Lists the tags of flags, by type and value. */
export function listTags(db: Database, names: readonly string[]) {
  return db
    .select()
    .from(featureTags)
    .where(isOneOf(featureTags.feature, names))
    .orderBy(orderByText(featureTags.type), orderByText(featureTags.value));
}

/** A flag in one environment. */
interface FeatureEnvironmentView {
  readonly name: string;
  readonly environment: string;
  readonly enabled: boolean;
  readonly strategies: readonly StrategyView[];
}

/**
 * @throws {ApiError} if the flag is unknown or not part of the environment
 */
export async function readFeatureEnvironment(
  db: Database,
  address: FeatureEnvironmentAddress,
): Promise<FeatureEnvironmentView> {
  const { name } = await getFeature(db, address);
  const enabled = await getEnabled(db, address);
  const strategies = await listStrategies(db, address);
  return {
    name,
    environment: address.environment,
    enabled,
    strategies: strategies.map(toStrategyView),
  };
}
