import { expect, test } from "vitest";
import { isCommonPassword } from "./common-passwords.ts";
import { findPasswordProblem, hashPassword, isOutdated, verifyPassword } from "./password.ts";

test("a password matches only its own hash, and hashes differ", async () => {
  const [first, second] = [
    await hashPassword("apple tree 42"),
    await hashPassword("apple tree 42"),
  ];
  expect(first).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(first).not.toBe(second);
  expect(await verifyPassword("apple tree 42", first)).toBe(true);
  expect(await verifyPassword("apple tree 43", first)).toBe(false);
  expect(await verifyPassword("", null)).toBe(false);
  expect(isOutdated(first)).toBe(false);
});

test("a hash with other parameters is verified, and is outdated", async () => {
  // Computed with node:crypto alone: N = 16, r = 8, p = 1, the password "pleaseletmein" and the salt "SodiumChloride".
  const stored =
    "$scrypt$ln=4,r=8,p=1$U29kaXVtQ2hsb3JpZGU$Jan6IH+Hygmk74ufd3rKFr63hK4YML+/04MlqruTd98";
  expect(isOutdated(stored)).toBe(true);
  expect(await verifyPassword("pleaseletmein", stored)).toBe(true);
  expect(await verifyPassword("pleaseletmeout", stored)).toBe(false);
});

test("characters that look alike are the same, and nothing is cut off", async () => {
  const composed = await hashPassword("caf\u00E9 au lait 12");
  expect(await verifyPassword("cafe\u0301 au lait 12", composed)).toBe(true);
  const long = "long ".repeat(30);
  expect(await verifyPassword(`${long}b`, await hashPassword(`${long}a`))).toBe(false);
});

test("at most 52 sign-ins are computed or wait; others are told to try again", async () => {
  const results = await Promise.allSettled(
    Array.from({ length: 60 }, () => verifyPassword("x", "$scrypt$ln=4,r=8,p=1$c2FsdA$aGFzaA")),
  );
  const refused = results.filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(8);
  expect(refused[0]).toMatchObject({ reason: { statusCode: 503 } });
  expect(await verifyPassword("x", "$scrypt$ln=4,r=8,p=1$c2FsdA$aGFzaA")).toBe(false);
});

test.each([
  "password1234",
  "P@ssw0rd1234!",
  "123456789012",
  "qwertyuiopas",
  "aaaaaaaaaaaa",
  "abcabcabcabc",
  "Welcome2000!!",
  "unleash4all!!",
  "correct horse battery staple",
])("%s is refused", (password) => {
  expect(isCommonPassword(password)).toBe(true);
  expect(findPasswordProblem(password)).toBeDefined();
});

test.each([
  "apple tree 42",
  "correct mule battery stapler",
  "zu10-vier-acht",
  "\u{1F600}".repeat(2) + " is my mood",
])("%s is accepted", (password) => {
  expect(findPasswordProblem(password)).toBeUndefined();
});

test("a password has at least 12 characters, at most 256, and is no name", () => {
  expect(findPasswordProblem("elevenchars")).toContain("at least 12");
  expect(findPasswordProblem("\u{1F600}".repeat(6))).toContain("at least 12");
  expect(findPasswordProblem(Array.from({ length: 100 }, (_, index) => index).join(" "))).toContain(
    "at most 256",
  );
  expect(findPasswordProblem("Jane@Example.com", ["jane@example.com"])).toContain("name");
});
