import type { Migration } from "./migration.ts";

export const deletedTokens: Migration = {
  version: 7,
  name: "deleted tokens",
  statements: [
    `create table deleted_tokens (
      secret_hash text primary key,
      used_at timestamptz not null default now()
    )`,
    // For the retention.
    `create index deleted_tokens_used_at on deleted_tokens (used_at)`,
  ],
};
