import { parseDocument } from "flags-engine";
import { expect, test } from "vitest";
import { collectFields, createContext, RANDOM_FIELDS } from "./random-contexts.ts";

const DOCUMENT = parseDocument({
  version: 2,
  features: [
    {
      name: "flag",
      enabled: true,
      strategies: [
        {
          name: "default",
          constraints: [
            { contextName: "plan", operator: "IN", values: ["gold", "silver"] },
            { contextName: "version", operator: "SEMVER_GT", value: "1.2.3" },
            { contextName: "age", operator: "NUM_GT", value: "18" },
            { contextName: "currentTime", operator: "DATE_AFTER", value: "2026-01-01T00:00:00Z" },
          ],
        },
        { name: "userWithId", parameters: { userIds: "7, 8" } },
        { name: "remoteAddress", parameters: { IPs: "10.0.0.0/8" } },
      ],
      variants: [{ name: "a", weight: 1, overrides: [{ contextName: "tier", values: ["x"] }] }],
    },
  ],
  segments: [{ id: 1, constraints: [{ contextName: "country", operator: "IN", values: ["de"] }] }],
});

/** A sequence of numbers that is the same in each run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

test("collectFields() finds all fields that rules read, and the values that they mention", () => {
  expect(Object.fromEntries(collectFields(DOCUMENT, ["custom"]))).toEqual({
    userId: ["7", "8"],
    sessionId: [],
    custom: [],
    plan: ["gold", "silver"],
    version: ["1.2.3"],
    age: ["18"],
    currentTime: ["2026-01-01T00:00:00Z"],
    remoteAddress: ["10.0.0.0/8"],
    tier: ["x"],
    country: ["de"],
  });
});

test("createContext() covers both sides of rules, and many ids", () => {
  const random = createRandom(1);
  const fields = collectFields(DOCUMENT, []);
  const contexts = Array.from(
    { length: 500 },
    () => createContext(fields, random) as Record<string, unknown>,
  );
  const valuesOf = (name: string): readonly unknown[] =>
    contexts.map((context) => {
      const properties = (context["properties"] ?? {}) as Record<string, unknown>;
      return context[name] ?? properties[name];
    });
  expect(new Set(valuesOf("userId")).size).toBeGreaterThan(300);
  expect(valuesOf("userId")).toContain("7");
  expect(valuesOf("userId")).not.toContain(undefined);
  expect(valuesOf("plan")).toEqual(expect.arrayContaining(["gold", "silver", undefined]));
  expect(valuesOf("version")).toEqual(expect.arrayContaining(["1.2.3", "1.2.4", "1.1.3", "3.2.3"]));
  expect(valuesOf("age")).toEqual(expect.arrayContaining(["17", "18", "19"]));
  expect(valuesOf("remoteAddress")).toContain("10.0.0.0");
  expect(valuesOf("remoteAddress")).not.toContain(undefined);
  const times = valuesOf("currentTime").filter((time) => typeof time === "string");
  for (const time of times) expect(new Date(time).toISOString()).toBe(time);
});

test("createContext() stays within four-digit years", () => {
  const random = createRandom(3);
  const fields = new Map([["currentTime", ["9999-12-31T23:59:59Z"]]]);
  for (let count = 0; count < 100; count++) {
    const { currentTime = "9999-" } = createContext(fields, random) as { currentTime?: string };
    expect(currentTime).toMatch(/^\d{4}-/);
  }
});

test("createContext() without rules has the standard fields", () => {
  const context = createContext(RANDOM_FIELDS, createRandom(2));
  expect(Object.keys(context).toSorted()).toEqual(["remoteAddress", "sessionId", "userId"]);
});
