import { describe, expect, test } from "vitest";
import type { Context } from "../context.ts";
import { evaluateFlag } from "../_evaluate.ts";

const variant = (name: string, weight: unknown, more: object = {}): object => ({
  name,
  weight,
  ...more,
});

/** The variant of a flag called `Feature.Variants.C`; user 232 falls into bucket 786 of 1000. */
function variantOf(variants: readonly object[], context: Context = { userId: "232" }): unknown {
  const strategies = [{ name: "default" }];
  return evaluateFlag({ strategies, variants }, context).variant?.name;
}

describe("compileVariants()", () => {
  test("gives each variant its share of the ids", () => {
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
    ["no weight at all", [variant("a", 0), variant("b", 0)], undefined],
    ["one weight", [variant("a", 0), variant("b", 1)], "b"],
    ["an empty list", [], undefined],
    ["an unusable weight", [variant("a", 0), variant("b", undefined), variant("c", 5)], "b"],
  ])("with %s selects %j", (_, variants, expected) => {
    expect(variantOf(variants)).toBe(expected);
  });

  test("lets an override win, even without weight, but not without any total", () => {
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

  test("sticks to the field that the first variant names", () => {
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

  test("go before those of the flag", () => {
    const answer = evaluateFlag({ strategies, variants: [variant("feature", 1)] });
    expect(answer.variant).toEqual({ name: "own", payload });
  });

  test("fall back to those of the flag when none of them has weight", () => {
    const weightless = [{ name: "default", variants: [variant("own", 0)] }];
    const answer = evaluateFlag({ strategies: weightless, variants: [variant("feature", 1)] });
    expect(answer.variant).toEqual({ name: "feature" });
  });

  test("of later strategies are not looked at once a strategy has matched", () => {
    const [, later] = strategies;
    const answer = evaluateFlag({ strategies: [{ name: "default" }, later] });
    expect(answer).toMatchObject({ enabled: true, variant: undefined });
  });

  test("are hashed with the text undefined for want of a group", () => {
    const variants = Array.from({ length: 10 }, (_, index) => variant(`v${index}`, 100));
    const withGroup = (parameters: object): unknown =>
      evaluateFlag({ strategies: [{ name: "default", parameters, variants }] }, { userId: "7" })
        .variant?.name;
    expect(withGroup({})).toBe(withGroup({ groupId: "undefined" }));
  });
});
