import { isName } from "flags-engine";
import { expect, test } from "vitest";
import { describeNameProblem } from "./describe-name-problem.ts";

test("describeNameProblem() accepts the same characters as the service", () => {
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCodePoint(code));
  const names = [...ascii, "..", "...", ".a", "v(1)", "a b", "grüße", "dark-mode_2.0~"];
  const accepted = (isValid: (name: string) => boolean): readonly string[] => names.filter(isValid);
  expect(accepted((name) => describeNameProblem(name) === undefined)).toEqual(accepted(isName));
});

test("describeNameProblem() leaves an empty name to the field, which is required", () => {
  expect(describeNameProblem("")).toBeUndefined();
});
