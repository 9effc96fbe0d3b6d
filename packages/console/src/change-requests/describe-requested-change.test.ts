import { expect, test } from "vitest";
import type { RequestedChange } from "../api/types.ts";
import { describeRequestedChange } from "./describe-requested-change.ts";

type Change = Pick<RequestedChange, "action" | "events" | "payload">;

test.each<[Change, string]>([
  [
    { action: "updateEnabled", events: [], payload: { enabled: true } },
    "Turn on checkout in production",
  ],
  [
    { action: "updateEnabled", events: [], payload: { enabled: false } },
    "Turn off checkout in production",
  ],
  [
    { action: "addStrategy", events: [], payload: { name: "flexibleRollout" } },
    "Add a strategy (Gradual rollout) to checkout in production",
  ],
  [
    { action: "updateStrategy", events: [], payload: { name: "default", title: "Pilot" } },
    "Change the strategy “Pilot” of checkout in production",
  ],
  [
    { action: "moveFeature", events: [], payload: { newProjectId: "blog" } },
    "Move checkout to the project blog",
  ],
  [
    {
      action: "setRolloutPlan",
      events: [],
      payload: {
        steps: [
          { rollout: 10, holdMinutes: 60 },
          { rollout: 100, holdMinutes: null },
        ],
      },
    },
    "Roll out a strategy of checkout in production in steps: 10% for 1 hour, then 100%",
  ],
  [
    { action: "replaceRules", events: [], payload: { strategies: [] } },
    "Replace the strategies and variants of checkout in production",
  ],
  [
    { action: "replaceRules", events: [], payload: { strategies: [], enabled: true } },
    "Replace the strategies and variants of checkout in production, and turn it on",
  ],
  // What was recorded may have any form.
  [
    { action: "deleteStrategy", events: [], payload: {} },
    "Remove a strategy ((unnamed)) from checkout in production",
  ],
])("describes %j", (change, sentence) => {
  expect(describeRequestedChange({ change, flag: "checkout", environment: "production" })).toBe(
    sentence,
  );
});
