import { sql } from "drizzle-orm";
import {
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { projects } from "./projects.ts";

const time = (name: string) => timestamp(name, { withTimezone: true });

/** People. Those who sign in with OpenID Connect are identified by issuer and subject, others by user name. */
export const users = pgTable(
  "users",
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    /** Unique, regardless of case; null for OpenID Connect. */
    username: text(),
    /** Unique among the users with a password, regardless of case. For OpenID Connect, nobody has verified it. */
    email: text(),
    name: text().notNull().default(""),
    /** In the whole service: `admin`, `editor` or `viewer`. */
    role: text().$type<"admin" | "editor" | "viewer">().notNull(),
    /** Whether an admin has chosen the role, so that a sign-in without a role in the claims keeps it. */
    roleAssigned: boolean("role_assigned").notNull().default(false),
    /** A PHC string; null until the user has chosen a password, and for OpenID Connect. */
    passwordHash: text("password_hash"),
    issuer: text(),
    subject: text(),
    disabledAt: time("disabled_at"),
    createdAt: time("created_at").notNull().defaultNow(),
    createdBy: text("created_by").notNull(),
    /** When the user was last active, accurate to a minute. */
    seenAt: time("seen_at"),
  },
  (table) => [
    uniqueIndex("users_username").on(sql`lower(${table.username})`),
    uniqueIndex("users_email")
      .on(sql`lower(${table.email})`)
      .where(sql`${table.issuer} is null`),
    uniqueIndex("users_identity").on(table.issuer, table.subject),
  ],
);

/** Links with which a user chooses a password, or signs in. */
export const userLinks = pgTable(
  "user_links",
  {
    /** SHA-256 of the secret in the link, in hex. */
    secretHash: text("secret_hash").primaryKey(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    kind: text().$type<"invite" | "reset" | "sign-in">().notNull(),
    createdAt: time("created_at").notNull().defaultNow(),
    createdBy: text("created_by").notNull(),
    expiresAt: time("expires_at").notNull(),
    usedAt: time("used_at"),
  },
  (table) => [index("user_links_user").on(table.userId)],
);

/** Links with which several people create accounts. */
export const inviteLinks = pgTable("invite_links", {
  /** Identifies the link in paths. It is not a secret. */
  id: text().primaryKey(),
  secretHash: text("secret_hash").notNull().unique(),
  name: text().notNull(),
  enabled: boolean().notNull().default(true),
  expiresAt: time("expires_at").notNull(),
  createdAt: time("created_at").notNull().defaultNow(),
  createdBy: text("created_by").notNull(),
});

/** Who has used an invite link. */
export const invitedUsers = pgTable(
  "invited_users",
  {
    link: text()
      .notNull()
      .references(() => inviteLinks.id, { onDelete: "cascade" }),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
  },
  (table) => [primaryKey({ columns: [table.link, table.userId] })],
);

/** Tokens with which scripts act as a user. */
export const personalTokens = pgTable(
  "personal_tokens",
  {
    id: integer().primaryKey().generatedAlwaysAsIdentity(),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    secretHash: text("secret_hash").notNull().unique(),
    description: text().notNull(),
    expiresAt: time("expires_at").notNull(),
    createdAt: time("created_at").notNull().defaultNow(),
    seenAt: time("seen_at"),
  },
  (table) => [unique().on(table.userId, table.description)],
);

/** Codes with which the first admin creates an account. */
export const setupCodes = pgTable("setup_codes", {
  secretHash: text("secret_hash").primaryKey(),
  createdAt: time("created_at").notNull().defaultNow(),
  expiresAt: time("expires_at").notNull(),
});

/** The roles of users in projects. */
export const projectMembers = pgTable(
  "project_members",
  {
    project: text()
      .notNull()
      .references(() => projects.id, { onDelete: "cascade" }),
    userId: integer("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    role: text().$type<"member" | "owner">().notNull(),
    /** Who has granted it: an owner, or the claims at the latest sign-in. */
    source: text().$type<"assigned" | "claims">().notNull().default("assigned"),
    addedAt: time("added_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.project, table.userId, table.source] }),
    index("project_members_user").on(table.userId),
  ],
);
