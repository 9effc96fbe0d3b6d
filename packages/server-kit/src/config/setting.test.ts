import { expect, test } from "vitest";
import { TABLE } from "../../test/_settings.ts";
import { describeDefault, nameSetting } from "./setting.ts";

test.each([
  ["port", "3000"],
  ["isOpen", "true"],
  ["name", "none"],
  ["keys", "a, b"],
  ["headers", "none"],
] as const)("describeDefault() of %s is %s", (name, words) => {
  expect(describeDefault(TABLE[name])).toBe(words);
});

test.each([
  ["port", "PORT (option port)"],
  ["proxy", "HTTP_PROXY"],
  ["headers", "Option labels.headers"],
] as const)("nameSetting() of %s is %s", (name, words) => {
  expect(nameSetting(TABLE[name])).toBe(words);
});
