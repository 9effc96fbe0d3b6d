import { eq, inArray } from "drizzle-orm";
import { notFound } from "../../errors.ts";
import { type Database, groupBy } from "../../storage/database.ts";
import { environments } from "../../storage/schema/environments.ts";
import { dependencies, featureEnvironments } from "../../storage/schema/features.ts";
import { featureTags } from "../../storage/schema/tags.ts";
import { listStrategies, listStrategiesOf } from "../strategies/find-strategies.ts";
import { type StrategyView, toStrategyView } from "../strategies/strategy-view.ts";
import { toFeatureView } from "./feature-view.ts";
import { type FeatureAddress, getFeature } from "./find-features.ts";
import { noSuchEnvironment } from "./no-such-environment.ts";

/** A flag with all it has. Archived flags are not shown. */
export async function readFeature(db: Database, address: FeatureAddress) {
  const feature = await getFeature(db, address);
  if (feature.archivedAt !== null) {
    throw notFound(`The feature ${JSON.stringify(feature.name)} is archived`);
  }
  return {
    ...toFeatureView(feature),
    favorite: false,
    environments: await readEnvironments(db, feature.name),
    dependencies: await readParents(db, feature.name),
    children: await readChildren(db, feature.name),
    tags: await readTags(db, feature.name),
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

/** Where flags live and whether they are on there, in the order of the environments. */
export function listFeatureEnvironments(db: Database, names: readonly string[]) {
  return db
    .select({
      feature: featureEnvironments.feature,
      name: environments.name,
      type: environments.type,
      enabled: featureEnvironments.enabled,
      sortOrder: environments.sortOrder,
      lastSeenAt: featureEnvironments.lastSeenAt,
    })
    .from(featureEnvironments)
    .innerJoin(environments, eq(environments.name, featureEnvironments.environment))
    .where(inArray(featureEnvironments.feature, [...names]))
    .orderBy(environments.sortOrder, environments.createdAt, environments.name);
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
    .orderBy(dependencies.child);
  return rows.map(({ child }) => child);
}

function readTags(db: Database, feature: string) {
  return db
    .select({ type: featureTags.type, value: featureTags.value })
    .from(featureTags)
    .where(eq(featureTags.feature, feature))
    .orderBy(featureTags.type, featureTags.value);
}

/** What a flag is in one environment. */
export interface FeatureEnvironmentView {
  readonly name: string;
  readonly environment: string;
  readonly enabled: boolean;
  readonly strategies: readonly StrategyView[];
}

export async function readFeatureEnvironment(
  db: Database,
  { environment, ...address }: FeatureAddress & { readonly environment: string },
): Promise<FeatureEnvironmentView> {
  const feature = await getFeature(db, address);
  const rows = await listFeatureEnvironments(db, [feature.name]);
  const found = rows.find(({ name }) => name === environment);
  if (found === undefined) throw noSuchEnvironment(feature.name, environment);
  const strategies = await listStrategies(db, { feature: feature.name, environment });
  return {
    name: feature.name,
    environment,
    enabled: found.enabled,
    strategies: strategies.map(toStrategyView),
  };
}
