import { expect, test } from "vitest";
import { describeAge } from "./describe-age.ts";

const SECOND = 1000;
const HOUR = 3600 * SECOND;

test.each([
  [-SECOND, "less than a second ago"],
  [999, "less than a second ago"],
  [SECOND, "1 second ago"],
  [59.9 * SECOND, "59 seconds ago"],
  [60 * SECOND, "1 minute ago"],
  [HOUR, "1 hour ago"],
  [23.9 * HOUR, "23 hours ago"],
  [49 * HOUR, "2 days ago"],
])("describeAge(%i) is %j", (ageMs, expected) => {
  expect(describeAge(ageMs)).toBe(expected);
});
