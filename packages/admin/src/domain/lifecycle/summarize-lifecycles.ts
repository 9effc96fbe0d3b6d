import { eq, sql, type SQL, type SQLWrapper } from "drizzle-orm";
import { type Database, firstRow } from "../../storage/database.ts";
import { features } from "../../storage/schema/features.ts";
import { lifecycles } from "../../storage/schema/lifecycles.ts";
import { STAGE, STARTED_AT, type Stage } from "./read-lifecycles.ts";

const { preLiveAt, liveAt, completedAt } = lifecycles;
const { archivedAt } = features;

/** Counts the flags of a project by stage, and how many days those stayed in each that have left it; null if none has. */
export async function summarizeLifecycles(db: Database, project: string) {
  const summary = firstRow(
    await db
      .select({
        initial: isIn("initial"),
        initialDays: averageDays(STARTED_AT, preLiveAt, liveAt, completedAt, archivedAt),
        preLive: isIn("pre-live"),
        preLiveDays: averageDays(preLiveAt, liveAt, completedAt, archivedAt),
        live: isIn("live"),
        liveDays: averageDays(liveAt, completedAt, archivedAt),
        completed: isIn("completed"),
        completedDays: averageDays(completedAt, archivedAt),
        archived: isIn("archived"),
        last30Days: sql<number>`(count(*) filter (where ${archivedAt} >= now() - interval '30 days'))::int`,
      })
      .from(features)
      .leftJoin(lifecycles, eq(lifecycles.feature, features.name))
      .where(eq(features.project, project)),
  );
  return {
    initial: { averageDays: summary.initialDays, currentFlags: summary.initial },
    preLive: { averageDays: summary.preLiveDays, currentFlags: summary.preLive },
    live: { averageDays: summary.liveDays, currentFlags: summary.live },
    completed: { averageDays: summary.completedDays, currentFlags: summary.completed },
    archived: { currentFlags: summary.archived, last30Days: summary.last30Days },
  };
}

function isIn(stage: Stage): SQL<number> {
  return sql<number>`(count(*) filter (where ${STAGE} = ${stage}))::int`;
}

function averageDays(entered: SQLWrapper, ...left: readonly SQLWrapper[]): SQL<number | null> {
  const end = sql`coalesce(${sql.join([...left], sql`, `)})`;
  return sql<number | null>`round(avg(extract(epoch from ${end} - ${entered}) / 86400))::int`;
}
