import { expect, test } from "vitest";
import { confirmationOf, parseAgeComment, writeAge, writeAgeComment } from "./confirmation.ts";

const SENT_AT_MS = 1_000_000;

const responseWith = (age?: string) => ({
  headers: new Headers(age === undefined ? {} : { "X-Flags-Age-Seconds": age }),
});

test.each([
  [0, "0"],
  [0.2, "0.001"],
  [1500.1, "1.501"],
  [60_000, "60"],
  [undefined, "unknown"],
])("writeAge() rounds up: %s ms is %s", (ageMs, text) => {
  expect(writeAge(ageMs)).toBe(text);
});

test("confirmationOf() subtracts the age from the time of the request", () => {
  const none = confirmationOf(responseWith(), SENT_AT_MS);
  expect(none).toEqual({ atMs: SENT_AT_MS, isRelayed: false });
  const relayed = confirmationOf(responseWith("2.5"), SENT_AT_MS);
  expect(relayed).toEqual({ atMs: SENT_AT_MS - 2500, isRelayed: true });
});

test.each(["unknown", "", "-1", "1e3", "0x1", "5, 6"])("the age %j counts as unknown", (age) => {
  const confirmation = confirmationOf(responseWith(age), SENT_AT_MS);
  expect(confirmation).toEqual({ atMs: -Infinity, isRelayed: true });
});

test("comments contain ages", () => {
  expect(parseAgeComment(writeAgeComment(1234))).toBe(1234);
  expect(parseAgeComment(writeAgeComment(undefined))).toBe(Infinity);
  expect(parseAgeComment("")).toBeUndefined();
  expect(parseAgeComment("keep-alive")).toBeUndefined();
});
