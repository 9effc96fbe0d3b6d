import type { Migration } from "./migration.ts";

export const lastUseOfSessions: Migration = {
  version: 8,
  name: "last use of sessions",
  statements: [`alter table sessions add column seen_at timestamptz`],
};
