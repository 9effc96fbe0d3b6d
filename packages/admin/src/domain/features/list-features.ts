import {
  and,
  asc,
  count,
  desc,
  eq,
  inArray,
  isNotNull,
  isNull,
  or,
  sql,
  type SQL,
} from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { badData } from "../../errors.ts";
import { type Page, parseFilter } from "../../http/parse-filter.ts";
import {
  type Database,
  firstRow,
  groupBy,
  isOneOf,
  likePattern,
  orderByText,
} from "../../storage/database.ts";
import { featureEnvironments, features } from "../../storage/schema/features.ts";
import { ENVIRONMENT_ORDER, environments } from "../../storage/schema/projects.ts";
import { strategies } from "../../storage/schema/strategies.ts";
import { type Feature, listActiveFeatures, toFeatureView } from "../feature.ts";
import { tagKey, type TagName } from "../tags/store.ts";
import { FEATURE_ENVIRONMENT, listTags } from "./read-feature.ts";
import type { FeatureSearch } from "./schemas.ts";

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
async function summarize(db: Database, features: readonly Feature[]) {
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

/** Returns one page of the active or the archived flags of all projects, and the number of all matches. */
export async function searchFeatures(db: Database, search: FeatureSearch, { offset, limit }: Page) {
  const condition = toCondition(search);
  const rows = await db
    .select()
    .from(features)
    .where(condition)
    .orderBy(...toOrder(search))
    .limit(limit)
    .offset(offset);
  const { total } = firstRow(await db.select({ total: count() }).from(features).where(condition));
  return { features: await summarize(db, rows), total };
}

function toCondition(search: FeatureSearch): SQL | undefined {
  const projects = parseFilter(search.project, "project");
  const types = parseFilter(search.type, "type");
  return and(
    isArchived(search) ? isNotNull(features.archivedAt) : isNull(features.archivedAt),
    projects === undefined ? undefined : inArray(features.project, [...projects]),
    types === undefined ? undefined : inArray(features.type, [...types]),
    search.query === undefined ? undefined : containsAnyWord(search.query),
  );
}

function isArchived({ archived, lifecycle }: FeatureSearch): boolean {
  const values = parseFilter(archived, "archived") ?? ["false"];
  if (values.some((value) => value !== "true" && value !== "false")) {
    throw badData("/query/archived", "must be IS:true or IS:false");
  }
  return (
    values.includes("true") || parseFilter(lifecycle, "lifecycle")?.includes("archived") === true
  );
}

const MAX_WORDS = 10;

/**
 * Matches flags whose name or description contains one of the comma-separated words, or all flags without
 * words.
 *
 * @throws {ApiError} if there are too many words
 */
function containsAnyWord(query: string): SQL | undefined {
  const words = new Set(query.split(",").map((word) => word.trim()));
  words.delete("");
  if (words.size === 0) return undefined;
  if (words.size > MAX_WORDS) {
    throw badData("/query/query", `must contain at most ${MAX_WORDS} words`);
  }
  const patterns = Array.from(words, (word) => sql`lower(${likePattern(word)})`);
  const contains = (column: PgColumn): SQL =>
    // NOTE: `ilike` would convert the column to lower case again for each word.
    sql`lower(${column}) like any (array[${sql.join(patterns, sql`, `)}])`;
  return or(contains(features.name), contains(features.description));
}

const SORT_COLUMNS = {
  name: orderByText(features.name),
  type: orderByText(features.type),
  project: orderByText(features.project),
  stale: features.stale,
  createdAt: features.createdAt,
  archivedAt: features.archivedAt,
} as const;

function toOrder({ sortBy = "createdAt", sortOrder }: FeatureSearch): readonly SQL[] {
  const column = SORT_COLUMNS[sortBy];
  return [sortOrder === "desc" ? desc(column) : asc(column), asc(SORT_COLUMNS.name)];
}
