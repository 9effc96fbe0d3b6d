import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { afterAll, describe, expect, test } from "vitest";
import { applyDelta, compileSnapshot, parseDocument } from "../src/index.ts";
import type { Context, Snapshot } from "../src/index.ts";

// The official client specification 6.1.0: every case of every file.
const FILE_COUNT = 22;
const CASE_COUNT = 279;

type State = { readonly features: readonly unknown[] } | { readonly events: readonly unknown[] };

interface Case<Expected> {
  readonly description: string;
  readonly context: Context;
  readonly toggleName: string;
  readonly expectedResult: Expected;
}

interface ExpectedVariant {
  readonly name: string;
  readonly enabled: boolean;
  readonly feature_enabled: boolean;
  readonly payload?: unknown;
}

interface Specification {
  readonly name: string;
  readonly state: State;
  readonly tests?: readonly Case<boolean>[];
  readonly variantTests?: readonly Case<ExpectedVariant>[];
}

const require = createRequire(import.meta.url);

function readSpecification(file: string): unknown {
  const path = require.resolve(`@unleash/client-specification/specifications/${file}`);
  return JSON.parse(readFileSync(path, "utf8"));
}

const files = readSpecification("index.json") as readonly string[];
const specifications = files.map((file) => readSpecification(file) as Specification);

function compileState(state: State): Snapshot {
  const document =
    "events" in state ? applyDelta({ features: [], segments: [] }, state.events) : state;
  return compileSnapshot(parseDocument(document), { now: Date.now, random: Math.random });
}

function answer(snapshot: Snapshot, name: string, context: Context): ExpectedVariant {
  const index = snapshot.indexOf(name);
  const outcome = snapshot.features[index]?.outcomes[snapshot.evaluate(index, context)];
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
  // What the official runner configures its client with; the context of a case comes on top.
  const underlay = { appName: name, environment: "default" };

  for (const { description, context, toggleName, expectedResult } of tests) {
    test(description, () => {
      casesRun += 1;
      const { feature_enabled } = answer(snapshot, toggleName, { ...underlay, ...context });
      expect(feature_enabled).toBe(expectedResult);
    });
  }

  for (const { description, context, toggleName, expectedResult } of variantTests) {
    test(description, () => {
      casesRun += 1;
      const actual = answer(snapshot, toggleName, { ...underlay, ...context });
      expect(actual).toEqual(expectedResult);
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
