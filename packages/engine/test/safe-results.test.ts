import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { fuzzRuns } from "../../../scripts/test-size.ts";
import { DocumentError, parseDocument } from "../src/index.ts";
import type { CompileOptions, Context, Outcome, Snapshot, StrategyError } from "../src/index.ts";
import { compileDocument } from "./_evaluators.ts";
import { randomContext } from "./_random-context.ts";
import { randomDocument } from "./_random-document.ts";
import { createChoices } from "./_random.ts";

// If the official SDK throws or corrupts data, ours has a safe result: docs/decisions/0004.

type Json = Readonly<Record<string, unknown>>;

const ON: Json = { name: "default", parameters: {} };

function evaluate(document: unknown, context: Context, options: Partial<CompileOptions>): Outcome {
  const snapshot = compileDocument(document, options);
  const index = snapshot.indexOf("flag");
  const outcomes = snapshot.flags[index]?.outcomes ?? [];
  const alone = outcomes[snapshot.evaluate(index, context)];
  const amongAll = outcomes[snapshot.evaluateAll(context).outcomes[index] ?? Number.NaN];
  expect(alone).toBe(amongAll);
  if (alone === undefined) throw new RangeError("No such outcome");
  return alone;
}

function evaluateFlag(
  parts: Json,
  context: Context = {},
  options: Partial<CompileOptions> = {},
): Outcome {
  const flag = { name: "flag", enabled: true, strategies: [ON], ...parts };
  return evaluate({ features: [flag] }, context, options);
}

function isOn(strategies: unknown, context: Context = {}): boolean {
  return evaluateFlag({ strategies }, context).enabled;
}

describe("A malformed constraint keeps its strategy off, even inverted, and other strategies can match", () => {
  test.each<[string, unknown]>([
    ["IN without values", { contextName: "plan", operator: "IN" }],
    ["NOT_IN without values", { contextName: "plan", operator: "NOT_IN" }],
    ["STR_CONTAINS without values", { contextName: "plan", operator: "STR_CONTAINS" }],
    ["IN_CIDR without values", { contextName: "plan", operator: "IN_CIDR" }],
    ["values that are text", { contextName: "plan", operator: "NOT_IN", values: "pro" }],
    ["a number among the values", { contextName: "plan", operator: "NOT_IN", values: ["a", 7] }],
    ["an unknown operator", { contextName: "plan", operator: "EQUALS", values: ["pro"] }],
    ["an operator in lower case", { contextName: "plan", operator: "in", values: ["pro"] }],
    ["no operator", { contextName: "plan", values: ["pro"] }],
    ["an operator found on a prototype", { contextName: "plan", operator: "constructor" }],
    ["null", null],
    ["a number", 7],
    ["text", "plan"],
    ["a list", []],
  ])("%s", (_, constraint) => {
    const inverted =
      typeof constraint === "object" && constraint !== null
        ? { ...constraint, inverted: true }
        : constraint;
    for (const entry of [constraint, inverted]) {
      expect(isOn([{ ...ON, constraints: [entry] }], { plan: "pro" })).toBe(false);
      expect(isOn([{ ...ON, constraints: [entry] }, ON], { plan: "pro" })).toBe(true);
      const segments = [{ id: 1, constraints: [entry] }];
      const flag = { name: "flag", enabled: true, strategies: [{ ...ON, segments: [1] }] };
      expect(evaluate({ features: [flag], segments }, {}, {}).enabled).toBe(false);
    }
  });
});

test("A flag can have any number of strategies", () => {
  const strategies = Array.from({ length: 20_000 }, (_, index) => ({
    name: "userWithId",
    parameters: { userIds: `user-${index}` },
  }));
  const snapshot = compileDocument({ features: [{ name: "flag", enabled: true, strategies }] });
  const isOnFor = (userId: string): boolean | undefined =>
    snapshot.flags[0]?.outcomes[snapshot.evaluate(0, { userId })]?.enabled;
  expect(["user-19999", "user-50", "user-20000"].map(isOnFor)).toEqual([true, true, false]);
});

