import { expect, test } from "vitest";
import { compileInSteps, compileSnapshot } from "./compile/compile-snapshot.ts";
import { parseDocument, parseInSteps } from "./parse/parse-document.ts";
import { runToEnd } from "./steps.ts";
import type { Steps } from "./steps.ts";

const OPTIONS = { now: () => 0, random: () => 0 };

const DOCUMENT = {
  features: [
    { name: "child", enabled: true, strategies: [], dependencies: [{ feature: "parent" }] },
    { name: "parent", enabled: true, strategies: [{ name: "default", segments: [1] }] },
    { name: "off", enabled: false, strategies: [] },
  ],
  segments: [{ id: 1, constraints: [{ contextName: "userId", operator: "IN", values: ["7"] }] }],
};

/** Runs all steps and calls `between` in each pause. */
function interrupted<Result>(
  steps: Steps<Result>,
  between: () => void,
): { result: Result; pauses: number } {
  let pauses = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) {
    pauses += 1;
    between();
  }
  return { result: step.value, pauses };
}

test("runToEnd() runs all steps and returns the result", () => {
  function* steps(): Steps<number> {
    yield;
    return 7;
  }
  expect(runToEnd(steps())).toBe(7);
});

test("parseInSteps() pauses after each flag and segment, and other documents can be parsed meanwhile", () => {
  const { result, pauses } = interrupted(parseInSteps(DOCUMENT), () => parseDocument(DOCUMENT));
  expect(pauses).toBe(4);
  expect(result).toEqual(parseDocument(DOCUMENT));
});

test("compileInSteps() pauses after each flag and between the parts of the snapshot, and other snapshots can be compiled meanwhile", () => {
  const document = parseDocument(DOCUMENT);
  const { result, pauses } = interrupted(compileInSteps(document, OPTIONS), () =>
    compileSnapshot(document, OPTIONS),
  );
  const uninterrupted = compileSnapshot(document, OPTIONS);
  // One for each flag, and two between the parts of the snapshot.
  expect(pauses).toBe(3 + 2);
  expect(result.flags).toEqual(uninterrupted.flags);
  expect(result.contextDependencies).toEqual(uninterrupted.contextDependencies);
  for (const context of [{}, { userId: "7" }]) {
    expect(result.evaluateAll(context).outcomes).toEqual(
      uninterrupted.evaluateAll(context).outcomes,
    );
  }
});
