import { expect, test } from "vitest";
import {
  actionsOf,
  describeSteps,
  describeStepProblem,
  suggestStep,
  suggestSteps,
  targetOf,
  toStepDraft,
  toSteps,
} from "./plan-steps.ts";

test.each([
  [null, "person", 1],
  [90, "minutes", 90],
  [120, "hours", 2],
  [1440, "days", 1],
  [129_600, "days", 90],
] as const)("a step of %s minutes is edited in %s", (holdMinutes, unit, count) => {
  const draft = toStepDraft({ rollout: 10, holdMinutes });
  expect(draft).toEqual({ rollout: 10, unit, count });
  expect(toSteps([draft, draft])).toEqual([
    { rollout: 10, holdMinutes },
    { rollout: 10, holdMinutes: null },
  ]);
});

test("plans are described", () => {
  expect(
    describeSteps([
      { rollout: 10, holdMinutes: 1440 },
      { rollout: 50, holdMinutes: null },
      { rollout: 100, holdMinutes: null },
    ]),
  ).toBe("10% for 1 day, then 50% until somebody goes on, then 100%");
});

test.each([
  [0, [10, 25, 50, 100]],
  [30, [30, 50, 100]],
  [99.5, [100]],
  [100, [10, 25, 50, 100]],
])("a plan of a strategy at %s percent starts with %j", (rollout, percentages) => {
  expect(suggestSteps(rollout).map((step) => step.rollout)).toEqual(percentages);
});

test("added steps are larger than the last one", () => {
  const step = { rollout: 40, unit: "hours", count: 2 } as const;
  expect(suggestStep([step])).toEqual({ index: 1, step: { ...step, rollout: 80 } });
  expect(describeStepProblem(80, step)).toBeUndefined();
  expect(describeStepProblem(40, step)).toMatch("larger than 40%");
  expect(describeStepProblem(101, undefined)).toMatch("from 0 to 100");
});

test.each([
  [
    [10, 50, 100],
    [10, 50, 75, 100],
  ],
  [
    [10, 99, 100],
    [10, 55, 99, 100],
  ],
  [[100], [50, 100]],
  [[], [10]],
])("after everyone, no step is left: one is added to %j as %j", (before, after) => {
  const drafts = before.map((rollout) => ({ rollout, unit: "hours", count: 2 }) as const);
  const { index, step } = suggestStep(drafts);
  expect(drafts.toSpliced(index, 0, step as never).map(({ rollout }) => rollout)).toEqual(after);
});

const steps = [
  { rollout: 10, holdMinutes: 60 },
  { rollout: 50, holdMinutes: null },
  { rollout: 100, holdMinutes: null },
];

test.each([
  ["running", 0, ["pause", "skip"], undefined],
  ["paused", 0, ["resume", "skip"], undefined],
  ["waiting", 1, ["resume", "back"], 2],
  ["paused", 1, ["resume", "back"], 2],
  ["completed", 2, ["back"], undefined],
  ["stopped", 1, [], undefined],
] as const)("a plan that is %s at step %i offers %j", (state, step, actions, resumed) => {
  const plan = { steps, step, state };
  expect(actionsOf(plan)).toEqual(actions);
  if (actions.some((action) => action === "resume")) {
    expect(targetOf(plan, "resume")).toBe(resumed);
  }
});
