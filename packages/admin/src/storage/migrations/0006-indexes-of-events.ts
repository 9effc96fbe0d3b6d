import type { Migration } from "./migration.ts";

export const indexesOfEvents: Migration = {
  version: 6,
  name: "indexes of events",
  statements: [
    // For the retention, and for searches by time.
    `create index events_created_at on events (created_at)`,
    // For the latest event of each type in each environment.
    `create index events_latest on events (type, environment, id)`,
  ],
};
