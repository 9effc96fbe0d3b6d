import { expect, test } from "vitest";
import type { EventType } from "../../../admin/src/storage/events.ts";
import { invalidatedKeys } from "./live-changes.ts";

const FLAG = ["evaluation", "cleanup", "flags", "flag"];
const STRATEGY = [...FLAG, "segments", "context-fields"];
const FLAG_LIST = ["evaluation", "projects", "applications", "cleanup", "flags", "flag"];
const ARCHIVE = [...FLAG_LIST, "segments", "context-fields", "environments"];
const PROJECT = ["evaluation", "projects", "environments", "flags", "flag"];
const ENVIRONMENT = [
  "evaluation",
  "environments",
  "projects",
  "flags",
  "flag",
  // Requests say how many approvals they require.
  "change-requests",
];
const SEGMENT = ["evaluation", "segments", "flag"];
const STRATEGY_TYPE = ["evaluation", "strategy-types"];
const USERS = ["access", "session", "sessions", "users"];
const ACCESS = [...PROJECT, "access", "session"];
const INVITE_LINKS = ["invite-links", "users"];
const TAGS = ["tags", "tag-types"];

/** The resources that the console refetches after a change of each type, besides events. */
const INVALIDATED: Readonly<Record<EventType, readonly string[]>> = {
  "addon-config-created": ["addons"],
  "addon-config-deleted": ["addons"],
  "addon-config-updated": ["addons"],
  "api-token-created": ["tokens", "environments", "sessions"],
  "api-token-deleted": ["tokens", "environments", "sessions"],
  "api-token-updated": ["tokens", "environments", "sessions"],
  "application-deleted": ["applications"],
  "change-added": ["change-requests"],
  "change-discarded": ["change-requests"],
  "change-edited": ["change-requests"],
  "change-request-applied": ["change-requests"],
  "change-request-applied-without-approval": ["change-requests"],
  "change-request-approval-added": ["change-requests"],
  "change-request-approved": ["change-requests"],
  "change-request-cancelled": ["change-requests"],
  "change-request-comment-added": ["change-requests"],
  "change-request-configuration-updated": ["projects", "change-requests"],
  "change-request-created": ["change-requests"],
  "change-request-discarded": ["change-requests"],
  "change-request-rejected": ["change-requests"],
  "change-request-requested-approvers-updated": ["change-requests"],
  "change-request-schedule-suspended": ["change-requests"],
  "change-request-scheduled": ["change-requests"],
  "change-request-scheduled-application-failure": ["change-requests"],
  "change-request-scheduled-application-success": ["change-requests"],
  "change-request-sent-to-review": ["change-requests"],
  "change-request-unscheduled": ["change-requests"],
  "context-field-created": ["context-fields"],
  "context-field-deleted": ["context-fields"],
  "context-field-updated": ["context-fields"],
  "default-strategy-updated": ["environments"],
  "environment-created": ENVIRONMENT,
  "environment-deleted": ENVIRONMENT,
  "environment-disabled": ENVIRONMENT,
  "environment-enabled": ENVIRONMENT,
  "environment-updated": ENVIRONMENT,
  "feature-archived": ARCHIVE,
  "feature-completed": FLAG,
  "feature-created": FLAG_LIST,
  "feature-deleted": FLAG_LIST,
  "feature-dependencies-removed": FLAG,
  "feature-dependency-added": FLAG,
  "feature-dependency-removed": FLAG,
  "feature-environment-disabled": [...FLAG, "environments"],
  "feature-environment-disabled-without-approval": [...FLAG, "environments"],
  "feature-environment-enabled": [...FLAG, "environments"],
  "feature-environment-variants-updated": FLAG,
  "feature-favorited": ["flags", "flag"],
  "feature-link-added": FLAG,
  "feature-link-removed": FLAG,
  "feature-link-updated": FLAG,
  "feature-metadata-updated": FLAG,
  "feature-project-change": [...STRATEGY, "projects", "applications"],
  "feature-restored": FLAG,
  "feature-revived": ARCHIVE,
  "feature-potentially-stale-off": FLAG,
  "feature-potentially-stale-on": FLAG,
  "feature-stale-off": FLAG,
  "feature-stale-on": FLAG,
  "feature-stale-snoozed": FLAG,
  "feature-stale-unsnoozed": FLAG,
  "feature-strategy-add": STRATEGY,
  "feature-strategy-remove": STRATEGY,
  "feature-strategy-update": STRATEGY,
  "feature-tagged": [...FLAG, ...TAGS],
  "feature-uncompleted": FLAG,
  "feature-unfavorited": ["flags", "flag"],
  "feature-untagged": [...FLAG, ...TAGS],
  "feature-type-updated": [...FLAG, "flag-types"],
  "features-imported": [...STRATEGY, "environments", "tag-types"],
  "pat-created": ["personal-tokens"],
  "pat-deleted": ["personal-tokens"],
  "project-access-added": ACCESS,
  "project-access-updated": ACCESS,
  "project-access-user-roles-deleted": ACCESS,
  "project-access-user-roles-updated": ACCESS,
  "project-archived": PROJECT,
  "project-favorited": ["projects"],
  "project-unfavorited": ["projects"],
  "project-created": PROJECT,
  "project-deleted": PROJECT,
  "project-environment-added": PROJECT,
  "project-environment-removed": [...PROJECT, "segments", "context-fields"],
  "project-revived": PROJECT,
  "project-updated": PROJECT,
  "public-signup-token-created": INVITE_LINKS,
  "public-signup-token-updated": INVITE_LINKS,
  "public-signup-token-user-added": INVITE_LINKS,
  "rollout-plan-advanced": ["flags", "flag"],
  "rollout-plan-completed": ["flags", "flag"],
  "rollout-plan-deleted": ["flags", "flag"],
  "rollout-plan-paused": ["flags", "flag"],
  "rollout-plan-resumed": ["flags", "flag"],
  "rollout-plan-set": ["flags", "flag"],
  "rollout-plan-stopped": ["flags", "flag"],
  "segment-created": SEGMENT,
  "segment-deleted": SEGMENT,
  "segment-updated": SEGMENT,
  "session-ended": ["sessions"],
  "strategy-created": STRATEGY_TYPE,
  "strategy-deleted": STRATEGY_TYPE,
  "strategy-order-changed": FLAG,
  "strategy-updated": STRATEGY_TYPE,
  "tag-created": TAGS,
  "tag-deleted": [...TAGS, "cleanup", "flags", "flag"],
  "tag-type-created": TAGS,
  "tag-type-deleted": TAGS,
  "tag-type-updated": TAGS,
  "user-created": USERS,
  "user-deleted": USERS,
  "user-updated": USERS,
};

const change = {
  id: 1,
  project: "shop",
  feature: "checkout",
  environment: null,
  createdBy: "anna",
  createdAt: "2026-01-01T00:00:00.000Z",
};

test.each(Object.entries(INVALIDATED))("a change of type %s invalidates %j", (type, resources) => {
  const found = invalidatedKeys({ ...change, type }).map(([resource]) => resource);
  expect(found.toSorted()).toEqual(["events", ...resources].toSorted());
});

test("a change of one flag invalidates this flag and the list of its project", () => {
  const keys = invalidatedKeys({ ...change, type: "feature-stale-on" });
  expect(keys).toContainEqual(["flags", "shop"]);
  expect(keys).toContainEqual(["flag", "shop", "checkout"]);
});

test("a change without a project invalidates the flags of all projects", () => {
  const keys = invalidatedKeys({ ...change, type: "tag-deleted", project: null, feature: null });
  expect(keys).toContainEqual(["flags"]);
  expect(keys).toContainEqual(["flag"]);
});
