import { expect, test } from "vitest";
import { findPasswordProblem } from "../../../admin/src/accounts/password.ts";
import { describeMissing } from "./new-password.ts";

test.each([
  ["", "12 more characters needed."],
  ["eleven char", "1 more character needed."],
  // A character that is not in the basic plane is one.
  ["🍐🍐🍐🍐🍐🍐🍐🍐🍐🍐🍐", "1 more character needed."],
  ["a pear on the lake", undefined],
  ["Jane.Doe@example.com", "A password must not be a name or an email address."],
  ["x".repeat(257), "A password has at most 256 characters."],
])("the password %j: %s", (password, problem) => {
  const names = ["jane", "jane.doe@example.com"];
  expect(describeMissing(password, names)).toBe(problem);
  // The service has the same rules.
  expect(findPasswordProblem(password, names) === undefined).toBe(problem === undefined);
});
