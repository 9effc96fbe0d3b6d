import { expect, test } from "vitest";
import { parseInitTokens } from "./init-tokens.ts";

const NONE = { admin: [], backend: [], frontend: [] };

test("parseInitTokens() reads what each token opens from its list and its text", () => {
  const { tokens, problems } = parseInitTokens({
    admin: ["*:*.a"],
    backend: ["*:development.b", "shop:production.c.with.dots"],
    frontend: ["default:production.d"],
  });
  expect(problems).toEqual([]);
  expect(tokens).toEqual([
    { secret: "*:*.a", type: "admin", environment: "*", projects: ["*"] },
    { secret: "*:development.b", type: "backend", environment: "development", projects: ["*"] },
    {
      secret: "shop:production.c.with.dots",
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
] as const)("parseInitTokens() refuses %s token %j, and does not repeat it", (type, text) => {
  const { tokens, problems } = parseInitTokens({ ...NONE, [type]: [text] });
  expect(tokens).toEqual([]);
  expect(problems).toEqual([{ type, position: 1, message: expect.stringMatching(/^must /) }]);
  if (text.includes(".a")) expect(problems[0]?.message).not.toContain(text);
});

test("parseInitTokens() finds every problem, and where it is", () => {
  const { tokens, problems } = parseInitTokens({
    admin: ["*:*.a", "x", "*:*.a"],
    backend: ["y", "p:e.s"],
    frontend: ["p:e.s"],
  });
  expect(tokens.map(({ secret, type }) => [type, secret])).toEqual([
    ["admin", "*:*.a"],
    ["backend", "p:e.s"],
  ]);
  expect(problems.map(({ type, position }) => [type, position])).toEqual([
    ["admin", 2],
    ["backend", 1],
    ["frontend", 1],
  ]);
  expect(problems[2]?.message).toBe("is also listed as a token of type backend");
});
