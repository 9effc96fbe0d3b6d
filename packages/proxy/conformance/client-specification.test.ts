import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { applyDelta, type Context } from "flags-engine";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startFastProxy } from "./_wire.ts";

// The official client specification, through the fast path of `GET /proxy`. A flag that is off is
// not in an answer, and neither is the variant that it might have.

const CASE_COUNT = 279;

/** Cases of contexts that lack what the proxy fills in, by contract. */
const FILLED_IN = new Set([
  "Feature.A4 should be disabled when no user on context",
  "Feature.remoteAddress.A should not be enabled for missing remoteAddress on context",
]);

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
  readonly state: { readonly features?: readonly unknown[]; readonly events?: readonly unknown[] };
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

beforeEach(() => {
  // The same chance each time, so that the same question has the same answer.
  vi.spyOn(Math, "random").mockReturnValue(0.5);
});

afterEach(() => {
  vi.restoreAllMocks();
});

test.each(specifications)(
  "$name comes out over the wire",
  async ({ name, state, tests = [], variantTests = [] }) => {
    const { features = [], ...rest } = state;
    const document =
      state.events === undefined
        ? { features, ...rest }
        : applyDelta({ features: [], segments: [] }, state.events);
    const ask = await startFastProxy(document);
    const underlay = { appName: name, sessionId: "session" };

    for (const { description, context, toggleName, expectedResult } of tests) {
      // oxlint-disable-next-line no-await-in-loop -- one question after the other
      const on = await ask({ ...underlay, ...context });
      if (!FILLED_IN.has(description)) expect(on.has(toggleName), description).toBe(expectedResult);
    }
    for (const { description, context, toggleName, expectedResult } of variantTests) {
      // oxlint-disable-next-line no-await-in-loop -- one question after the other
      const on = await ask({ ...underlay, ...context });
      const { feature_enabled, ...variant } = expectedResult;
      expect(on.get(toggleName)?.variant, description).toEqual(
        feature_enabled ? variant : undefined,
      );
    }
  },
);

test(`these are ${CASE_COUNT} cases`, () => {
  const cases = specifications.map(
    ({ tests = [], variantTests = [] }) => tests.length + variantTests.length,
  );
  expect(cases.reduce((sum, count) => sum + count, 0)).toBe(CASE_COUNT);
});
