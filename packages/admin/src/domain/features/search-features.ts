import {
  and,
  asc,
  count,
  desc,
  ilike,
  inArray,
  isNotNull,
  isNull,
  or,
  type SQL,
} from "drizzle-orm";
import { badData } from "../../errors.ts";
import { type Page, parseFilter } from "../../http/parse-filter.ts";
import { type Database, firstRow, likePattern } from "../../storage/database.ts";
import { features } from "../../storage/schema/features.ts";
import { summarize } from "./list-features.ts";
import type { FeatureSearch } from "./search-schemas.ts";

/** Flags of all projects, archived ones when asked for. */
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
    search.query === undefined ? undefined : mentions(search.query),
  );
}

function isArchived({ archived, lifecycle }: FeatureSearch): boolean {
  const wanted = parseFilter(archived, "archived") ?? ["false"];
  if (wanted.some((value) => value !== "true" && value !== "false")) {
    throw badData("/query/archived", "must be IS:true or IS:false");
  }
  return (
    wanted.includes("true") || parseFilter(lifecycle, "lifecycle")?.includes("archived") === true
  );
}

/** Any of the words, in name or description. */
function mentions(query: string): SQL | undefined {
  const patterns = query.split(",").map((word) => likePattern(word.trim()));
  return or(
    ...patterns.flatMap((pattern) => [
      ilike(features.name, pattern),
      ilike(features.description, pattern),
    ]),
  );
}

const SORT_COLUMNS = {
  name: features.name,
  type: features.type,
  project: features.project,
  stale: features.stale,
  createdAt: features.createdAt,
  archivedAt: features.archivedAt,
} as const;

function toOrder({ sortBy = "createdAt", sortOrder }: FeatureSearch): readonly SQL[] {
  const column = SORT_COLUMNS[sortBy];
  return [sortOrder === "desc" ? desc(column) : asc(column), asc(features.name)];
}
