import { expect, test } from "vitest";
import { snapshotOf } from "../_evaluate.ts";

/** Enough that a test would time out if each part visited all others. */
const COUNT = 10_000;

const IN = { contextName: "plan", operator: "IN", values: ["pro"] };
const STARTS_WITH = { contextName: "plan", operator: "STR_STARTS_WITH", values: ["p"] };
const strategy = { name: "default", constraints: [IN] };

function listOf(create: (index: number) => unknown, length = COUNT): readonly unknown[] {
  return Array.from({ length }, (_, index) => create(index));
}

const flagWith = (parts: object) => ({ name: "flag", enabled: true, strategies: [], ...parts });
const toVariant = (index: number) => ({ name: `variant-${index}`, weight: 1 });
const inSegment = listOf(() => ({ name: "default", segments: [1] }));

/** Documents of a megabyte or two, in which each of many parts refers to many others. */
const DOCUMENTS = {
  "strategies with a segment of many constraints": {
    features: [flagWith({ strategies: inSegment })],
    segments: [{ id: 1, constraints: listOf(() => STARTS_WITH) }],
  },
  "strategies with a segment of many lists": {
    features: [flagWith({ strategies: inSegment })],
    segments: [{ id: 1, constraints: listOf((index) => ({ ...IN, values: ["pro", `${index}`] })) }],
  },
  "strategies of a flag with many variants": {
    features: [flagWith({ variants: listOf(toVariant), strategies: listOf(() => strategy) })],
  },
  "dependencies on a flag with many variants": {
    features: [
      flagWith({ name: "parent", variants: listOf(toVariant) }),
      flagWith({ dependencies: listOf(() => ({ feature: "parent" })) }),
    ],
  },
};

test("at most 10,000 problems of a document are recorded", () => {
  const malformed = { strategies: listOf(() => 1, 20_000) };
  expect(snapshotOf({ features: [flagWith(malformed)] }).diagnostics.length).toBe(10_000);
  const unknown = { strategies: listOf(() => ({ name: "magic" }), 20_000) };
  expect(snapshotOf({ features: [flagWith(unknown)] }).diagnostics.length).toBe(10_000);
});

test.each(Object.entries(DOCUMENTS))(
  "many %s are compiled and evaluated in linear time",
  (_, document) => {
    const snapshot = snapshotOf(document);
    const { outcomes } = snapshot.evaluateAll({ properties: { plan: "pro" } });
    expect(outcomes[snapshot.indexOf("flag")]).not.toBe(0);
  },
);
