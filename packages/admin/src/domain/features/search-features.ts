import {
  and,
  asc,
  count,
  desc,
  eq,
  getTableColumns,
  inArray,
  isNotNull,
  isNull,
  not,
  or,
  sql,
  type SQL,
  type SQLWrapper,
} from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Caller } from "../../access/request-identity.ts";
import { badData } from "../../errors.ts";
import {
  type Choice,
  type Inclusion,
  type Page,
  parseChoice,
  parseDayFilter,
  parseInclusion,
} from "../../http/parse-filter.ts";
import { type Database, firstRow, likePattern, orderByText } from "../../storage/database.ts";
import { featureEnvironments, features, featureTags } from "../../storage/schema/features.ts";
import { lifecycles } from "../../storage/schema/lifecycles.ts";
import { favoriteFeatures } from "../../storage/schema/favorites.ts";
import { segments, strategies, strategySegments } from "../../storage/schema/strategies.ts";
import { IS_POTENTIALLY_STALE, STAGE, STAGES } from "../lifecycle/read-lifecycles.ts";
import { summarize } from "./list-features.ts";
import type { FeatureSearch } from "./schemas.ts";

/** Returns one page of the active or the archived flags of the visible projects, and the number of all matches. */
export async function searchFeatures(
  db: Database,
  search: FeatureSearch,
  { offset, limit }: Page,
  { projects, account }: Pick<Caller, "account" | "projects">,
) {
  const isFavorite = isFavoriteOf(account?.id);
  const condition = and(
    projects.isVisible(features.project),
    isChosen(sql`${isFavorite}::text`, parseChoice(search.favorite, "favorite", ["true", "false"])),
    toCondition(db, search),
  );
  const rows = await db
    .select(getTableColumns(features))
    .from(features)
    .leftJoin(lifecycles, eq(lifecycles.feature, features.name))
    .where(condition)
    .orderBy(
      ...(search.favoritesFirst === "true" ? [sql`(${isFavorite})::int desc`] : []),
      ...toOrder(search),
    )
    .limit(limit)
    .offset(offset);
  const { total } = firstRow(
    await db
      .select({ total: count() })
      .from(features)
      .leftJoin(lifecycles, eq(lifecycles.feature, features.name))
      .where(condition),
  );
  return { features: await summarize(db, rows, account?.id), total };
}

/** Whether a user has marked a flag. The owner of an API token has marked none. */
function isFavoriteOf(userId: number | undefined): SQL {
  if (userId === undefined) return sql`false`;
  return sql`exists (select 1 from ${favoriteFeatures}
    where ${favoriteFeatures.feature} = ${features.name} and ${favoriteFeatures.userId} = ${userId})`;
}

/** @throws {ApiError} if a filter is not valid. No filter is ignored: scripts act on all flags that they get */
function toCondition(db: Database, search: FeatureSearch): SQL | undefined {
  return and(
    isInStage(search),
    isChosen(features.project, parseChoice(search.project, "project")),
    isChosen(features.type, parseChoice(search.type, "type")),
    isChosen(features.createdBy, parseChoice(search.createdBy, "createdBy")),
    isChosen(STATE, parseChoice(search.state, "state", ["active", "stale", "potentially-stale"])),
    hasStatus([search.status ?? []].flat()),
    isAt(sql`${features.createdAt}`, search.createdAt, "createdAt"),
    isAt(LAST_SEEN_AT, search.lastSeenAt, "lastSeenAt"),
    includes(parseInclusion(search.tag, "tag"), (tag) => hasTag(db, tag)),
    includes(parseInclusion(search.segment, "segment"), (name) => usesSegment(db, name)),
    search.query === undefined ? undefined : containsAnyWord(search.query),
  );
}

function isInStage({ archived = "IS:false", lifecycle }: FeatureSearch): SQL | undefined {
  if (archived !== "IS:true" && archived !== "IS:false") {
    throw badData("/query/archived", "must be IS:true or IS:false");
  }
  const stages = parseChoice(lifecycle, "lifecycle", STAGES);
  const includesArchived = stages?.excludes === false && stages.values.includes("archived");
  const isArchived =
    archived === "IS:true" ? isNotNull(features.archivedAt) : isNull(features.archivedAt);
  return and(includesArchived ? undefined : isArchived, isChosen(STAGE, stages));
}

