import { expect, test } from "vitest";
import { parseState, toLocalPath, writeState } from "./sign-in-state.ts";

const SECRET = "a secret that all replicas have";
const NOW = new Date("2026-01-01T00:00:00Z");

const state = {
  state: "s".repeat(43),
  nonce: "n".repeat(43),
  codeVerifier: "v".repeat(43),
  returnTo: "/projects",
  expiresAt: NOW.getTime() + 1000,
};

test("parseState() returns what writeState() has written, until it expires", () => {
  const cookie = writeState(state, SECRET);
  expect(parseState(cookie, SECRET, NOW)).toEqual(state);
  expect(parseState(cookie, SECRET, new Date(state.expiresAt))).toBeUndefined();
});

test("parseState() returns nothing that another service has written, or that was changed", () => {
  const cookie = writeState(state, SECRET);
  const [content = "", signature = ""] = cookie.split(".");
  const changed = Buffer.from(JSON.stringify({ ...state, returnTo: "/other" }));
  for (const text of [
    writeState(state, "another secret"),
    `${changed.toString("base64url")}.${signature}`,
    `${content}.`,
    content,
    `.${signature}`,
    `${cookie}x`,
    `x${cookie}`,
    ".",
    "",
  ]) {
    expect([text, parseState(text, SECRET, NOW)]).toEqual([text, undefined]);
  }
});

test.each(["/", "/projects/a", '/a?b=//c&d="e"#f', "/@evil.example", "/%2F%2Fevil.example"])(
  "toLocalPath() keeps %s",
  (path) => {
    expect(toLocalPath(path)).toBe(path);
    expect(new URL(path, "https://flags.example").host).toBe("flags.example");
  },
);

test.each([
  "",
  "a",
  "//evil.example",
  "/\\evil.example",
  "/\t/evil.example",
  "/a\n",
  "/a b",
  "https://evil.example",
  "javascript:alert(1)",
  "/é",
  undefined,
  ["/a"],
])("toLocalPath() replaces %j", (path) => {
  expect(toLocalPath(path)).toBe("/");
});
