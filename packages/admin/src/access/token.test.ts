import { expect, test } from "vitest";
import { createTokenText, parseTokenText } from "./token.ts";

test.each([
  [["*"], "*:production."],
  [["shop"], "shop:production."],
  [["shop", "blog"], "[]:production."],
])("createTokenText() for projects %j begins with %s", (projects, prefix) => {
  const text = createTokenText({ type: "backend", environment: "production", projects });
  expect(text.startsWith(prefix)).toBe(true);
  expect(text.slice(prefix.length)).toMatch(/^[0-9a-f]{56}$/);
  expect(parseTokenText(text)).toMatchObject({ environment: "production" });
});

test("createTokenText() returns a different token on each call", () => {
  const scope = { type: "admin", environment: "*", projects: ["*"] } as const;
  expect(createTokenText(scope)).not.toBe(createTokenText(scope));
});
