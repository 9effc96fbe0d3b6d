import { expect, test } from "vitest";
import { toClientFeature } from "./client-feature.ts";

const STORED = {
  name: "f",
  type: "release",
  enabled: true,
  project: "default",
  stale: false,
  description: null,
  impressionData: false,
  variants: [],
};
const strategy = { name: "default", constraints: [], parameters: {}, variants: [] };

test.each([
  [[], true, 0],
  [[false], true, 1],
  [[true, false], true, 1],
  [[true], false, 0],
  [[true, true], false, 0],
])("toClientFeature() with strategies disabled %j is enabled: %s", (disabled, enabled, count) => {
  const strategies = disabled.map((isDisabled) => ({ disabled: isDisabled, strategy }));
  const feature = toClientFeature(STORED, strategies, []);
  expect(feature.enabled).toBe(enabled);
  expect(feature.strategies).toHaveLength(count);
  expect(toClientFeature({ ...STORED, enabled: false }, strategies, []).enabled).toBe(false);
});

test("toClientFeature() omits an empty list of dependencies", () => {
  expect(toClientFeature(STORED, [], [])).not.toHaveProperty("dependencies");
  const dependencies = [{ feature: "parent", enabled: true }];
  expect(toClientFeature(STORED, [], dependencies)).toMatchObject({ dependencies });
});
