import { expect, test } from "vitest";
import { checkParameters } from "./check-parameters.ts";

const defaults = { feature: "flag", stickiness: "userId" };

test("checkParameters() completes a flexible rollout", () => {
  expect(checkParameters("flexibleRollout", {}, defaults)).toEqual({
    rollout: "100",
    stickiness: "userId",
    groupId: "flag",
  });
  expect(
    checkParameters("flexibleRollout", { rollout: 0, stickiness: "", groupId: "g" }, defaults),
  ).toEqual({ rollout: "0", stickiness: "userId", groupId: "g" });
});

test("checkParameters() keeps values as text", () => {
  expect(checkParameters("own", { a: 1.5, b: true, c: "x" }, defaults)).toEqual({
    a: "1.5",
    b: "true",
    c: "x",
  });
});

test.each(["-1", "101", "abc", "", " ", "NaN"])(
  "checkParameters() refuses a share of %j",
  (share) => {
    expect(() => checkParameters("flexibleRollout", { rollout: share }, defaults)).toThrow(
      "/body/parameters/rollout must be a number from 0 to 100",
    );
    expect(() => checkParameters("gradualRolloutUserId", { percentage: share }, defaults)).toThrow(
      "/body/parameters/percentage",
    );
  },
);
