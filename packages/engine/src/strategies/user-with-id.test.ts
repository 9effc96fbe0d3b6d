import { describe, expect, test } from "vitest";
import { matches } from "../_evaluate.ts";

describe("userWithId()", () => {
  test.each([
    ["123", "123", true],
    ["122, 123 ,\t124", "123", true],
    ["122,123", "12", false],
    ["a,,b", "", true],
    ["", "", false],
    [undefined, "123", false],
    [" a , b ", "a", false],
    [" a , b ", " a", true],
    ["123", 123, false],
    ["123", undefined, false],
    [123, "123", false],
  ])("userWithId() with the list %j and the user %j is %j", (userIds, userId, expected) => {
    expect(matches({ name: "userWithId", parameters: { userIds } }, { userId })).toBe(expected);
  });
});
