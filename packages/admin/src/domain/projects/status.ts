import { and, asc, count, countDistinct, eq, gt, isNull, or, sql } from "drizzle-orm";
import { type Database, firstRow, orderByText } from "../../storage/database.ts";
import { apiTokens } from "../../storage/schema/access.ts";
import { projectMembers } from "../../storage/schema/accounts.ts";
import { events } from "../../storage/schema/events.ts";
import { features } from "../../storage/schema/features.ts";
import { lifecycles } from "../../storage/schema/lifecycles.ts";
import { segments } from "../../storage/schema/strategies.ts";
import { IS_POTENTIALLY_STALE } from "../lifecycle/read-lifecycles.ts";
import { summarizeLifecycles } from "../lifecycle/summarize-lifecycles.ts";
import { getProject } from "./store.ts";

/** How many of the flags to clean up are named: the oldest. */
const NAMED_FLAGS = 10;

const ACTIVITY_DAYS = 365;

/**
 * Reads how a project is doing.
 *
 * @throws {ApiError} if the project is unknown
 */
export async function readProjectStatus(db: Database, project: string) {
  await getProject(db, project);
  const counts = await countFlags(db, project);
  const health = toHealth(counts);
  return {
    activityCountByDate: await countActivity(db, project),
    resources: await countResources(db, project),
    health: { current: health },
    technicalDebt: { current: 100 - health },
    activeFlags: { total: counts.total },
    staleFlags: {
      total: counts.staleCount + counts.potentiallyStaleCount,
      markedCount: counts.staleCount,
      potentiallyStaleCount: counts.potentiallyStaleCount,
      oldest: await listOldestToCleanUp(db, project),
    },
    lifecycleSummary: await summarizeLifecycles(db, project),
  };
}

/** The numbers of active flags of a project. */
export async function countFlags(db: Database, project: string) {
  return firstRow(
    await db
      .select({
        total: count(),
        staleCount: sql<number>`(count(*) filter (where ${features.stale}))::int`,
        potentiallyStaleCount: sql<number>`(count(*) filter (where ${IS_POTENTIALLY_STALE}))::int`,
      })
      .from(features)
      .leftJoin(lifecycles, eq(lifecycles.feature, features.name))
      .where(and(eq(features.project, project), isNull(features.archivedAt))),
  );
}

/** The percentage of the active flags that are neither stale nor potentially stale. */
export function toHealth({
  total,
  staleCount,
  potentiallyStaleCount,
}: Awaited<ReturnType<typeof countFlags>>): number {
  if (total === 0) return 100;
  return 100 - Math.round((100 * (staleCount + potentiallyStaleCount)) / total);
}

function listOldestToCleanUp(db: Database, project: string) {
  return db
    .select({
      name: features.name,
      type: features.type,
      stale: features.stale,
      createdAt: features.createdAt,
    })
    .from(features)
    .leftJoin(lifecycles, eq(lifecycles.feature, features.name))
    .where(
      and(
        eq(features.project, project),
        isNull(features.archivedAt),
        or(features.stale, IS_POTENTIALLY_STALE),
      ),
    )
    .orderBy(asc(features.createdAt), orderByText(features.name))
    .limit(NAMED_FLAGS);
}

/** Counts the changes of each day in UTC with any, the first day first. */
function countActivity(db: Database, project: string) {
  const date = sql<string>`to_char(${events.createdAt} at time zone 'UTC', 'YYYY-MM-DD')`;
  return db
    .select({ date, count: count() })
    .from(events)
    .where(
      and(
        eq(events.project, project),
        gt(events.createdAt, sql`now() - make_interval(days => ${ACTIVITY_DAYS})`),
      ),
    )
    .groupBy(sql`1`)
    .orderBy(sql`1`);
}

async function countResources(db: Database, project: string) {
  const tokens = await db
    .select({ total: count() })
    .from(apiTokens)
    .where(sql`${apiTokens.projects} @> ${JSON.stringify([project])}::jsonb`);
  const members = await db
    .select({ total: countDistinct(projectMembers.userId) })
    .from(projectMembers)
    .where(eq(projectMembers.project, project));
  const ownSegments = await db
    .select({ total: count() })
    .from(segments)
    .where(eq(segments.project, project));
  return {
    apiTokens: firstRow(tokens).total,
    members: firstRow(members).total,
    segments: firstRow(ownSegments).total,
  };
}
