import { index, integer, jsonb, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import { users } from "./accounts.ts";

export type ApiTokenType = "admin" | "backend" | "editor" | "frontend" | "viewer";

export const apiTokens = pgTable(
  "api_tokens",
  {
    id: text().primaryKey(),
    name: text().notNull(),
    /** SHA-256 of the token, in hex. The token itself is never stored. */
    secretHash: text("secret_hash").notNull().unique(),
    type: text().$type<ApiTokenType>().notNull(),
    /** `*` for tokens of the admin API. */
    environment: text().notNull(),
    /** Project ids, or only `*` for all projects. */
    projects: jsonb().$type<readonly string[]>().notNull(),
    expiresAt: timestamp("expires_at", { withTimezone: true }),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
    createdBy: text("created_by").notNull(),
    /** Id of the account of the person who has created it, perhaps with another token; null if it is not known. */
    createdByUser: integer("created_by_user"),
    seenAt: timestamp("seen_at", { withTimezone: true }),
  },
  (table) => [index("api_tokens_name").on(table.name)],
);

/** Tokens that must not be created again, although the environment may list them. */
export const deletedTokens = pgTable(
  "deleted_tokens",
  {
    /** As in `apiTokens`. */
    secretHash: text("secret_hash").primaryKey(),
    /** When the token was deleted or, if that is later, when the service last started with it in its environment. */
    usedAt: timestamp("used_at", { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [index("deleted_tokens_used_at").on(table.usedAt)],
);

/** Signed-in users of the console. Left out of backups. */
export const sessions = pgTable(
  "sessions",
  {
    /** SHA-256 of the id in the cookie, in hex. The id itself is never stored. */
    idHash: text("id_hash").primaryKey(),
    /** Identifies the user: see `Caller`. */
    userId: text("user_id").notNull(),
    /** The token with which the user signed in; null for an account. */
    tokenId: text("token_id").references(() => apiTokens.id, { onDelete: "cascade" }),
    /** The account of the user; null for a token. */
    account: integer().references(() => users.id, { onDelete: "cascade" }),
    /** Issuer that has identified the user at the sign-in; null for a token or a password. */
    issuer: text(),
    /** Name of the user at the sign-in. */
    userName: text("user_name").notNull(),
    /** Not read any more: versions without accounts take the role of users of OpenID Connect from here. */
    role: text(),
    /** The address and the browser that have signed in. */
    address: text(),
    userAgent: text("user_agent"),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
    /** When it was last used for the admin API, accurate to a minute. */
    seenAt: timestamp("seen_at", { withTimezone: true }),
  },
  (table) => [
    index("sessions_user").on(table.userId, table.createdAt),
    index("sessions_token").on(table.tokenId),
    index("sessions_account").on(table.account),
    index("sessions_expiry").on(table.expiresAt),
  ],
);
