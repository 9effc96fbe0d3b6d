import { describe, expect, test } from "vitest";
import { answerOf, evaluateFlag, fulfils, snapshotOf } from "../_evaluate.ts";

describe("compileConstraints()", () => {
  test("inverts what an operator says, parse failures included", () => {
    const inverted = { contextName: "level", inverted: true };
    expect(fulfils({ ...inverted, operator: "NUM_GT", value: "5" }, { level: 6 })).toBe(false);
    expect(fulfils({ ...inverted, operator: "NUM_GT", value: "five" }, { level: 6 })).toBe(true);
    expect(fulfils({ ...inverted, operator: "IN", values: ["6"] })).toBe(true);
  });

  test.each([
    ["an unknown operator", { operator: "IS_NICE", values: ["a"] }],
    ["no values", { operator: "NOT_IN" }],
    ["values that are no list", { operator: "NOT_IN", values: "a" }],
    ["values that are no texts", { operator: "NOT_IN", values: [1] }],
  ])("never fulfils a constraint with %s, not even inverted", (_, constraint) => {
    expect(fulfils({ contextName: "userId", ...constraint })).toBe(false);
    expect(fulfils({ contextName: "userId", ...constraint, inverted: true })).toBe(false);
  });

  test.each([["text"], [7], [{}], [[null]], [["text"]]])(
    "never fulfils the malformed list %j",
    (constraints) => {
      expect(evaluateFlag({ strategies: [{ name: "default", constraints }] }).enabled).toBe(false);
    },
  );

  test.each([[undefined], [null], [[]], [""], [0]])(
    "has nothing to fulfil in %j",
    (constraints) => {
      expect(evaluateFlag({ strategies: [{ name: "default", constraints }] }).enabled).toBe(true);
    },
  );

  test("asks for every constraint of every segment", () => {
    const snapshot = snapshotOf({
      features: [flagInSegments("both", [1, 2]), flagInSegments("none", [])],
      segments: [
        { id: 1, constraints: [{ contextName: "plan", operator: "IN", values: ["pro"] }] },
        { id: 2, constraints: [{ contextName: "country", operator: "IN", values: ["no"] }] },
      ],
    });
    expect(answerOf(snapshot, "both", { plan: "pro", country: "no" }).enabled).toBe(true);
    expect(answerOf(snapshot, "both", { plan: "pro", country: "de" }).enabled).toBe(false);
    expect(answerOf(snapshot, "none").enabled).toBe(true);
  });

  test("treats a missing segment as never fulfilled, and ids as strict", () => {
    const snapshot = snapshotOf({
      features: [
        flagInSegments("missing", [9]),
        flagInSegments("text", ["1"]),
        flagInSegments("empty", [1]),
      ],
      segments: [{ id: 1 }],
    });
    expect(answerOf(snapshot, "missing").enabled).toBe(false);
    expect(answerOf(snapshot, "text").enabled).toBe(false);
    expect(answerOf(snapshot, "empty").enabled).toBe(true);
    expect(snapshot.diagnostics.map(({ subject }) => subject)).toEqual([
      'feature "missing"',
      'feature "text"',
    ]);
  });
});

function flagInSegments(name: string, segments: readonly unknown[]): object {
  return { name, enabled: true, strategies: [{ name: "default", segments }] };
}
