import type { Migration } from "./migration.ts";

export const authorsAndEnvironmentsOfEvents: Migration = {
  version: 10,
  name: "authors and environments of events",
  statements: [
    // To list the authors without reading all events, and for searches by author.
    `create index events_author on events (created_by, actor_kind)`,
    // For the number of changes in each environment, and for searches by environment.
    `create index events_environment on events (environment, created_at)`,
  ],
};
