import { expect, test } from "vitest";
import type { Strategy } from "../api/types.ts";
import { compareEnvironments, isDifferent, pairStrategies } from "./compare-environments.ts";

const NAMES = { segments: [], types: [] };

let nextId = 0;
function rollout(percentage: string, part: Partial<Strategy> = {}): Strategy {
  nextId += 1;
  return {
    id: String(nextId),
    name: "flexibleRollout",
    title: null,
    disabled: false,
    parameters: { rollout: percentage, stickiness: "default", groupId: "f" },
    constraints: [],
    segments: [],
    variants: [],
    sortOrder: nextId,
    ...part,
  };
}
const variant = (name: string, weight: number) => ({
  name,
  weight,
  weightType: "variable" as const,
  stickiness: "default",
});

test("pairs equal strategies, then those with the same title, then those of the same type", () => {
  const users = rollout("0", { name: "userWithId", parameters: { userIds: "anna" } });
  const left = [rollout("10", { title: "Pilot" }), rollout("50"), rollout("5"), users];
  const right = [rollout("50"), rollout("7"), rollout("90", { title: "Pilot" })];
  const [a, b, c] = right;
  expect(pairStrategies(left, right).map(([, partner]) => partner)).toEqual([c, a, b, undefined]);
  expect(pairStrategies([], [users])).toEqual([[undefined, users]]);
});

test("says in words what differs", () => {
  const parts = compareEnvironments(
    { enabled: true, strategies: [rollout("25"), rollout("50", { title: "Pilot" })], variants: [] },
    {
      enabled: false,
      strategies: [rollout("25"), rollout("60", { title: "Pilot", disabled: true })],
      variants: [variant("red", 1000)],
    },
    NAMES,
  );
  expect(parts).toEqual([
    {
      label: "State",
      left: "On",
      right: "Off",
      differences: [{ path: [], before: "On", after: "Off" }],
    },
    { label: "Strategy 1", left: "For 25% of users", right: "For 25% of users", differences: [] },
    {
      label: "Pilot",
      left: "For 50% of users",
      right: "Disabled: for 60% of users",
      differences: [
        { path: ["percentage"], before: "50%", after: "60%" },
        { path: ["disabled"], after: true },
      ],
    },
    {
      label: "Variants of the environment",
      left: undefined,
      right: "red",
      differences: [{ path: ["variant red"], after: "100%" }],
    },
  ]);
  expect(parts.map(isDifferent)).toEqual([true, false, true, true]);
});
