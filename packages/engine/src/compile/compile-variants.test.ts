import { describe, expect, test } from "vitest";
import type { Context } from "../context.ts";
import { evaluateFlag } from "../../test/_evaluate.ts";

const variant = (name: string, weight: unknown, more: object = {}): object => ({
  name,
  weight,
  ...more,
});

/** Returns the name of the variant of a flag for a context. */
function variantOf(variants: readonly object[], context: Context = { userId: "232" }): unknown {
  const strategies = [{ name: "default" }];
  return evaluateFlag({ strategies, variants }, context).variant?.name;
}

describe("compileVariants()", () => {
  test("assigns ids to variants in proportion to their weights", () => {
    const counts = new Map<unknown, number>();
    const variants = [variant("a", 250), variant("b", 0), variant("c", 750)];
    for (let user = 0; user < 4000; user++) {
      const name = variantOf(variants, { userId: `user-${user}` });
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    expect([...counts.keys()].toSorted()).toEqual(["a", "c"]);
    expect(counts.get("a")).toBeGreaterThan(850);
    expect(counts.get("a")).toBeLessThan(1150);
  });

  test.each([
    ["no weights", [variant("a", 0), variant("b", 0)], undefined],
    ["a single weight", [variant("a", 0), variant("b", 1)], "b"],
    ["an empty list", [], undefined],
    ["an invalid weight", [variant("a", 0), variant("b", undefined), variant("c", 5)], "b"],
  ])("compileVariants() with %s selects %j", (_, variants, expected) => {
    expect(variantOf(variants)).toBe(expected);
  });

  test("prefers an override, even of a variant without weight, unless the total weight is zero", () => {
    const overrides = [{ contextName: "plan", values: ["pro"] }];
    const context = { userId: "232", properties: { plan: "pro" } };
    expect(variantOf([variant("a", 1), variant("b", 0, { overrides })], context)).toBe("b");
    expect(variantOf([variant("a", 0), variant("b", 0, { overrides })], context)).toBeUndefined();
    expect(variantOf([variant("a", 1), variant("b", 0, { overrides })])).toBe("a");
  });

  test("ignores an override without values", () => {
    const overrides = [{ contextName: "userId" }];
    expect(variantOf([variant("a", 1), variant("b", 0, { overrides })])).toBe("a");
  });

  test("uses the stickiness of the first variant", () => {
    const variants = [variant("a", 1, { stickiness: "tenant" }), variant("b", 1)];
    const seen = new Set(
      Array.from({ length: 50 }, (_, user) =>
        variantOf(variants, { userId: `${user}`, properties: { tenant: "x" } }),
      ),
    );
    expect(seen.size).toBe(1);
  });
});

describe("variants of strategies", () => {
  const payload = { type: "json", value: '{"a":1}' };
  const strategies = [
    { name: "default", parameters: { groupId: "g" }, variants: [variant("own", 1, { payload })] },
    { name: "default", variants: [variant("later", 1)] },
  ];

  test("variants of a strategy take precedence over those of the flag", () => {
    const outcome = evaluateFlag({ strategies, variants: [variant("feature", 1)] });
    expect(outcome.variant).toEqual({ name: "own", payload });
  });

  test("variants of the flag are used if no variant of the strategy has a weight", () => {
    const weightless = [{ name: "default", variants: [variant("own", 0)] }];
    const outcome = evaluateFlag({ strategies: weightless, variants: [variant("feature", 1)] });
    expect(outcome.variant).toEqual({ name: "feature" });
  });

  test("variants of later strategies are ignored once a strategy has matched", () => {
    const [, later] = strategies;
    const outcome = evaluateFlag({ strategies: [{ name: "default" }, later] });
    expect(outcome).toMatchObject({ enabled: true, variant: undefined });
  });

  test("variants of a strategy without a group are hashed with the group 'undefined'", () => {
    const variants = Array.from({ length: 10 }, (_, index) => variant(`v${index}`, 100));
    const withGroup = (parameters: object): unknown =>
      evaluateFlag({ strategies: [{ name: "default", parameters, variants }] }, { userId: "7" })
        .variant?.name;
    expect(withGroup({})).toBe(withGroup({ groupId: "undefined" }));
  });
});
