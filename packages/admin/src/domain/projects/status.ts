import { and, asc, count, countDistinct, eq, gt, gte, isNotNull, isNull, sql } from "drizzle-orm";
import { type Database, firstRow, orderByText } from "../../storage/database.ts";
import { apiTokens } from "../../storage/schema/access.ts";
import { projectMembers } from "../../storage/schema/accounts.ts";
import { events } from "../../storage/schema/events.ts";
import { features } from "../../storage/schema/features.ts";
import { segments } from "../../storage/schema/strategies.ts";
import { readLifetimes } from "../feature-types.ts";
import { getProject } from "./store.ts";

/** How many of the flags to clean up are named: the oldest. */
const NAMED_FLAGS = 10;

const ACTIVITY_DAYS = 365;

/**
 * Reads how a project is doing. Stages of flags are not recorded, so that the summary of their lifecycle contains only the archive.
 *
 * @throws {ApiError} if the project is unknown
 */
export async function readProjectStatus(db: Database, project: string) {
  await getProject(db, project);
  const { activeCount, flags } = await readFlagsToCleanUp(db, project);
  const staleCount = flags.filter(({ stale }) => stale).length;
  const debt = activeCount === 0 ? 0 : Math.round((100 * flags.length) / activeCount);
  return {
    activityCountByDate: await countActivity(db, project),
    resources: await countResources(db, project),
    health: { current: 100 - debt },
    technicalDebt: { current: debt },
    activeFlags: { total: activeCount },
    staleFlags: {
      total: flags.length,
      markedCount: staleCount,
      expiredCount: flags.length - staleCount,
      oldest: flags.slice(0, NAMED_FLAGS),
    },
    lifecycleSummary: { archived: await countArchived(db, project) },
  };
}

/** Reads the active flags that are marked as stale, or are older than the lifetime of their type, the oldest first. */
async function readFlagsToCleanUp(db: Database, project: string) {
  const lifetimes = await readLifetimes(db);
  const active = await db
    .select({
      name: features.name,
      type: features.type,
      stale: features.stale,
      createdAt: features.createdAt,
      ageDays: sql<number>`extract(epoch from now() - ${features.createdAt})::float8 / 86400`,
    })
    .from(features)
    .where(and(eq(features.project, project), isNull(features.archivedAt)))
    .orderBy(asc(features.createdAt), orderByText(features.name));
  const flags = active
    .filter(({ type, stale, ageDays }) => stale || ageDays > (lifetimes.get(type) ?? Infinity))
    .map(({ ageDays: _ageDays, ...flag }) => flag);
  return { activeCount: active.length, flags };
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

async function countArchived(db: Database, project: string) {
  const recent = gte(features.archivedAt, sql`now() - interval '30 days'`);
  return firstRow(
    await db
      .select({
        currentFlags: count(),
        last30Days: sql<number>`(count(*) filter (where ${recent}))::int`,
      })
      .from(features)
      .where(and(eq(features.project, project), isNotNull(features.archivedAt))),
  );
}
