import { and, eq, inArray, isNull, type SQL } from "drizzle-orm";
import type { ProjectAccess } from "../../access/project-access.ts";
import { findEnvironment } from "../../domain/environments/store.ts";
import { type Feature, toFeatureView } from "../../domain/feature.ts";
import { listSegmentsById } from "../../domain/segments/store.ts";
import { listStrategiesOf, toStrategyView } from "../../domain/strategies/find-strategies.ts";
import { badData, mustExist } from "../../errors.ts";
import { type Database, groupBy, isOneOf, orderByText } from "../../storage/database.ts";
import { features, featureTags } from "../../storage/schema/features.ts";
import { exportFeatures } from "../project-file/export-project.ts";
import { exportReferences } from "../project-file/export-references.ts";
import type { ExportQuery } from "./schemas.ts";

/**
 * Exports one environment of visible, active flags and the definitions that they refer to, in the format of Unleash.
 *
 * @throws {ApiError} if the environment is unknown, or the query selects flags in no or in several ways
 */
export async function exportUnleashFile(db: Database, query: ExportQuery, access: ProjectAccess) {
  const { environment } = query;
  if ((await findEnvironment(db, environment)) === undefined) {
    throw mustExist("/body/environment", "environment", environment);
  }
  const selected = await selectFeatures(db, query, access);
  const names = selected.map(({ name }) => name);
  const strategies = (await listStrategiesOf(db, names)).filter(
    (strategy) => strategy.environment === environment,
  );
  const segments = await listSegmentsById(
    db,
    strategies.flatMap((strategy) => strategy.segments),
  );
  const complete = await exportFeatures(db, selected, { strategies, segments });
  const exported = complete.map((feature) => ({
    ...feature,
    environments: feature.environments?.filter(({ name }) => name === environment) ?? [],
  }));
  const strategiesOf = groupBy(strategies, ({ feature }) => feature);
  const references = await exportReferences(db, { features: exported, segments });
  return {
    features: selected.map((feature) => toFeatureView(feature)),
    featureStrategies: names.flatMap((featureName) =>
      (strategiesOf.get(featureName) ?? []).map((strategy) => ({
        ...toStrategyView(strategy),
        featureName,
      })),
    ),
    featureEnvironments: exported.flatMap(({ name, environments }) =>
      environments.map(({ enabled, variants = [] }) => ({
        name,
        featureName: name,
        environment,
        enabled,
        variants,
      })),
    ),
    contextFields: references.contextFields,
    featureTags: exported.flatMap(({ name, tags = [] }) =>
      tags.map(({ type, value }) => ({ featureName: name, tagType: type, tagValue: value })),
    ),
    segments: segments.map(({ id, name }) => ({ id, name })),
    tagTypes: references.tagTypes,
    dependencies: exported.flatMap(({ name, dependencies = [] }) =>
      dependencies.length === 0 ? [] : [{ feature: name, dependencies }],
    ),
    links: [],
  };
}

function selectFeatures(
  db: Database,
  query: ExportQuery,
  access: ProjectAccess,
): Promise<Feature[]> {
  return db
    .select()
    .from(features)
    .where(
      and(isNull(features.archivedAt), access.isVisible(features.project), toCondition(db, query)),
    )
    .orderBy(orderByText(features.name));
}

function toCondition(db: Database, { features: names, tag, project }: ExportQuery): SQL {
  if ([names, tag, project].filter((value) => value !== undefined).length !== 1) {
    throw badData("/body", "must contain exactly one of features, tag and project");
  }
  if (names !== undefined) return isOneOf(features.name, names);
  if (project !== undefined) return eq(features.project, project);
  const tagged = db
    .select({ name: featureTags.feature })
    .from(featureTags)
    .where(eq(featureTags.value, tag ?? ""));
  return inArray(features.name, tagged);
}