describe("A malformed strategy is off, and other strategies can match", () => {
  test.each<[string, unknown]>([
    ["null", null],
    ["text", "default"],
    ["a list", [ON]],
    ["no name", { parameters: {} }],
    ["a name that is not text", { name: ["default"] }],
    ["a name found on a prototype", { name: "toString" }],
    ["constraints that are an object", { ...ON, constraints: {} }],
    ["constraints that are text", { ...ON, constraints: "IN" }],
    ["segments that are text", { ...ON, segments: "1" }],
    ["segments that are a number", { ...ON, segments: 1 }],
    ["segments that are an object", { ...ON, segments: { 0: 1 } }],
    ["a missing segment", { ...ON, segments: [1] }],
    ["a segment instead of its id", { ...ON, segments: [{ id: 1 }] }],
    ["userIds that are a list", { name: "userWithId", parameters: { userIds: ["7"] } }],
    ["userIds that are a number", { name: "userWithId", parameters: { userIds: 7 } }],
    ["IPs that are a list", { name: "remoteAddress", parameters: { IPs: ["127.0.0.1"] } }],
    [
      "hostNames that are a list",
      { name: "applicationHostname", parameters: { hostNames: ["x"] } },
    ],
    ["a rollout that is a list", { name: "flexibleRollout", parameters: { rollout: ["100"] } }],
  ])("%s", (_, strategy) => {
    const context = { userId: "7", remoteAddress: "127.0.0.1" };
    const segments = [{ constraints: [] }, { id: null, constraints: [] }];
    const onlyThis = { name: "flag", enabled: true, strategies: [strategy] };
    expect(evaluate({ features: [onlyThis], segments }, context, {}).enabled).toBe(false);
    expect(isOn([strategy, ON], context)).toBe(true);
  });
});

describe("Missing parameters are treated as empty", () => {
  const context = { userId: "7", sessionId: "s", remoteAddress: "127.0.0.1" };

  test.each([undefined, null, "text", 7, []])(
    "the parameters %j are treated as empty",
    (parameters) => {
      for (const name of [
        "userWithId",
        "remoteAddress",
        "applicationHostname",
        "flexibleRollout",
      ]) {
        expect(isOn([{ name, parameters }], context)).toBe(false);
      }
      for (const name of ["UserId", "SessionId", "Random"]) {
        expect(isOn([{ name: `gradualRollout${name}`, parameters }], context)).toBe(false);
      }
      expect(isOn([{ name: "default", parameters }], context)).toBe(true);
    },
  );

  test("variants of a strategy without parameters are selected with the group undefined", () => {
    const variants = ["a", "b", "c"].map((name) => ({ name, weight: 1 }));
    const choose = (parameters: unknown): Outcome["variant"] =>
      evaluateFlag({ strategies: [{ name: "default", parameters, variants }] }, context).variant;
    expect(choose(undefined)).toEqual(choose({ groupId: "undefined" }));
    expect(choose({})).toEqual(choose({ groupId: "undefined" }));
  });

  test("a custom strategy receives an empty object", () => {
    const isEnabled = vi.fn(() => true);
    const strategies = [{ name: "custom", isEnabled }];
    evaluateFlag({ strategies: [{ name: "custom" }] }, context, { strategies });
    expect(isEnabled).toHaveBeenCalledWith({}, context);
  });
});

describe("Malformed variants and dependencies", () => {
  const variant = { name: "a", weight: 1 };

  test.each([undefined, null, "7", 7])("an override with values %j never matches", (values) => {
    const overridden = { name: "b", weight: 0, overrides: [{ contextName: "userId", values }] };
    const outcome = evaluateFlag({ variants: [variant, overridden] }, { userId: "7" });
    expect(outcome.variant?.name).toBe("a");
  });

  test("a variant that is not an object is ignored", () => {
    expect(evaluateFlag({ variants: [null, "b", variant] }).variant?.name).toBe("a");
    expect(evaluateFlag({ variants: [null, "b"] })).toMatchObject({
      enabled: true,
      variant: undefined,
    });
  });

  test.each([undefined, null, ["a"], {}])("a variant with the name %j is ignored", (name) => {
    expect(evaluateFlag({ variants: [{ name, weight: 1 }, variant] }).variant?.name).toBe("a");
  });

  test.each([null, {}, "a", 7, true])("a flag with the variants %j has no variants", (variants) => {
    expect(evaluateFlag({ variants })).toMatchObject({ enabled: true, variant: undefined });
  });

  test("a weight that is a string is converted to a number", () => {
    const variants = [
      { name: "a", weight: "1" },
      { name: "b", weight: "0" },
    ];
    for (const userId of ["1", "2", "3", "4"]) {
      expect(evaluateFlag({ variants }, { userId }).variant?.name).toBe("a");
    }
  });

  test("a payload that is not a string is serialized as JSON", () => {
    const payload = { type: "json", value: { a: [1] } };
    expect(evaluateFlag({ variants: [{ ...variant, payload }] }).variant?.payload).toEqual({
      type: "json",
      value: '{"a":[1]}',
    });
  });

  test.each(["parent", [null], ["parent"], [7]])(
    "the malformed dependencies %j keep the flag off",
    (value) => {
      const parent = { name: "parent", enabled: true, strategies: [] };
      const flag = { name: "flag", enabled: true, strategies: [ON], dependencies: value };
      expect(evaluate({ features: [parent, flag] }, {}, {}).enabled).toBe(false);
    },
  );

  test.each([undefined, null, {}, "all", 7])(
    "the malformed strategies %j keep the flag off",
    (strategies) => {
      expect(isOn(strategies)).toBe(false);
    },
  );
});

