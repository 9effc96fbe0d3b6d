import { and, asc, count, desc, inArray, isNotNull, isNull, or, sql, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { badData } from "../../errors.ts";
import { type Page, parseFilter } from "../../http/parse-filter.ts";
import { type Database, firstRow, likePattern, orderByText } from "../../storage/database.ts";
import { features } from "../../storage/schema/features.ts";
import { summarize } from "./list-features.ts";
import type { FeatureSearch } from "./schemas.ts";

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
