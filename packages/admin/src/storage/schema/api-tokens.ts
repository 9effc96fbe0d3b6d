import { index, jsonb, pgTable, text, timestamp } from "drizzle-orm/pg-core";

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
