import { asc, gt } from "drizzle-orm";
import type { Database } from "../storage/database.ts";
import { events } from "../storage/schema/events.ts";

/**
 * The part of an event that is sent to the console, which reads the rest from the API when it
 * displays the event.
 */
export interface Change {
  readonly id: number;
  readonly type: string;
  readonly project: string | null;
  readonly feature: string | null;
  readonly environment: string | null;
  readonly createdBy: string;
  readonly createdAt: Date;
}

/** Reads the events after the one with this id, oldest first. */
export function readChanges(db: Database, afterId: number, limit: number): Promise<Change[]> {
  return db
    .select({
      id: events.id,
      type: events.type,
      project: events.project,
      feature: events.featureName,
      environment: events.environment,
      createdBy: events.createdBy,
      createdAt: events.createdAt,
    })
    .from(events)
    .where(gt(events.id, afterId))
    .orderBy(asc(events.id))
    .limit(limit);
}
