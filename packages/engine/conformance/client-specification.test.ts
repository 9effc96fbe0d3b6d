import { afterAll, describe, expect, test } from "vitest";
import { applyDelta, compileSnapshot, explain, parseDocument } from "../src/index.ts";
import type { Context, Snapshot } from "../src/index.ts";
import { CASE_COUNT, specifications, type ExpectedVariant, type State } from "./_specification.ts";

const FILE_COUNT = 22;

function compileState(state: State): Snapshot {
  const document =
    "events" in state ? applyDelta({ features: [], segments: [] }, state.events) : state;
  return compileSnapshot(parseDocument(document), { now: Date.now, random: Math.random });
}

function evaluate(snapshot: Snapshot, name: string, context: Context): ExpectedVariant {
  const index = snapshot.indexOf(name);
  const outcome = snapshot.flags[index]?.outcomes[snapshot.evaluate(index, context)];
  const variant = outcome?.variant;
  return {
    name: variant?.name ?? "disabled",
    enabled: variant !== undefined,
    feature_enabled: outcome?.enabled ?? false,
    ...(variant?.payload && { payload: variant.payload }),
  };
}

let casesRun = 0;

describe.each(specifications)("$name", ({ name, state, tests = [], variantTests = [] }) => {
  const snapshot = compileState(state);
  // The official runner configures its client with these fields. Those of the case take precedence.
  const staticContext = { appName: name, environment: "default" };

  for (const { description, context, toggleName, expectedResult } of tests) {
    test(description, () => {
      casesRun += 1;
      const complete = { ...staticContext, ...context };
      const actual = evaluate(snapshot, toggleName, complete);
      expect(actual.feature_enabled).toBe(expectedResult);
      expect(explain(snapshot, toggleName, complete)?.enabled ?? false).toBe(expectedResult);
    });
  }

  for (const { description, context, toggleName, expectedResult } of variantTests) {
    test(description, () => {
      casesRun += 1;
      const complete = { ...staticContext, ...context };
      const actual = evaluate(snapshot, toggleName, complete);
      expect(actual).toEqual(expectedResult);
      const explanation = explain(snapshot, toggleName, complete);
      expect(explanation?.enabled ?? false).toBe(expectedResult.feature_enabled);
      expect(explanation?.variant?.name ?? "disabled").toBe(expectedResult.name);
    });
  }
});

test(`the suite has ${CASE_COUNT} cases in ${FILE_COUNT} files`, () => {
  const cases = specifications.map(
    ({ tests = [], variantTests = [] }) => tests.length + variantTests.length,
  );
  expect(cases).toHaveLength(FILE_COUNT);
  expect(cases.reduce((sum, count) => sum + count, 0)).toBe(CASE_COUNT);
});

afterAll(() => {
  expect(casesRun).toBe(CASE_COUNT);
});
