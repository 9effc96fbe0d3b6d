import { expect, test } from "vitest";
import { describeBlocked } from "./describe-blocked.ts";

const variant = (name: string) => ({
  name,
  weight: 1000,
  weightType: "variable" as const,
  stickiness: "default",
});
const strategy = {
  id: "1",
  name: "default",
  title: null,
  disabled: false,
  parameters: {},
  constraints: [],
  segments: [],
  variants: [variant("red")],
  sortOrder: 0,
};
const environment = { strategies: [strategy], variants: [variant("old")] };
const PARENT = {
  name: "base",
  archived: false,
  environments: [
    { ...environment, name: "live", enabled: true },
    { ...environment, name: "test", enabled: false },
  ],
};

test.each([
  [true, [], "live", undefined],
  [true, [], "test", "Still off for everyone: it depends on base, which is off here."],
  [true, [], "elsewhere", "Still off for everyone: it depends on base, which is off here."],
  [true, ["blue", "red"], "live", undefined],
  [true, ["old"], "live", undefined],
  [
    true,
    ["blue"],
    "live",
    "Still off for everyone: it depends on base, which has no such variant here.",
  ],
  [false, [], "live", undefined],
  [false, [], "test", undefined],
])(
  "with a parent that must be on: %j, with the variants %j, in %s",
  (enabled, variants, place, text) => {
    expect(describeBlocked({ feature: "base", enabled, variants }, PARENT, place)).toBe(text);
  },
);

test("an archived parent is off everywhere", () => {
  const dependency = { feature: "base", enabled: true, variants: [] };
  expect(describeBlocked(dependency, { ...PARENT, archived: true }, "live")).toMatch(
    "is archived.",
  );
});
