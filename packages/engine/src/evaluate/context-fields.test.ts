import { describe, expect, test } from "vitest";
import type { Context } from "../context.ts";
import { fulfils, snapshotOf } from "../_evaluate.ts";

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
    ["the top level although it is empty", { plan: "", properties: { plan: "pro" } }, false],
    ["nothing in properties that are text", { properties: "plan" }, false],
    ["a list as its text", { plan: ["pro"] }, true],
  ])("looks at %s", (_, context, expected) => {
    expect(fulfils(fieldIs("plan", "pro"), context as Context)).toBe(expected);
  });

  test("sees own properties only", () => {
    const inherited: Context = Object.create({ plan: "pro" });
    expect(fulfils(fieldIs("plan", "pro"), inherited)).toBe(false);
    expect(fulfils({ ...fieldIs("constructor"), operator: "STR_CONTAINS", values: [" "] })).toBe(
      false,
    );
  });

  test("survives a value without a text form", () => {
    expect(fulfils(fieldIs("plan", "pro"), { plan: Object.create(null) })).toBe(false);
    expect(fulfils(fieldIs("plan", "Symbol(pro)"), { plan: Symbol("pro") })).toBe(true);
  });

  test("takes a missing field name as the name undefined", () => {
    expect(fulfils(fieldIs(undefined, "x"), { undefined: "x" })).toBe(true);
  });
});

describe("contextDependencies()", () => {
  test("names what the rules read and nothing else", () => {
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
