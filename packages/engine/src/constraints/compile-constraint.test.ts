import { describe, expect, test } from "vitest";
import { outcomeOf, evaluateFlag, satisfies, snapshotOf } from "../../test/_evaluate.ts";

describe("compileConstraints()", () => {
  test("inverts the result of an operator, including that for an operand it cannot parse", () => {
    const inverted = { contextName: "level", inverted: true };
    expect(satisfies({ ...inverted, operator: "NUM_GT", value: "5" }, { level: 6 })).toBe(false);
    expect(satisfies({ ...inverted, operator: "NUM_GT", value: "five" }, { level: 6 })).toBe(true);
    expect(satisfies({ ...inverted, operator: "IN", values: ["6"] })).toBe(true);
  });

  test.each([
    ["an unknown operator", { operator: "IS_NICE", values: ["a"] }],
    ["no values", { operator: "NOT_IN" }],
    ["values that are not a list", { operator: "NOT_IN", values: "a" }],
    ["values that are not strings", { operator: "NOT_IN", values: [1] }],
  ])("never satisfies a constraint with %s, even inverted", (_, constraint) => {
    expect(satisfies({ contextName: "userId", ...constraint })).toBe(false);
    expect(satisfies({ contextName: "userId", ...constraint, inverted: true })).toBe(false);
  });

  test.each([
    [{ operator: "NUM_GT", value: "50%" }, "a number"],
    [{ operator: "DATE_AFTER", value: "tomorrow" }, "a time"],
    [{ operator: "SEMVER_GTE", value: "1.2" }, "a version such as 1.2.3"],
    [{ operator: "SEMVER_EQ" }, "a version such as 1.2.3"],
    [{ operator: "REGEX", value: "^(?!a)" }, "a regular expression in the syntax of RE2"],
    [{ operator: "REGEX" }, "a regular expression in the syntax of RE2"],
  ])("reports %j, which cannot be read", (constraint, allowed) => {
    const messagesOf = (inverted: boolean) => {
      const constraints = [{ contextName: "userId", inverted, ...constraint }];
      const strategies = [{ name: "default", constraints }];
      const { diagnostics } = snapshotOf({
        features: [{ name: "flag", enabled: true, strategies }],
      });
      return diagnostics.map(({ message }) => message);
    };
    const problem = `value of ${constraint.operator} must be ${allowed}: the constraint is`;
    expect(messagesOf(false)).toEqual([`${problem} never satisfied`]);
    expect(messagesOf(true)).toEqual([`${problem} always satisfied`]);
  });

  test.each([["text"], [7], [{}], [[null]], [["text"]]])(
    "never satisfies the malformed list %j",
    (constraints) => {
      expect(evaluateFlag({ strategies: [{ name: "default", constraints }] }).enabled).toBe(false);
    },
  );

  test.each([[undefined], [null], [[]], [""], [0]])(
    "treats %j as no constraints",
    (constraints) => {
      expect(evaluateFlag({ strategies: [{ name: "default", constraints }] }).enabled).toBe(true);
    },
  );

  test("requires every constraint of every segment", () => {
    const snapshot = snapshotOf({
      features: [flagInSegments("both", [1, 2]), flagInSegments("none", [])],
      segments: [
        { id: 1, constraints: [{ contextName: "plan", operator: "IN", values: ["pro"] }] },
        { id: 2, constraints: [{ contextName: "country", operator: "IN", values: ["no"] }] },
      ],
    });
    expect(outcomeOf(snapshot, "both", { plan: "pro", country: "no" }).enabled).toBe(true);
    expect(outcomeOf(snapshot, "both", { plan: "pro", country: "de" }).enabled).toBe(false);
    expect(outcomeOf(snapshot, "none").enabled).toBe(true);
  });

  test("never satisfies a missing segment, and compares the types of ids", () => {
    const snapshot = snapshotOf({
      features: [
        flagInSegments("missing", [9]),
        flagInSegments("text", ["1"]),
        flagInSegments("empty", [1]),
      ],
      segments: [{ id: 1 }],
    });
    expect(outcomeOf(snapshot, "missing").enabled).toBe(false);
    expect(outcomeOf(snapshot, "text").enabled).toBe(false);
    expect(outcomeOf(snapshot, "empty").enabled).toBe(true);
    expect(snapshot.diagnostics.map(({ subject }) => subject)).toEqual([
      'flag "missing"',
      'flag "text"',
    ]);
  });

  test("reports the first problem in a segment for each flag that uses it", () => {
    const { diagnostics } = snapshotOf({
      features: [flagInSegments("one", [1]), flagInSegments("two", [1])],
      segments: [
        { id: 1, constraints: [{ contextName: "plan", operator: "A" }, { operator: "B" }] },
      ],
    });
    const message = 'Operator "A" is unknown: the constraint is never satisfied';
    expect(diagnostics).toEqual([
      { subject: 'flag "one"', message },
      { subject: 'flag "two"', message },
    ]);
  });
});

function flagInSegments(name: string, segments: readonly unknown[]): object {
  return { name, enabled: true, strategies: [{ name: "default", segments }] };
}
