import { describe, expect, test } from "vitest";
import type { Context } from "../context.ts";
import { readsSessionId } from "./context-fields.ts";
import { satisfies, snapshotOf } from "../../test/_evaluate.ts";

const fieldIs = (contextName: unknown, ...values: string[]): Record<string, unknown> => ({
  contextName,
  operator: "IN",
  values,
});

describe("text()", () => {
  test.each([
    ["the top level", { plan: "pro" }, true],
    ["properties", { properties: { plan: "pro" } }, true],
    ["properties when the top level is null", { plan: null, properties: { plan: "pro" } }, true],
    ["the top level first", { plan: "free", properties: { plan: "pro" } }, false],
    ["the top level even if it is empty", { plan: "", properties: { plan: "pro" } }, false],
    ["no field in properties that are a string", { properties: "plan" }, false],
    ["a list converted to text", { plan: ["pro"] }, true],
  ])("reads %s", (_, context, expected) => {
    expect(satisfies(fieldIs("plan", "pro"), context as Context)).toBe(expected);
  });

  test("ignores inherited properties", () => {
    const inherited: Context = Object.create({ plan: "pro" });
    expect(satisfies(fieldIs("plan", "pro"), inherited)).toBe(false);
    expect(satisfies({ ...fieldIs("constructor"), operator: "STR_CONTAINS", values: [" "] })).toBe(
      false,
    );
  });

  test("treats a value that cannot be converted to a string as absent", () => {
    expect(satisfies(fieldIs("plan", "pro"), { plan: Object.create(null) })).toBe(false);
    expect(satisfies(fieldIs("plan", "Symbol(pro)"), { plan: Symbol("pro") })).toBe(true);
  });

  test("treats a missing field name as the name undefined", () => {
    expect(satisfies(fieldIs(undefined, "x"), { undefined: "x" })).toBe(true);
  });
});

describe("contextDependencies()", () => {
  test("lists only the fields that the rules read", () => {
    const { contextDependencies } = snapshotOf({
      features: [
        {
          name: "flag",
          enabled: true,
          strategies: [
            { name: "default", constraints: [fieldIs("plan", "pro")] },
            { name: "default", constraints: [{ operator: "DATE_AFTER", value: "2030" }] },
          ],
        },
        {
          name: "off",
          enabled: false,
          strategies: [{ name: "default", constraints: [fieldIs("country", "no")] }],
        },
      ],
    });
    expect(contextDependencies).toEqual({
      fields: ["currentTime", "plan"],
      readsClock: true,
      drawsRandom: false,
      callsCustomStrategy: false,
    });
  });
});

test.each([
  [{}, false],
  [{ fields: ["userId"] }, false],
  [{ readsClock: true }, false],
  [{ fields: ["sessionId", "userId"] }, true],
  [{ drawsRandom: true }, true],
  [{ callsCustomStrategy: true }, true],
])("readsSessionId() for rules with %j is %s", (contextDependencies, expected) => {
  const none = { fields: [], readsClock: false, drawsRandom: false, callsCustomStrategy: false };
  expect(readsSessionId({ ...none, ...contextDependencies })).toBe(expected);
});
