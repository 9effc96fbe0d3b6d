import { and, eq, gt, isNull, max, notInArray, or } from "drizzle-orm";
import type { Database } from "../storage/database.ts";
import type { EventType } from "../storage/event.ts";
import { events } from "../storage/schema/events.ts";

/** What SDKs do not see. Of any other event it is assumed that they might. */
const IRRELEVANT: readonly EventType[] = [
  "api-token-created",
  "api-token-deleted",
  "api-token-updated",
  "context-field-created",
  "context-field-deleted",
  "context-field-updated",
  "environment-created",
  "environment-disabled",
  "environment-enabled",
  "features-exported",
  "project-archived",
  "project-created",
  "project-revived",
  "project-updated",
  "strategy-created",
  "strategy-deleted",
  "strategy-updated",
  "tag-created",
  "tag-type-created",
  "tag-type-updated",
];

/**
 * The latest revision after `since` that changed what SDKs see of an environment, or undefined when
 * there was none.
 */
export async function findRelevantRevision(
  db: Database,
  environment: string,
  since: number,
): Promise<number | undefined> {
  const [row] = await db
    .select({ revision: max(events.id) })
    .from(events)
    .where(
      and(
        gt(events.id, since),
        notInArray(events.type, [...IRRELEVANT]),
        or(isNull(events.environment), eq(events.environment, environment)),
      ),
    );
  return row?.revision ?? undefined;
}
