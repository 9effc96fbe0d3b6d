import { describe, expect, test } from "vitest";
import type { Context } from "../context.ts";
import { outcomeOf, satisfies, snapshotOf } from "../../test/_evaluate.ts";

describe("matchesPattern()", () => {
  test.each([
    ["an+a", "hanna!", true],
    ["^an+a$", "hanna!", false],
    ["ANNA", "anna", false],
    ["", "anything", true],
    ["^.$", "😊", true],
    ["(?P<first>a)", "anna", true],
    ["(?=a)", "anna", false],
    ["(a)\\1", "aa", false],
    ["[", "[", false],
    [7, "7", false],
    ["a", undefined, false],
  ])("finds %j in %j: %j", (value, userId, expected) => {
    const constraint = { contextName: "userId", operator: "REGEX", value };
    expect(satisfies(constraint, { userId })).toBe(expected);
  });

  test("ignores case if caseInsensitive is set", () => {
    const constraint = { contextName: "userId", operator: "REGEX", value: "ANNA" };
    expect(satisfies({ ...constraint, caseInsensitive: true }, { userId: "anna" })).toBe(true);
  });

  test("matches a pattern that would block a backtracking engine in linear time", () => {
    const constraint = { contextName: "userId", operator: "REGEX", value: "^(a+)+$" };
    expect(satisfies(constraint, { userId: `${"a".repeat(50_000)}!` })).toBe(false);
  });

  test("does not match a string that is long for a large pattern", () => {
    const constraint = { contextName: "userId", operator: "REGEX", value: "a.{900}c" };
    expect(satisfies(constraint, { userId: `a${"b".repeat(400)}a${"b".repeat(900)}c` })).toBe(
      false,
    );
    expect(satisfies(constraint, { userId: `a${"b".repeat(900)}c` })).toBe(false);
    expect(satisfies({ ...constraint, value: "a.{90}c" }, { userId: `a${"b".repeat(90)}c` })).toBe(
      true,
    );
  });

  test("a pattern of ten instructions matches a string of 12,500 characters, and no longer one", () => {
    const constraint = { contextName: "userId", operator: "REGEX", value: "abcdefgh" };
    const userId = `${"x".repeat(12_492)}abcdefgh`;
    expect(satisfies(constraint, { userId })).toBe(true);
    expect(satisfies(constraint, { userId: `x${userId}` })).toBe(false);
  });

  describe("the time for one request is limited", () => {
    const namesOn = (constraints: readonly object[], context: Context): string[] => {
      const features = constraints.map((constraint, index) => ({
        name: `${index}`,
        enabled: true,
        strategies: [
          {
            name: "default",
            constraints: [{ contextName: "userId", operator: "REGEX", ...constraint }],
          },
        ],
      }));
      const snapshot = snapshotOf({ features });
      const { outcomes } = snapshot.evaluateAll(context);
      return snapshot.flags
        .filter((flag, index) => flag.outcomes[outcomes[index] ?? 0]?.enabled)
        .map(({ name }) => name);
    };
    const long = { userId: `${"x".repeat(7500)}abcdefgh`, sessionId: "abcdefgh" };

    test("the same pattern is matched once for all flags", () => {
      const constraints = Array.from({ length: 20 }, () => ({ value: "abcdefgh" }));
      expect(namesOn(constraints, long)).toHaveLength(20);
    });

    test("patterns that differ share one budget for long strings, and inverted ones hold at its end", () => {
      const constraints = [
        { value: "abcdefgh" },
        { value: "abcdefg" },
        { value: "ABCDEFGH", caseInsensitive: true },
        { value: "abcdef", inverted: true },
        { value: "ab" },
        { value: "abcdefg", contextName: "sessionId" },
      ];
      expect(namesOn(constraints, long)).toEqual(["0", "3", "4", "5"]);
    });

    test("short strings do not count", () => {
      const constraints = Array.from({ length: 200 }, (_, index) => ({
        value: `abcdefgh|${index}`,
      }));
      expect(namesOn(constraints, { userId: `${"x".repeat(242)}abcdefgh` })).toHaveLength(200);
    });
  });

  test("a pattern that would take seconds to compile is never satisfied, even inverted", () => {
    const constraint = { contextName: "userId", operator: "REGEX", value: ".{0,999}".repeat(500) };
    const features = [false, true].map((inverted) => ({
      name: `inverted-${inverted}`,
      enabled: true,
      strategies: [{ name: "default", constraints: [{ ...constraint, inverted }] }],
    }));
    const snapshot = snapshotOf({ features });
    expect(snapshot.diagnostics.map(({ message }) => message)).toEqual([
      "The pattern of REGEX is too large: the constraint is never satisfied",
      "The pattern of REGEX is too large: the constraint is never satisfied",
    ]);
    for (const { name } of features) {
      expect(outcomeOf(snapshot, name, { userId: "a" }).enabled).toBe(false);
    }
  });

  test("a pattern that lists a thousand values is compiled", () => {
    const values = Array.from({ length: 1000 }, (_, index) => `customer-${index}`);
    const constraint = {
      contextName: "userId",
      operator: "REGEX",
      value: `^(${values.join("|")})$`,
    };
    expect(satisfies(constraint, { userId: "customer-999" })).toBe(true);
    expect(satisfies(constraint, { userId: "customer-1000" })).toBe(false);
  });
});
