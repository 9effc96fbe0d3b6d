import { bigint, index, integer, jsonb, pgTable, text, timestamp } from "drizzle-orm/pg-core";

/** Recorded events. Ids are in commit order: an event with a higher id was committed later. */
export const events = pgTable(
  "events",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    type: text().notNull(),
    createdBy: text("created_by").notNull(),
    /** Kind of the author: `token`, `user` or `system`; in old events also `openid`, with issuer and subject as the id. */
    actorKind: text("actor_kind").notNull(),
    actorId: text("actor_id"),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
    project: text(),
    featureName: text("feature_name"),
    environment: text(),
    /** The state before the change; null for a creation. */
    preData: jsonb("pre_data"),
    /** The state after the change; null for a deletion. */
    data: jsonb(),
    tags: jsonb().$type<readonly EventTag[]>().notNull().default([]),
    /** Id of the change request that the event is about, or that has made the change. */
    changeRequestId: integer("change_request"),
  },
  (table) => [
    index("events_feature").on(table.featureName),
    index("events_project").on(table.project),
    index("events_type").on(table.type),
    index("events_created_at").on(table.createdAt),
    index("events_author").on(table.createdBy, table.actorKind),
    index("events_environment").on(table.environment, table.createdAt),
    index("events_latest").on(table.type, table.environment, table.id),
  ],
);

export interface EventTag {
  readonly type: string;
  readonly value: string;
}
