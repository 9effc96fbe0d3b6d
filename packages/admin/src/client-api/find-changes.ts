import { and, eq, gt, inArray, isNull, max, notInArray, or, sql } from "drizzle-orm";
import type { Database } from "../storage/database.ts";
import type { EventType } from "../storage/events.ts";
import { events } from "../storage/schema/events.ts";

/**
 * What an event of each type can change of what SDKs read: nothing, the flag that it names, the flags of the project
 * that it names, the segment that it names, or anything.
 */
const CHANGES: Readonly<
  Record<EventType, "anything" | "flag" | "flags of project" | "nothing" | "segment">
> = {
  "api-token-created": "nothing",
  "api-token-deleted": "nothing",
  "api-token-updated": "nothing",
  "application-deleted": "nothing",
  "context-field-created": "nothing",
  "context-field-deleted": "nothing",
  "context-field-updated": "nothing",
  "default-strategy-updated": "nothing",
  "environment-created": "nothing",
  "environment-deleted": "nothing",
  "environment-disabled": "nothing",
  "environment-enabled": "nothing",
  "environment-updated": "nothing",
  "feature-archived": "flag",
  "feature-created": "flag",
  "feature-deleted": "flag",
  "feature-dependencies-removed": "flag",
  "feature-dependency-added": "flag",
  "feature-dependency-removed": "flag",
  "feature-environment-disabled": "flag",
  "feature-environment-enabled": "flag",
  "feature-environment-variants-updated": "flag",
  "feature-metadata-updated": "flag",
  "feature-project-change": "flag",
  "feature-revived": "flag",
  "feature-stale-off": "flag",
  "feature-stale-on": "flag",
  "feature-strategy-add": "flag",
  "feature-strategy-remove": "flag",
  "feature-strategy-update": "flag",
  "feature-tagged": "flag",
  "feature-untagged": "flag",
  "feature-type-updated": "nothing",
  // Follows events that name each of the flags.
  "features-imported": "nothing",
  "pat-created": "nothing",
  "pat-deleted": "nothing",
  "project-access-added": "nothing",
  "project-access-updated": "nothing",
  "project-access-user-roles-deleted": "nothing",
  "project-access-user-roles-updated": "nothing",
  "project-archived": "nothing",
  "project-created": "nothing",
  "project-deleted": "nothing",
  "project-environment-added": "flags of project",
  "project-environment-removed": "flags of project",
  "project-revived": "nothing",
  "project-updated": "nothing",
  "public-signup-token-created": "nothing",
  "public-signup-token-updated": "nothing",
  "public-signup-token-user-added": "nothing",
  "segment-created": "segment",
  "segment-deleted": "segment",
  "segment-updated": "segment",
  "session-ended": "nothing",
  "strategy-created": "nothing",
  "strategy-deleted": "nothing",
  "strategy-order-changed": "flag",
  "strategy-updated": "nothing",
  "tag-created": "nothing",
  // Removes the tag from flags that no event names.
  "tag-deleted": "anything",
  "tag-type-created": "nothing",
  "tag-type-deleted": "anything",
  "tag-type-updated": "nothing",
  "user-created": "nothing",
  "user-deleted": "nothing",
  "user-updated": "nothing",
};

const TYPES = Object.keys(CHANGES) as EventType[];
const TYPES_SDKS_IGNORE = TYPES.filter((type) => CHANGES[type] === "nothing");
const SEGMENT_TYPES = TYPES.filter((type) => CHANGES[type] === "segment");

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
    const changed = CHANGES[type];
    if (changed === "flag" && flag !== null) changes.flags.add(flag);
    else if (changed === "flags of project" && project !== null) changes.projects.add(project);
    else if (segment !== null) changes.segments.add(segment);
    // Also events of types that only newer replicas know.
    else changes.includesEverything = true;
  }
  return changes;
}
