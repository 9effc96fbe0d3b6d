import fc from "fast-check";
import { expect, test } from "vitest";
import { fuzzRuns } from "../../../../scripts/test-size.ts";
import { compileSnapshot } from "../compile/compile-snapshot.ts";
import { parseDocument } from "../parse/parse-document.ts";

const RUNTIME = { now: () => 0, random: () => 0.5 };

const list = fc.record({
  contextName: fc.constantFrom("userId", "plan"),
  operator: fc.constant("IN"),
  values: fc.constantFrom(["a"], ["a", "b"], ["b", "c"]),
});

const strategy = fc.record({
  name: fc.constant("flexibleRollout"),
  parameters: fc.record({
    rollout: fc.constantFrom("30", "100"),
    groupId: fc.constantFrom("g", "h"),
    stickiness: fc.constant("sessionId"),
  }),
  constraints: fc.array(list, { maxLength: 3 }),
  variants: fc.constantFrom(
    [],
    [
      { name: "x", weight: 1 },
      { name: "y", weight: 1 },
    ],
  ),
});

const documents = fc.array(fc.array(strategy, { minLength: 1, maxLength: 2 }), { minLength: 2 });

const contexts = fc.record({
  userId: fc.constantFrom("a", "b", "c", "d", undefined),
  sessionId: fc.constantFrom("1", "2", "3", undefined),
  properties: fc.record({ plan: fc.constantFrom("a", "b", "c", "d", undefined) }),
});

function compile(flags: readonly unknown[]) {
  const features = flags.map((strategies, index) => ({
    name: `flag ${index}`,
    enabled: true,
    strategies,
  }));
  return compileSnapshot(parseDocument({ version: 2, features }), RUNTIME);
}

test("a flag with lists has the same outcome in a snapshot with others as in one of its own", () => {
  fc.assert(
    fc.property(documents, contexts, (flags, context) => {
      const alone = flags.map((strategies) => compile([strategies]).evaluate(0, context));
      const snapshot = compile(flags);
      expect([...snapshot.evaluateAll(context).outcomes]).toEqual(alone);
      expect(snapshot.flags.map((_, index) => snapshot.evaluate(index, context))).toEqual(alone);
    }),
    { numRuns: fuzzRuns(250, 2000) },
  );
});
