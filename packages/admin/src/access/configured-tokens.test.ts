import { expect, test } from "vitest";
import { parseConfiguredTokens } from "./configured-tokens.ts";

const NONE = { admin: [], backend: [], frontend: [] };

test("parseConfiguredTokens() reads the scope of each token from its list and its text", () => {
  const { tokens, problems } = parseConfiguredTokens({
    admin: ["*:*.admin-with-16-ch"],
    backend: ["*:development.all-the-projects", "shop:production.secret.with.dots"],
    frontend: ["default:production.d"],
  });
  expect(problems).toEqual([]);
  expect(tokens).toEqual([
    { secret: "*:*.admin-with-16-ch", type: "admin", environment: "*", projects: ["*"] },
    {
      secret: "*:development.all-the-projects",
      type: "backend",
      environment: "development",
      projects: ["*"],
    },
    {
      secret: "shop:production.secret.with.dots",
      type: "backend",
      environment: "production",
      projects: ["shop"],
    },
    {
      secret: "default:production.d",
      type: "frontend",
      environment: "production",
      projects: ["default"],
    },
  ]);
});

test.each([
  ["admin", "secret"],
  ["admin", "*:development.a"],
  ["admin", "default:*.a"],
  ["admin", "*:*."],
  ["admin", ""],
  ["backend", "secret"],
  ["backend", "*:*.a"],
  ["backend", "default:*.a"],
  ["backend", "[]:development.a"],
  ["backend", ":development.a"],
  ["backend", "default:.a"],
  ["backend", "default:development"],
  ["backend", "default:development. a"],
  ["frontend", "a:b:c.d"],
] as const)(
  "parseConfiguredTokens() rejects the %s token %j without repeating it",
  (type, text) => {
    const { tokens, problems } = parseConfiguredTokens({ ...NONE, [type]: [text] });
    expect(tokens).toEqual([]);
    expect(problems).toEqual([{ type, position: 1, message: expect.stringMatching(/^must /) }]);
    if (text.includes(".a")) expect(problems[0]?.message).not.toContain(text);
  },
);

test.each(["*:*.unleash-insecure-admin-api-token", "*:*.964a287e1b728cb5f4f3e0120df92cb5"])(
  "parseConfiguredTokens() accepts the example %s from the upstream documentation",
  (text) => {
    expect(parseConfiguredTokens({ ...NONE, admin: [text] })).toMatchObject({
      tokens: [{ secret: text }],
      problems: [],
    });
  },
);

test.each([
  ["admin", "*:*."],
  ["backend", "shop:production."],
] as const)(
  "parseConfiguredTokens() requires 16 characters in the secret of a token of type %s",
  (type, prefix) => {
    const lists = { ...NONE, [type]: [`${prefix}${"x".repeat(16)}`, `${prefix}${"x".repeat(15)}`] };
    const { tokens, problems } = parseConfiguredTokens(lists);
    expect(tokens).toHaveLength(1);
    expect(problems).toEqual([
      { type, position: 2, message: expect.stringContaining("at least 16 characters") },
    ]);
  },
);

test("parseConfiguredTokens() requires 6 characters if only this machine can connect", () => {
  const admin = ["*:*.secret", "*:*.short"];
  const { tokens, problems } = parseConfiguredTokens({ ...NONE, admin }, true);
  expect(tokens).toHaveLength(1);
  expect(problems).toEqual([
    { type: "admin", position: 2, message: expect.stringContaining("at least 6 characters") },
  ]);
});

test("parseConfiguredTokens() accepts short frontend tokens, which are public", () => {
  const lists = { ...NONE, frontend: ["shop:production.x"] };
  expect(parseConfiguredTokens(lists)).toMatchObject({
    tokens: [{ type: "frontend" }],
    problems: [],
  });
});

test("parseConfiguredTokens() reports every problem with its position", () => {
  const { tokens, problems } = parseConfiguredTokens({
    admin: ["*:*.admin-with-16-ch", "x", "*:*.admin-with-16-ch"],
    backend: ["y", "p:e.backend-16-chars"],
    frontend: ["p:e.backend-16-chars"],
  });
  expect(tokens.map(({ secret, type }) => [type, secret])).toEqual([
    ["admin", "*:*.admin-with-16-ch"],
    ["backend", "p:e.backend-16-chars"],
  ]);
  expect(problems.map(({ type, position }) => [type, position])).toEqual([
    ["admin", 2],
    ["backend", 1],
    ["frontend", 1],
  ]);
  expect(problems[2]?.message).toBe("is also listed as a token of type backend");
});