describe("Names of prototype members have no special meaning", () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];

  test.each(names)("the context field %s is absent unless it was sent", (contextName) => {
    const isPresent = { contextName, operator: "STR_CONTAINS", values: [" "] };
    const strategies = [{ ...ON, constraints: [isPresent] }];
    const sent = JSON.parse(`{"${contextName}":"x"}`) as Context;
    expect(isOn(strategies, { properties: {} })).toBe(false);
    expect(isOn(strategies, sent)).toBe(true);
    expect(isOn(strategies, { properties: sent })).toBe(true);
  });

  test.each(names)(
    "a rollout with the stickiness %s is off if the context lacks the field",
    (stickiness) => {
      const parameters = { rollout: "100", stickiness };
      expect(isOn([{ name: "flexibleRollout", parameters }])).toBe(false);
    },
  );

  test.each(names)("a flag named %s is found only if the document contains it", (name) => {
    const named = JSON.parse(`{"name":"${name}","enabled":true,"strategies":[]}`) as Json;
    const snapshot = compileDocument({ features: [named] });
    expect(snapshot.indexOf(name)).toBe(0);
    expect(snapshot.flags[0]?.outcomes[snapshot.evaluate(0, {})]?.enabled).toBe(true);
    expect(compileDocument({ features: [] }).indexOf(name)).toBe(-1);
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  test.each(names)(
    "a missing parent named %s is not satisfied, even if it must be off",
    (feature) => {
      expect(evaluateFlag({ dependencies: [{ feature, enabled: false }] }).enabled).toBe(false);
    },
  );

  test("a flag named __proto__ may be a parent", () => {
    const parent = { name: "__proto__", enabled: true, strategies: [] };
    const dependencies = [{ feature: "__proto__" }];
    const flag = { name: "flag", enabled: true, strategies: [], dependencies };
    expect(evaluate({ features: [flag, parent] }, {}, {}).enabled).toBe(true);
  });
});

describe("A custom strategy that fails is off and reported, and other strategies can match", () => {
  const cause = new Error("broken");

  test.each<[string, () => unknown, unknown]>([
    [
      "throws",
      () => {
        throw cause;
      },
      cause,
    ],
    ["returns a promise", async () => Promise.resolve(true), expect.any(TypeError)],
    ["returns a promise that rejects", async () => Promise.reject(cause), expect.any(TypeError)],
  ])("%s", (_, isEnabled, expectedCause) => {
    const onStrategyError = vi.fn<(error: StrategyError) => void>();
    const options = { strategies: [{ name: "custom", isEnabled }], onStrategyError };
    const custom = { name: "custom", parameters: {} };
    expect(evaluateFlag({ strategies: [custom] }, {}, options).enabled).toBe(false);
    expect(evaluateFlag({ strategies: [custom, ON] }, {}, options).enabled).toBe(true);
    expect(onStrategyError).toHaveBeenCalledWith({
      strategy: "custom",
      flag: "flag",
      cause: expectedCause,
    });
  });

  test("a thenable counts as a promise", () => {
    // oxlint-disable-next-line unicorn/no-thenable -- what a strategy of another library may return
    const thenable = (): unknown => Object.fromEntries([["then", () => undefined]]);
    const onStrategyError = vi.fn<(error: StrategyError) => void>();
    const options = { strategies: [{ name: "custom", isEnabled: thenable }], onStrategyError };
    expect(evaluateFlag({ strategies: [{ name: "custom" }] }, {}, options).enabled).toBe(false);
    expect(onStrategyError).toHaveBeenCalled();
  });
});

