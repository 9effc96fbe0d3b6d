import { inArray } from "drizzle-orm";
import { batchesOf, type Database, groupBy, isEqualJson, toJson } from "./database.ts";
import { events, type EventTag } from "./schema/events.ts";
import { featureTags } from "./schema/features.ts";

/** The author of a change: the owner of a token, a person, or the service itself. */
export interface Actor {
  /** Id of the token or of the account; null for the service. */
  readonly id: string | null;
  readonly name: string;
  readonly kind: "system" | "token" | "user";
}

/** The author of changes that the service makes without a request. */
export const SYSTEM_ACTOR: Actor = { id: null, name: "system", kind: "system" };

/** An event to record. The transaction that records it adds the author and the time. */
export interface NewEvent {
  readonly type: EventType;
  readonly project?: string | undefined;
  readonly feature?: string | undefined;
  readonly environment?: string | undefined;
  /** The state before the change; absent for a creation. */
  readonly before?: unknown;
  /** The state after the change; absent for a deletion. */
  readonly after?: unknown;
  /** Id of the change request that the event is about, or that has made the change. @default none */
  readonly changeRequestId?: number;
}

/** Types of the recorded events, named as in the wire protocol. */
export type EventType =
  | "addon-config-created"
  | "addon-config-deleted"
  | "addon-config-updated"
  | "api-token-created"
  | "api-token-deleted"
  | "api-token-updated"
  | "application-deleted"
  | "change-added"
  | "change-discarded"
  | "change-edited"
  | "change-request-applied"
  | "change-request-applied-without-approval"
  | "change-request-approval-added"
  | "change-request-approved"
  | "change-request-cancelled"
  | "change-request-comment-added"
  | "change-request-configuration-updated"
  | "change-request-created"
  | "change-request-discarded"
  | "change-request-rejected"
  | "change-request-requested-approvers-updated"
  | "change-request-schedule-suspended"
  | "change-request-scheduled"
  | "change-request-scheduled-application-failure"
  | "change-request-scheduled-application-success"
  | "change-request-sent-to-review"
  | "change-request-unscheduled"
  | "context-field-created"
  | "context-field-deleted"
  | "context-field-updated"
  | "default-strategy-updated"
  | "environment-created"
  | "environment-deleted"
  | "environment-disabled"
  | "environment-enabled"
  | "environment-updated"
  | "feature-archived"
  | "feature-completed"
  | "feature-created"
  | "feature-deleted"
  | "feature-dependencies-removed"
  | "feature-dependency-added"
  | "feature-dependency-removed"
  | "feature-environment-disabled"
  | "feature-environment-disabled-without-approval"
  | "feature-environment-enabled"
  | "feature-environment-variants-updated"
  | "feature-favorited"
  | "feature-link-added"
  | "feature-link-removed"
  | "feature-link-updated"
  | "feature-metadata-updated"
  | "feature-potentially-stale-off"
  | "feature-potentially-stale-on"
  | "feature-project-change"
  | "feature-restored"
  | "feature-revived"
  | "feature-stale-off"
  | "feature-stale-on"
  | "feature-stale-snoozed"
  | "feature-stale-unsnoozed"
  | "feature-strategy-add"
  | "feature-strategy-remove"
  | "feature-strategy-update"
  | "feature-tagged"
  | "feature-type-updated"
  | "feature-uncompleted"
  | "feature-unfavorited"
  | "feature-untagged"
  | "features-imported"
  | "pat-created"
  | "pat-deleted"
  | "project-access-added"
  | "project-access-updated"
  | "project-access-user-roles-deleted"
  | "project-access-user-roles-updated"
  | "project-archived"
  | "project-created"
  | "project-deleted"
  | "project-environment-added"
  | "project-environment-removed"
  | "project-favorited"
  | "project-revived"
  | "project-unfavorited"
  | "project-updated"
  | "public-signup-token-created"
  | "public-signup-token-updated"
  | "public-signup-token-user-added"
  | "rollout-plan-advanced"
  | "rollout-plan-completed"
  | "rollout-plan-deleted"
  | "rollout-plan-paused"
  | "rollout-plan-resumed"
  | "rollout-plan-set"
  | "rollout-plan-stopped"
  | "segment-created"
  | "segment-deleted"
  | "segment-updated"
  | "session-ended"
  | "strategy-created"
  | "strategy-deleted"
  | "strategy-order-changed"
  | "strategy-updated"
  | "tag-created"
  | "tag-deleted"
  | "tag-type-created"
  | "tag-type-deleted"
  | "tag-type-updated"
  | "user-created"
  | "user-deleted"
  | "user-updated";

/** The id that an event got when it was recorded. */
export interface RecordedId {
  readonly id: number;
  readonly type: EventType;
}

interface Recorder {
  readonly record: (...newEvents: readonly NewEvent[]) => Promise<void>;
  /** What has been recorded. */
  readonly recorded: () => readonly NewEvent[];
  readonly ids: () => readonly RecordedId[];
}

/** Records the events of one author within a transaction. Events that change nothing are dropped. */
export function createRecorder(db: Database, actor: Actor): Recorder {
  const recorded: NewEvent[] = [];
  const ids: RecordedId[] = [];
  const record = async (...newEvents: readonly NewEvent[]): Promise<void> => {
    const relevant = newEvents.filter((event) => !isNoChange(event));
    if (relevant.length === 0) return;
    recorded.push(...relevant);

    const tagsOf = await readTags(db, relevant);
    for (const batch of batchesOf(relevant)) {
      const rows = batch.map((event) => toRow(event, actor, tagsOf(event.feature)));
      const inserted = await db
        .insert(events)
        .values(rows)
        .returning({ id: events.id, type: events.type });
      ids.push(...(inserted as readonly RecordedId[]));
    }
  };
  return { record, recorded: () => recorded, ids: () => ids };
}

/** Whether an event would be dropped. */
export function isNoChange({ before, after }: NewEvent): boolean {
  if (before === undefined || after === undefined) return false;
  return isEqualJson(before, after);
}

function toRow(event: NewEvent, actor: Actor, tags: readonly EventTag[]) {
  return {
    type: event.type,
    createdBy: actor.name,
    actorKind: actor.kind,
    actorId: actor.id,
    project: event.project ?? null,
    featureName: event.feature ?? null,
    environment: event.environment ?? null,
    preData: toJson(event.before),
    data: toJson(event.after),
    tags,
    changeRequestId: event.changeRequestId ?? null,
  };
}

type TagsOf = (feature: string | undefined) => readonly EventTag[];

async function readTags(db: Database, newEvents: readonly NewEvent[]): Promise<TagsOf> {
  const names = [...new Set(newEvents.flatMap(({ feature }) => feature ?? []))];
  if (names.length === 0) return () => [];
  const rows = await db.select().from(featureTags).where(inArray(featureTags.feature, names));
  const byFeature = groupBy(rows, (row) => row.feature);
  return (feature) =>
    (byFeature.get(feature ?? "") ?? []).map(({ type, value }) => ({ type, value }));
}
