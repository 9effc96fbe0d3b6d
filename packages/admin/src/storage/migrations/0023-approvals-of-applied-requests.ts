import type { Migration } from "./migration.ts";

/** How many approvals an applied change request required. */
export const approvalsOfAppliedRequests: Migration = {
  version: 23,
  name: "approvals of applied change requests",
  statements: ["alter table change_requests add column required_approvals integer"],
};
