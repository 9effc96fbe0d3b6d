import { sql, type SQL } from "drizzle-orm";
import { type Database, firstRow, rowsOf } from "./database.ts";
import { EVENT_GROUPS } from "./event-groups.ts";
import type { RecordedId } from "./events.ts";

export interface Published {
  /** Id of the last event. */
  readonly revision: number;
  /** How many notifications are to be sent. */
  readonly queued: number;
}

/**
 * Tells all replicas of a change once it is committed, and queues its events for everyone who wants to be notified of them,
 * both in one statement. An event without a project or an environment concerns all of them.
 */
export async function publishChange(
  db: Database,
  channel: string,
  recorded: readonly RecordedId[],
): Promise<Published> {
  const revision = recorded.reduce((latest, { id }) => Math.max(latest, id), 0);
  const offered = recorded.flatMap(({ id, type }) => (EVENT_GROUPS[type] === "none" ? [] : id));
  const result = await db.execute(sql`
    with queued as (
      insert into notifications (addon, event, feature)
      select addons.id, events.id, coalesce(events.feature_name, '')
      from addons cross join jsonb_array_elements_text(${JSON.stringify(offered)}::jsonb) as recorded
      join events on events.id = recorded::bigint
      where addons.enabled and ${includes("events", "events.type")}
        and (events.project is null or ${includes("projects", "events.project")}
          or events.type = 'feature-project-change' and addons.projects ? (events.data ->> 'oldProject'))
        and (events.environment is null or ${includes("environments", "events.environment")})
      returning 1
    )
    select (select count(*) from queued) as queued, pg_notify(${channel}, ${String(revision)})`);
  return { revision, queued: Number(firstRow(rowsOf(result))["queued"]) };
}

/** Condition: a list of an addon contains a value, or all. */
function includes(list: "environments" | "events" | "projects", value: string): SQL {
  const column = sql.raw(`addons.${list}`);
  return sql`(jsonb_array_length(${column}) = 0 or ${column} ? '*' or ${column} ? ${sql.raw(value)})`;
}
