import { index, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import { apiTokens } from "./api-tokens.ts";

/** Signed-in users of the console. Left out of backups. */
export const sessions = pgTable(
  "sessions",
  {
    /** SHA-256 of the id in the cookie, in hex. The id itself is never stored. */
    idHash: text("id_hash").primaryKey(),
    /** Identifies the user: id of a token, or issuer and subject of OpenID Connect. */
    userId: text("user_id").notNull(),
    /** The token with which the user signed in; null for OpenID Connect. */
    tokenId: text("token_id").references(() => apiTokens.id, { onDelete: "cascade" }),
    /** Issuer of the identity of the user; null for a token. */
    issuer: text(),
    /** Name of the user at the sign-in. */
    userName: text("user_name").notNull(),
    /** `admin`, `editor` or `viewer`; null for a token, whose type decides. */
    role: text(),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    expiresAt: timestamp("expires_at", { withTimezone: true }).notNull(),
  },
  (table) => [
    index("sessions_user").on(table.userId, table.createdAt),
    index("sessions_token").on(table.tokenId),
    index("sessions_expiry").on(table.expiresAt),
  ],
);