function isChosen(value: SQLWrapper, choice: Choice | undefined): SQL | undefined {
  if (choice === undefined) return undefined;
  const isIn = inArray(sql`${value}`, [...choice.values]);
  return choice.excludes ? not(isIn) : isIn;
}

const STATE = sql`case when ${features.stale} then 'stale'
  when ${IS_POTENTIALLY_STALE} then 'potentially-stale' else 'active' end`;

const MAX_STATUSES = 50;

/** Matches flags that are on or off in an environment, such as `production:enabled`, for one of the texts. */
function hasStatus(texts: readonly string[]): SQL | undefined {
  if (texts.length === 0) return undefined;
  if (texts.length > MAX_STATUSES) {
    throw badData("/query/status", `must be sent at most ${MAX_STATUSES} times`);
  }
  const conditions = texts.map((text) => {
    const [, environment, status] = /^(.+):(enabled|disabled)$/.exec(text) ?? [];
    if (environment === undefined) {
      throw badData(
        "/query/status",
        "must have the form environment:enabled or environment:disabled",
      );
    }
    return sql`${stateIn(environment)} = ${status === "enabled"}`;
  });
  return or(...conditions);
}

function stateIn(environment: string): SQL {
  return sql`(select ${featureEnvironments.enabled} from ${featureEnvironments}
    where ${featureEnvironments.feature} = ${features.name}
      and ${featureEnvironments.environment} = ${environment})`;
}

const LAST_SEEN_AT = sql`(select max(${featureEnvironments.lastSeenAt}) from ${featureEnvironments}
  where ${featureEnvironments.feature} = ${features.name})`;

/** NOTE: a flag that was never seen is neither before nor after a day. */
function isAt(time: SQL, filter: string | undefined, name: string): SQL | undefined {
  const parsed = parseDayFilter(filter, name);
  if (parsed === undefined) return undefined;
  const day = parsed.day.toISOString();
  return parsed.isBefore ? sql`${time} < ${day}` : sql`${time} >= ${day}`;
}

function includes(inclusion: Inclusion | undefined, has: (value: string) => SQL): SQL | undefined {
  if (inclusion === undefined) return undefined;
  const { values, requiresAll, excludes } = inclusion;
  const conditions = values.map(has);
  const matches = requiresAll ? and(...conditions) : or(...conditions);
  return excludes && matches !== undefined ? not(matches) : matches;
}

/** @param tag `type:value` */
function hasTag(db: Database, tag: string): SQL {
  const separator = tag.indexOf(":");
  if (separator < 1) throw badData("/query/tag", "must contain tags of the form type:value");
  return inArray(
    features.name,
    db
      .select({ feature: featureTags.feature })
      .from(featureTags)
      .where(
        and(
          eq(featureTags.type, tag.slice(0, separator)),
          eq(featureTags.value, tag.slice(separator + 1)),
        ),
      ),
  );
}

function usesSegment(db: Database, name: string): SQL {
  return inArray(
    features.name,
    db
      .select({ feature: strategies.feature })
      .from(strategies)
      .innerJoin(strategySegments, eq(strategySegments.strategy, strategies.id))
      .innerJoin(segments, eq(segments.id, strategySegments.segment))
      .where(eq(segments.name, name)),
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
  lastSeenAt: LAST_SEEN_AT,
} as const;

const IN_ENVIRONMENT = "environment:";

/** @throws {ApiError} if flags cannot be sorted like this */
function toOrder({ sortBy = "createdAt", sortOrder }: FeatureSearch): readonly SQL[] {
  const column = sortBy.startsWith(IN_ENVIRONMENT)
    ? stateIn(sortBy.slice(IN_ENVIRONMENT.length))
    : SORT_COLUMNS[parseSortColumn(sortBy)];
  // Flags that were never seen, or are not part of the environment, come last.
  const order = sortOrder === "desc" ? desc(column) : asc(column);
  return [sql`${order} nulls last`, asc(SORT_COLUMNS.name)];
}

function parseSortColumn(name: string): keyof typeof SORT_COLUMNS {
  const columns = Object.keys(SORT_COLUMNS) as (keyof typeof SORT_COLUMNS)[];
  const column = columns.find((known) => known === name);
  if (column !== undefined) return column;
  throw badData("/query/sortBy", `must be one of ${columns.join(", ")}, or environment:name`);
}
