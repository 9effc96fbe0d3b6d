import { expect, test } from "vitest";
import type { RecordedEvent } from "../api/types.ts";
import { describeEvent, EVENT_TYPES } from "./describe-event.ts";

const event = (type: string, more: Partial<RecordedEvent> = {}): RecordedEvent => ({
  id: 1,
  type,
  createdBy: "Anna",
  createdByUserId: -42,
  createdAt: "2026-03-01T10:00:00.000Z",
  project: "default",
  featureName: "checkout",
  environment: "production",
  preData: null,
  data: null,
  tags: [],
  ...more,
});

test.each<[string, Partial<RecordedEvent>, string]>([
  ["feature-environment-enabled", {}, "Anna turned on checkout in production"],
  ["feature-environment-disabled", {}, "Anna turned off checkout in production"],
  [
    "feature-strategy-add",
    { data: { name: "flexibleRollout", title: null } },
    "Anna added a strategy (Gradual rollout) to checkout in production",
  ],
  [
    "feature-strategy-add",
    { data: { name: "flexibleRollout", title: "", parameters: { rollout: "25" }, segments: [7] } },
    "Anna added a strategy for 25% of users in the segment 7 to checkout in production",
  ],
  [
    "feature-strategy-update",
    { data: { title: "Beta", name: "default", parameters: {} } },
    "Anna changed the strategy “Beta” (for everyone) of checkout in production",
  ],
  [
    "feature-strategy-update",
    { data: { title: "Beta" } },
    "Anna changed the strategy “Beta” of checkout in production",
  ],
  [
    "feature-strategy-remove",
    { preData: { name: "lunar" } },
    "Anna removed a strategy (lunar) from checkout in production",
  ],
  [
    "feature-project-change",
    { data: { oldProject: "shop", newProject: "blog" } },
    "Anna moved checkout from the project shop to blog",
  ],
  [
    "feature-tagged",
    { data: { type: "simple", value: "team-a" } },
    "Anna added the tag simple:team-a to checkout",
  ],
  [
    "rollout-plan-set",
    {
      data: {
        steps: [
          { rollout: 5, holdMinutes: 60 },
          { rollout: 100, holdMinutes: null },
        ],
      },
    },
    "Anna set a rollout plan for checkout in production: 5%, 100%",
  ],
  [
    "rollout-plan-advanced",
    { data: { step: 1, stepCount: 4, rollout: 25 } },
    "Anna moved the rollout plan of checkout in production to step 2 of 4 (25%)",
  ],
  [
    "rollout-plan-paused",
    { data: { step: 0, stepCount: 4, rollout: 5, reason: "The flag is off in production" } },
    "Anna paused the rollout plan of checkout in production at step 1 of 4 (5%): The flag is off in production",
  ],
  [
    "rollout-plan-completed",
    { data: { rollout: 100 } },
    "Anna completed the rollout plan of checkout in production at 100%",
  ],
  // Recorded before events named the percentages.
  [
    "rollout-plan-advanced",
    { data: { step: 1 } },
    "Anna moved the rollout plan of checkout in production to step 2",
  ],
  [
    "rollout-plan-paused",
    { data: { reason: "The flag is off in production" } },
    "Anna paused the rollout plan of checkout in production: The flag is off in production",
  ],
  ["feature-dependency-added", { data: { feature: "base" } }, "Anna made checkout depend on base"],
  [
    "feature-dependency-removed",
    { preData: { feature: "base" } },
    "Anna removed the dependency of checkout on base",
  ],
  [
    "features-imported",
    { data: { created: ["a"], updated: ["b", "c"] } },
    "Anna imported flags into the project default: 1 new, 2 changed",
  ],
  ["segment-deleted", { preData: { name: "nordics" } }, "Anna deleted the segment nordics"],
  ["api-token-created", { data: { tokenName: "web" } }, "Anna created the API token web"],
  ["session-ended", { preData: { user: { name: "Ben" } } }, "Anna ended a session of Ben"],
  ["project-environment-added", {}, "Anna added the environment production to the project default"],
])("describes %s", (type, more, sentence) => {
  expect(describeEvent(event(type, more))).toBe(sentence);
});

test("describes every type without recorded states", () => {
  for (const { id, label } of EVENT_TYPES) {
    expect(label).toMatch(/^[A-Z]/);
    expect(describeEvent(event(id))).toMatch(/^Anna [a-z]+ /);
    expect(describeEvent(event(id))).not.toContain("undefined");
  }
});

test("names the service, and describes types of newer versions", () => {
  expect(describeEvent(event("project-created", { createdByUserId: -1337 }))).toBe(
    "The service created the project default",
  );
  expect(describeEvent(event("constructor"))).toBe("Anna made a change of type constructor");
});
