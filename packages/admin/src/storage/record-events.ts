import { inArray } from "drizzle-orm";
import { groupBy } from "../group-by.ts";
import { batchesOf } from "./batches-of.ts";
import type { Database } from "./database.ts";
import type { Actor, NewEvent } from "./event.ts";
import { isEqualJson, toJson } from "./is-equal-json.ts";
import { events, type EventTag } from "./schema/events.ts";
import { featureTags } from "./schema/tags.ts";

export interface Recorder {
  readonly record: (...happened: readonly NewEvent[]) => Promise<void>;
  /** Id of the last event that was recorded. */
  readonly lastId: () => number | undefined;
}

/** Writes down, within a transaction, what its author did. */
export function createRecorder(db: Database, actor: Actor): Recorder {
  let lastId: number | undefined;
  const record = async (...happened: readonly NewEvent[]): Promise<void> => {
    const relevant = happened.filter((event) => !isNoChange(event));
    if (relevant.length === 0) return;

    const tagsOf = await readTags(db, relevant);
    for (const batch of batchesOf(relevant)) {
      const rows = batch.map((event) => toRow(event, actor, tagsOf(event.feature)));
      const inserted = await db.insert(events).values(rows).returning({ id: events.id });
      lastId = Math.max(lastId ?? 0, ...inserted.map(({ id }) => id));
    }
  };
  return { record, lastId: () => lastId };
}

function isNoChange({ before, after }: NewEvent): boolean {
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
  };
}

type TagsOf = (feature: string | undefined) => readonly EventTag[];

async function readTags(db: Database, happened: readonly NewEvent[]): Promise<TagsOf> {
  const names = [...new Set(happened.flatMap(({ feature }) => feature ?? []))];
  if (names.length === 0) return () => [];
  const rows = await db.select().from(featureTags).where(inArray(featureTags.feature, names));
  const byFeature = groupBy(rows, (row) => row.feature);
  return (feature) =>
    (byFeature.get(feature ?? "") ?? []).map(({ type, value }) => ({ type, value }));
}