describe("Odd values in a context", () => {
  const isPresent = { contextName: "odd", operator: "STR_CONTAINS", values: [" "] };
  const strategies = [{ ...ON, constraints: [isPresent] }];

  test.each<[string, unknown]>([
    ["an object without a prototype", Object.create(null)],
    ["an object whose toString throws", { toString: () => cannot() }],
  ])("%s in the context counts as absent", (_, odd) => {
    const rollout = { name: "flexibleRollout", parameters: { rollout: "100", stickiness: "odd" } };
    expect(isOn(strategies, { odd })).toBe(false);
    expect(isOn([rollout], { odd })).toBe(false);
  });

  test("a time that cannot be parsed never matches", () => {
    const after = { operator: "DATE_AFTER", value: "1990-01-01" };
    for (const currentTime of [Object.create(null), Symbol("now"), {}, "soon"] as unknown[]) {
      expect(isOn([{ ...ON, constraints: [after] }], { currentTime })).toBe(false);
    }
  });
});

function cannot(): never {
  throw new Error("Cannot be text");
}

describe("Evaluation never throws", () => {
  const keys = fc.oneof(
    fc.constantFrom("__proto__", "constructor", "length", "then", "name", "values", "id"),
    fc.string({ maxLength: 5 }),
  );
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, true, false, 0, -1, 1e308, "", " ", "1", "default", "IN", "flag"),
      fc.double(),
      fc.string(),
      fc.array(tie("json"), { maxLength: 3 }),
      fc
        .array(fc.tuple(keys, tie("json")), { maxLength: 3 })
        .map((entries) => Object.fromEntries(entries)),
    ),
  }));
  const splices = fc.array(fc.tuple(fc.nat(), json), { minLength: 1, maxLength: 4 });

  test("evaluation does not throw for any document that parseDocument() accepts, and any context", () => {
    const numRuns = fuzzRuns(150, 1000);
    let accepted = 0;
    fc.assert(
      fc.property(fc.integer(), splices, json, (seed, changes, extra) => {
        const choices = createChoices(seed);
        const document = changes.reduce<unknown>(
          (changed, [place, value]) => splice(changed, place, value),
          structuredClone(randomDocument(choices, [])),
        );
        const parsed = parseOrReject(document);
        if (parsed === undefined) return;
        accepted += 1;
        const snapshot = compileDocument(document);
        for (const context of [randomContext(choices), { properties: extra }, Object(extra)]) {
          expect(flagsWithInvalidOutcome(snapshot, context as Context)).toEqual([]);
        }
      }),
      { numRuns },
    );
    expect(accepted).toBeGreaterThan(numRuns / 2);
  });
});

/** Returns the flags whose evaluation returns an index out of range. */
function flagsWithInvalidOutcome(snapshot: Snapshot, context: Context): readonly string[] {
  const all = snapshot.evaluateAll(context).outcomes;
  return snapshot.flags
    .filter(({ outcomes }, index) => {
      const indexes = [all[index] ?? Number.NaN, snapshot.evaluate(index, context)];
      return indexes.some((position) => outcomes[position] === undefined);
    })
    .map(({ name }) => name);
}

function parseOrReject(document: unknown): object | undefined {
  try {
    return parseDocument(document);
  } catch (error) {
    expect(error).toBeInstanceOf(DocumentError);
    return undefined;
  }
}

/** Replaces the value at one place of a document. `place` selects it, modulo their number. */
function splice(document: unknown, place: number, value: unknown): unknown {
  const places = collectPlaces(document);
  const chosen = places[place % places.length];
  if (chosen === undefined) return document;
  // NOTE: creates an own property even if its name is `__proto__`, as JSON.parse() does.
  Object.defineProperty(chosen.holder, chosen.key, {
    value,
    configurable: true,
    enumerable: true,
    writable: true,
  });
  return document;
}

function collectPlaces(value: unknown): { holder: object; key: string }[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, entry]) => [
    { holder: value, key },
    ...collectPlaces(entry),
  ]);
}
