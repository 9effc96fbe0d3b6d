import type { Migration } from "./migration.ts";

export const sessions: Migration = {
  version: 4,
  name: "sessions",
  statements: [
    `create table sessions (
      id_hash text primary key,
      user_id text not null,
      token_id text references api_tokens (id) on delete cascade,
      issuer text,
      user_name text not null,
      role text,
      created_at timestamptz not null,
      expires_at timestamptz not null
    )`,
    `create index sessions_user on sessions (user_id, created_at)`,
    `create index sessions_token on sessions (token_id)`,
    `create index sessions_expiry on sessions (expires_at)`,
  ],
};
