import { applyDelta } from "flags-engine";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { CASE_COUNT, specifications } from "../../engine/conformance/_specification.ts";
import { startWireProxy } from "./_wire.ts";

// The official client specification, through `/proxy`. A response contains neither
// flags that are off nor their variants.

/** Cases without a context field that the proxy adds by contract. */
const FILLED_IN = new Set([
  "Feature.A4 should be disabled when no user on context",
  "Feature.remoteAddress.A should not be enabled for missing remoteAddress on context",
]);

beforeEach(() => {
  // Not random, so that equal requests have equal responses.
  vi.spyOn(Math, "random").mockReturnValue(0.5);
});

afterEach(() => {
  vi.restoreAllMocks();
});

test.each(specifications)(
  "$name holds for GET and POST /proxy",
  async ({ name, state, tests = [], variantTests = [] }) => {
    const document =
      "events" in state ? applyDelta({ features: [], segments: [] }, state.events) : state;
    const evaluate = await startWireProxy(document);
    const underlay = { appName: name, sessionId: "session" };

    for (const { description, context, toggleName, expectedResult } of tests) {
      // oxlint-disable-next-line no-await-in-loop -- requests must not overlap
      const on = await evaluate({ ...underlay, ...context });
      if (!FILLED_IN.has(description)) expect(on.has(toggleName), description).toBe(expectedResult);
    }
    for (const { description, context, toggleName, expectedResult } of variantTests) {
      // oxlint-disable-next-line no-await-in-loop -- requests must not overlap
      const on = await evaluate({ ...underlay, ...context });
      const { feature_enabled, ...variant } = expectedResult;
      expect(on.get(toggleName)?.variant, description).toEqual(
        feature_enabled ? variant : undefined,
      );
    }
  },
);

test(`the specification has ${CASE_COUNT} cases`, () => {
  const cases = specifications.map(
    ({ tests = [], variantTests = [] }) => tests.length + variantTests.length,
  );
  expect(cases.reduce((sum, count) => sum + count, 0)).toBe(CASE_COUNT);
});
