import { sql } from "drizzle-orm";
import {
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from "drizzle-orm/pg-core";
import type { Actor, NewEvent } from "../events.ts";
import { users } from "./accounts.ts";
import { environments, projects } from "./projects.ts";

const time = (name: string) => timestamp(name, { withTimezone: true });

/** Who has requested something, and the person behind it. */
export interface Requester extends Actor {
  /** Id of the account of the person, or of the person who has created the token; null if nobody is known. */
  readonly userId: number | null;
}

/** The stored states. A request in review with enough approvals counts as approved. */
export type StoredState =
  | "Applied"
  | "Cancelled"
  | "Draft"
  | "In review"
  | "Rejected"
  | "Scheduled";

/** `failed`: it is tried again. `suspended`: a person has to decide. */
export type ScheduleStatus = "failed" | "pending" | "suspended";

/** Changes of flags in one environment of a project that are made together, later. */
export const changeRequests = pgTable(
  "change_requests",
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    project: text()
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    environment: text()
      .notNull()
      .references(() => environments.name, { onDelete: "cascade" }),
    title: text().notNull(),
    state: text().$type<StoredState>().notNull().default("Draft"),
    /** When it entered the states, in ISO 8601. */
    stateTimes: jsonb("state_times")
      .$type<Readonly<Record<string, string>>>()
      .notNull()
      .default({}),
    createdBy: jsonb("created_by").$type<Requester>().notNull(),
    createdAt: time("created_at").notNull().defaultNow(),
    /** When its changes last changed. */
    updatedAt: time("updated_at").notNull().defaultNow(),
    scheduledAt: time("scheduled_at"),
    /** Who has scheduled it. It is applied in their name. */
    scheduledBy: jsonb("scheduled_by").$type<Requester>(),
    scheduleStatus: text("schedule_status").$type<ScheduleStatus>(),
    /** Why it is suspended or failed. */
    scheduleReason: text("schedule_reason"),
    /** When the first attempt failed for a reason that may pass. */
    retryingSince: time("retrying_since"),
    appliedBy: jsonb("applied_by").$type<Requester>(),
    /** How many approvals it required when it was applied; null also if an earlier version applied it. */
    requiredApprovals: integer("required_approvals"),
    /** Why it was applied without the approvals that it required. */
    skipReason: text("skip_reason"),
  },
  (table) => [
    index("change_requests_place").on(table.project, table.environment),
    index("change_requests_due")
      .on(table.scheduledAt)
      .where(sql`state = 'Scheduled' and schedule_status <> 'suspended'`),
  ],
);

/** The changes of a request, in the order in which they are made. */
export const changeRequestChanges = pgTable(
  "change_request_changes",
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    request: integer()
      .notNull()
      .references(() => changeRequests.id, { onDelete: "cascade" }),
    /** Null for changes of segments and for imports. */
    feature: text(),
    action: text().notNull(),
    payload: jsonb(),
    /** The events that it recorded when it was last tried. */
    expected: jsonb().$type<readonly NewEvent[]>().notNull(),
    /** The environments of projects in which these events change results. */
    affected: jsonb()
      .$type<readonly { readonly project: string; readonly environment: string }[]>()
      .notNull(),
    createdBy: jsonb("created_by").$type<Requester>().notNull(),
    createdAt: time("created_at").notNull().defaultNow(),
  },
  (table) => [
    index("change_request_changes_request").on(table.request),
    index("change_request_changes_feature").on(table.feature),
  ],
);

/** Approvals and rejections. An edit of the request deletes them. */
export const changeRequestReviews = pgTable(
  "change_request_reviews",
  {
    request: integer()
      .notNull()
      .references(() => changeRequests.id, { onDelete: "cascade" }),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    approved: boolean().notNull(),
    createdAt: time("created_at").notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.request, table.userId] })],
);

/** Who has been asked to review a request. */
export const changeRequestReviewers = pgTable(
  "change_request_reviewers",
  {
    request: integer()
      .notNull()
      .references(() => changeRequests.id, { onDelete: "cascade" }),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
  },
  (table) => [primaryKey({ columns: [table.request, table.userId] })],
);

export const changeRequestComments = pgTable(
  "change_request_comments",
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    request: integer()
      .notNull()
      .references(() => changeRequests.id, { onDelete: "cascade" }),
    text: text().notNull(),
    createdBy: jsonb("created_by").$type<Requester>().notNull(),
    createdAt: time("created_at").notNull().defaultNow(),
  },
  (table) => [index("change_request_comments_request").on(table.request)],
);
