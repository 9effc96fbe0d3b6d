import { inArray } from "drizzle-orm";
import type { Actor, NewEvent } from "./event.ts";
import { batchesOf, type Database, groupBy, isEqualJson, toJson } from "./database.ts";
import { events, type EventTag } from "./schema/events.ts";
import { featureTags } from "./schema/tags.ts";

interface Recorder {
  readonly record: (...newEvents: readonly NewEvent[]) => Promise<void>;
  /** Id of the last recorded event; undefined if nothing was recorded. */
  readonly lastId: () => number | undefined;
}

/** Records the events of one author within a transaction. Events that change nothing are dropped. */
export function createRecorder(db: Database, actor: Actor): Recorder {
  let lastId: number | undefined;
  const record = async (...newEvents: readonly NewEvent[]): Promise<void> => {
    const relevant = newEvents.filter((event) => !isNoChange(event));
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

async function readTags(db: Database, newEvents: readonly NewEvent[]): Promise<TagsOf> {
  const names = [...new Set(newEvents.flatMap(({ feature }) => feature ?? []))];
  if (names.length === 0) return () => [];
  const rows = await db.select().from(featureTags).where(inArray(featureTags.feature, names));
  const byFeature = groupBy(rows, (row) => row.feature);
  return (feature) =>
    (byFeature.get(feature ?? "") ?? []).map(({ type, value }) => ({ type, value }));
}
