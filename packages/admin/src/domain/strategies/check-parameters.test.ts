import { expect, test } from "vitest";
import { checkParameters } from "./check-parameters.ts";

const defaults = { feature: "flag", stickiness: "userId" };

test("checkParameters() adds the defaults of flexibleRollout", () => {
  expect(checkParameters("flexibleRollout", {}, defaults)).toEqual({
    rollout: "100",
    stickiness: "userId",
    groupId: "flag",
  });
  expect(
    checkParameters("flexibleRollout", { rollout: 0, stickiness: "", groupId: "g" }, defaults),
  ).toEqual({ rollout: "0", stickiness: "userId", groupId: "g" });
});

test("checkParameters() converts values to text", () => {
  expect(checkParameters("custom", { a: 1.5, b: true, c: "x" }, defaults)).toEqual({
    a: "1.5",
    b: "true",
    c: "x",
  });
});

test.each(["-1", "101", "abc", "", " ", "NaN", "0x10", " 10", "1e3"])(
  "checkParameters() rejects a percentage of %j",
  (percentage) => {
    expect(() => checkParameters("flexibleRollout", { rollout: percentage }, defaults)).toThrow(
      "/body/parameters/rollout must be a number from 0 to 100",
    );
    expect(() => checkParameters("gradualRolloutUserId", { percentage }, defaults)).toThrow(
      "/body/parameters/percentage",
    );
  },
);
