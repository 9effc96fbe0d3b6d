import { asc, gt, sql } from "drizzle-orm";
import { writeEvent } from "flags-server-kit/neutral";
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

/**
 * Reads the events after the one with this id, oldest first. That of a flag that moved is two changes: one of the project
 * that it left, and one of the project that it is in now.
 *
 * @param limit of the events
 */
export async function readChanges(
  db: Database,
  afterId: number,
  limit: number,
): Promise<readonly Change[]> {
  const rows = await db
    .select({
      id: events.id,
      type: events.type,
      project: events.project,
      feature: events.featureName,
      environment: events.environment,
      createdBy: events.createdBy,
      createdAt: events.createdAt,
      oldProject: sql<string | null>`case when ${events.type} = 'feature-project-change'
        then ${events.data} ->> 'oldProject' end`,
    })
    .from(events)
    .where(gt(events.id, afterId))
    .orderBy(asc(events.id))
    .limit(limit);
  return rows.flatMap(({ oldProject, ...change }) =>
    oldProject === null ? change : [{ ...change, project: oldProject }, change],
  );
}

/** A change as streams send it. */
interface EncodedChange {
  readonly id: number;
  readonly project: string | null;
  readonly bytes: Buffer;
}

/** The latest changes, as all streams send them. */
export class RecentChanges {
  readonly #maxChanges: number;
  /** Oldest first. */
  #changes: readonly EncodedChange[] = [];
  /** Every change with a higher id is known. */
  #completeSince: number;
  #latestId: number;

  /** @param latestId id of the latest change, which is not included */
  constructor(maxChanges: number, latestId = 0) {
    this.#maxChanges = maxChanges;
    this.#completeSince = latestId;
    this.#latestId = latestId;
  }

  /** Id of the latest change. */
  get latestId(): number {
    return this.#latestId;
  }

  /** Adds changes, oldest first, that follow the latest one. Ignores those that are already known. */
  append(changes: readonly Change[]): void {
    const added = changes.filter(({ id }) => id > this.#latestId).map(encode);
    const all = [...this.#changes, ...added];
    this.#changes = all.slice(-this.#maxChanges);
    this.#completeSince = all.at(-this.#maxChanges - 1)?.id ?? this.#completeSince;
    this.#latestId = added.at(-1)?.id ?? this.#latestId;
  }

  /** Returns the events after a change; undefined if some of them are not known. */
  since(id: number): readonly EncodedChange[] | undefined {
    if (id < this.#completeSince || id > this.#latestId) return undefined;
    return this.#changes.filter((change) => change.id > id);
  }
}

function encode(change: Change): EncodedChange {
  const { id, project } = change;
  return {
    id,
    project,
    bytes: Buffer.from(writeEvent({ name: "change", id, data: JSON.stringify(change) })),
  };
}
