import { expect, test } from "vitest";
import { InvalidKeys } from "./invalid-keys.ts";

test("InvalidKeys forgets a key after ten seconds", () => {
  let nowMs = 1000;
  const invalid = new InvalidKeys({ now: () => nowMs });
  invalid.add("*:development.a");
  nowMs += 9999;
  expect(invalid.has("*:development.a")).toBe(true);
  expect(invalid.has("*:development.b")).toBe(false);
  nowMs += 2;
  expect(invalid.has("*:development.a")).toBe(false);
});

test("InvalidKeys remembers a limited number of keys", () => {
  const invalid = new InvalidKeys();
  for (let index = 0; index <= 10_000; index++) invalid.add(`*:development.${index}`);
  expect(invalid.has("*:development.0")).toBe(false);
  expect(invalid.has("*:development.10000")).toBe(true);
});
