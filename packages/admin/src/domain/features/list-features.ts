import { eq, inArray, sql } from "drizzle-orm";
import { findStrategyType, STRATEGY_TYPES, toPercentage } from "flags-engine";
import { badData } from "../../errors.ts";
import { type Database, groupBy, isOneOf } from "../../storage/database.ts";
import { featureEnvironments } from "../../storage/schema/features.ts";
import { ENVIRONMENT_ORDER, environments } from "../../storage/schema/projects.ts";
import { strategies, strategySegments } from "../../storage/schema/strategies.ts";
import { findFavoriteFeatures } from "../favorites.ts";
import { type Feature, listActiveFeatures, toFeatureView } from "../feature.ts";
import { readLifecycles } from "../lifecycle/read-lifecycles.ts";
import { listNextSteps } from "../strategies/next-steps.ts";
import { tagKey, type TagName } from "../tags/store.ts";
import { FEATURE_ENVIRONMENT, listTags } from "./read-feature.ts";

interface FeatureFilter {
  readonly namePrefix: string | undefined;
  /** Flags need at least one of these tags. An empty list matches every flag. */
  readonly tags: readonly TagName[];
  /** Whose favorites are marked; undefined for nobody's. */
  readonly userId: number | undefined;
  readonly favoritesFirst: boolean;
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
  const found = await summarize(db, named, filter.userId);
  const summaries = filter.favoritesFirst
    ? found.toSorted((a, b) => Number(b.favorite) - Number(a.favorite))
    : found;
  if (filter.tags.length === 0) return summaries;
  // NOTE: clients can send thousands of tags, so each flag must not be compared with all of them.
  const wanted = new Set(filter.tags.map(tagKey));
  return summaries.filter(({ tags }) => tags.some((tag) => wanted.has(tagKey(tag))));
}

function hasPrefix({ name }: Feature, prefix = ""): boolean {
  return name.toLowerCase().startsWith(prefix.toLowerCase());
}

/**
 * Adds tags and a summary of the environments to flags.
 *
 * @param userId whose favorites are marked; undefined for nobody's
 */
export async function summarize(
  db: Database,
  features: readonly Feature[],
  userId: number | undefined,
) {
  if (features.length === 0) return [];
  const names = features.map(({ name }) => name);
  const environmentsOf = groupBy(await summarizeEnvironments(db, names), (row) => row.feature);
  const tagsOf = groupBy(await listTags(db, names), (row) => row.feature);
  const favorites = await findFavoriteFeatures(db, userId, names);
  const lifecycleOf = await readLifecycles(db, names);
  return features.map((feature) => ({
    ...toFeatureView(feature),
    ...lifecycleOf(feature.name),
    favorite: favorites.has(feature.name),
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
  const stepsAt = groupBy(await listNextSteps(db, names), ({ feature, environment }) =>
    keyOf(feature, environment),
  );
  return rows.map((row) => {
    const counts = strategiesAt.get(keyOf(row.feature, row.name));
    const [step] = stepsAt.get(keyOf(row.feature, row.name)) ?? [];
    return {
      ...row,
      variantCount: row.variantCount + (counts?.variantCount ?? 0),
      hasStrategies: counts !== undefined,
      hasEnabledStrategies: (counts?.enabledCount ?? 0) > 0,
      reach: toReach(counts),
      ...(step !== undefined && {
        nextStep: { state: step.state, rollout: step.rollout, nextAt: step.nextAt },
      }),
    };
  });
}

/** Whom a flag reaches where it is on. Only enabled strategies count. */
export interface Reach {
  readonly strategyCount: number;
  /** The largest percentage of users whom a strategy without conditions reaches; null if all have conditions. */
  readonly percentage: number | null;
  /** How many strategies have conditions: constraints, segments, a list, or a custom type. */
  readonly conditionalCount: number;
  /** How many different segments they have. */
  readonly segmentCount: number;
}

type StrategyCounts = Awaited<ReturnType<typeof countStrategies>>[number];

function toReach(counts: StrategyCounts | undefined): Reach {
  const { enabledCount = 0, unconditional = [], segmentCount = 0 } = counts ?? {};
  const percentages = unconditional.map(({ name, parameters }) => toPercentageOf(name, parameters));
  // Without any strategy, a flag is on for everyone.
  if (counts === undefined) percentages.push(100);
  return {
    strategyCount: enabledCount,
    percentage: percentages.length === 0 ? null : Math.max(...percentages),
    conditionalCount: enabledCount - (counts?.unconditionalCount ?? 0),
    segmentCount,
  };
}

type Parameters = Readonly<Record<string, string | null>>;

function toPercentageOf(name: string, parameters: Parameters): number {
  const type = findStrategyType(name);
  return type?.kind === "rollout" ? toPercentage(parameters[type.parameter]) || 0 : 100;
}

const TYPES_WITHOUT_CONDITIONS = Object.entries(STRATEGY_TYPES)
  .filter(([, { kind }]) => kind !== "list")
  .map(([name]) => name);

const PERCENTAGES = [
  ...new Set(
    Object.values(STRATEGY_TYPES).flatMap((type) =>
      type.kind === "rollout" ? [type.parameter] : [],
    ),
  ),
];

/** Counts in the database, because a project can have tens of thousands of strategies. */
function countStrategies(db: Database, names: readonly string[]) {
  const ofStrategy = db
    .select({ segments: sql<number[]>`array_agg(${strategySegments.segment})`.as("segments") })
    .from(strategySegments)
    .where(eq(strategySegments.strategy, strategies.id))
    .as("of_strategy");
  const isUnconditional = sql`not ${strategies.disabled}
    and ${strategies.constraints} = '[]'::jsonb and ${ofStrategy.segments} is null
    and ${inArray(strategies.name, TYPES_WITHOUT_CONDITIONS)}`;
  const percentages = sql.join(
    PERCENTAGES.map((name) => sql`${name}::text, ${strategies.parameters} ->> ${name}::text`),
    sql`, `,
  );
  return db
    .select({
      feature: strategies.feature,
      environment: strategies.environment,
      enabledCount: sql<number>`(count(*) filter (where not ${strategies.disabled}))::int`,
      unconditionalCount: sql<number>`(count(*) filter (where ${isUnconditional}))::int`,
      unconditional: sql<readonly { name: string; parameters: Parameters }[]>`coalesce(
        jsonb_agg(distinct jsonb_build_object('name', ${strategies.name},
          'parameters', jsonb_build_object(${percentages}))) filter (where ${isUnconditional}), '[]')`,
      segmentCount: sql<number>`(select count(distinct ${strategySegments.segment})
        from ${strategySegments} where ${strategySegments.strategy} = any(
          array_agg(${strategies.id}) filter (where not ${strategies.disabled})))::int`,
      variantCount: sql<number>`sum(jsonb_array_length(${strategies.variants}))::int`,
    })
    .from(strategies)
    .leftJoinLateral(ofStrategy, sql`true`)
    .where(isOneOf(strategies.feature, names))
    .groupBy(strategies.feature, strategies.environment);
}

function keyOf(feature: string, environment: string): string {
  return JSON.stringify([feature, environment]);
}
