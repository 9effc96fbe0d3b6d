import { expect, test } from "vitest";
import { checkParameters } from "./check-strategy.ts";

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

test.each(["-1", "101", "abc", "", " ", "NaN", "0x10", " 10", "1e3", "50.5", ".5", "99.9"])(
  "checkParameters() rejects a percentage of %j",
  (percentage) => {
    expect(() => checkParameters("flexibleRollout", { rollout: percentage }, defaults)).toThrow(
      "/body/parameters/rollout must be a whole number from 0 to 100",
    );
    expect(() => checkParameters("gradualRolloutUserId", { percentage }, defaults)).toThrow(
      "/body/parameters/percentage",
    );
  },
);

test.each(["100.0", "1e2", "+100", "0100"])(
  "checkParameters() stores the percentage %j with digits only",
  (percentage) => {
    expect(checkParameters("gradualRolloutRandom", { percentage }, defaults)).toEqual({
      percentage: "100",
    });
  },
);

test("checkParameters() rejects strings that some SDKs cannot read, unless they are stored", () => {
  const userIds = '7,a"b, c\\,9';
  const groupId = 'a"b';
  const percentage = "50.5";
  expect(() => checkParameters("userWithId", { userIds }, defaults)).toThrow(
    String.raw`/body/parameters/userIds must not contain " or end with \, which some SDKs cannot read: "a\"b"`,
  );
  expect(() => checkParameters("flexibleRollout", { groupId }, defaults)).toThrow(
    "/body/parameters/groupId",
  );
  expect(() => checkParameters("flexibleRollout", { stickiness: "a\\" }, defaults)).toThrow(
    "/body/parameters/stickiness",
  );
  expect(checkParameters("custom", { groupId }, defaults)).toEqual({ groupId });
  const previous = { userIds, groupId, percentage };
  const stored = { ...defaults, previous };
  expect(checkParameters("userWithId", { userIds }, stored)).toEqual({ userIds });
  const rollout = { groupId, percentage };
  expect(checkParameters("gradualRolloutUserId", rollout, stored)).toEqual(rollout);
});
