import { and, eq, gt, inArray, isNull, max, notInArray, or, sql } from "drizzle-orm";
import type { Database } from "../storage/database.ts";
import { EFFECTS } from "../storage/event-effects.ts";
import type { EventType } from "../storage/events.ts";
import { events } from "../storage/schema/events.ts";

const TYPES = Object.keys(EFFECTS) as EventType[];
const TYPES_SDKS_IGNORE = TYPES.filter((type) => EFFECTS[type] === "nothing");
const SEGMENT_TYPES = TYPES.filter((type) => EFFECTS[type] === "segment");

function concerns(environment: string) {
  return and(
    notInArray(events.type, TYPES_SDKS_IGNORE),
    or(isNull(events.environment), eq(events.environment, environment)),
  );
}

/** Returns the latest revision that changed what SDKs read of an environment; 0 if none did. */
export async function findLatestRevision(db: Database, environment: string): Promise<number> {
  const [row] = await db
    .select({ revision: max(events.id) })
    .from(events)
    .where(concerns(environment));
  return row?.revision ?? 0;
}

/** What has to be loaded again. */
export interface Changes {
  /** The latest change; undefined if there is none. */
  readonly revision: number | undefined;
  /** Whether there may be later changes. */
  readonly isPartial: boolean;
  readonly flags: ReadonlySet<string>;
  readonly projects: ReadonlySet<string>;
  readonly segments: ReadonlySet<number>;
  /** Whether everything else has to be loaded again, too. */
  readonly includesEverything: boolean;
}

/** NOTE: the events of segments are large, and the embedded database blocks everything else while it reads them. */
const MAX_EVENTS = 200;

/** Finds the first changes after a revision that concern what SDKs read of an environment, or all of them. */
export async function findChanges(
  db: Database,
  environment: string,
  since: number,
  findsAll: boolean,
): Promise<Changes> {
  const found = db
    .select({
      id: events.id,
      type: sql<EventType>`${events.type}`,
      flag: events.featureName,
      project: events.project,
      segment: sql<number | null>`case when ${inArray(events.type, SEGMENT_TYPES)} then
        (coalesce(${events.data}, ${events.preData}) ->> 'id')::int end`,
    })
    .from(events)
    .where(and(gt(events.id, since), concerns(environment)))
    .orderBy(events.id)
    .$dynamic();
  const rows = await (findsAll ? found : found.limit(MAX_EVENTS));
  const changes = {
    revision: rows.at(-1)?.id,
    isPartial: !findsAll && rows.length === MAX_EVENTS,
    flags: new Set<string>(),
    projects: new Set<string>(),
    segments: new Set<number>(),
    includesEverything: false,
  };
  for (const { type, flag, project, segment } of rows) {
    const changed = EFFECTS[type];
    if ((changed === "flag" || changed === "settings of flag") && flag !== null)
      changes.flags.add(flag);
    else if (changed === "flags of project" && project !== null) changes.projects.add(project);
    else if (segment !== null) changes.segments.add(segment);
    // Also events of types that only newer replicas know.
    else changes.includesEverything = true;
  }
  return changes;
}
