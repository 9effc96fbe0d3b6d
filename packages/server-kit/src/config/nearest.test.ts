import { expect, test } from "vitest";
import { findNearest } from "./nearest.ts";

const NAMES = ["refreshInterval", "metricsInterval", "cors.origin", "port"];

test.each([
  ["refreshIntervall", "refreshInterval"],
  ["RefreshInterval", "refreshInterval"],
  ["refeshIntreval", "refreshInterval"],
  ["cors.orgin", "cors.origin"],
  ["prot", undefined],
  ["pport", "port"],
  ["something", undefined],
  ["", undefined],
])("findNearest() takes %j for %j", (name, nearest) => {
  expect(findNearest(name, NAMES)).toBe(nearest);
});
