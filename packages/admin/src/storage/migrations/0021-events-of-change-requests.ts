import type { Migration } from "./migration.ts";

/** Which change request made a change. */
export const eventsOfChangeRequests: Migration = {
  version: 21,
  name: "events of change requests",
  statements: ["alter table events add column change_request integer"],
};
