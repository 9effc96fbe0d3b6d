import { expect, test } from "vitest";
import { snapshotOf } from "../../test/_evaluate.ts";
import { parseDocument } from "../parse/parse-document.ts";
import type { Snapshot } from "../snapshot.ts";
import { compileSnapshot } from "./compile-snapshot.ts";

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

const variant = { name: "v", weight: 1, payload: { type: "string", value: "p" } };
const FLAG = {
  name: "flag",
  type: "release",
  project: "default",
  enabled: true,
  strategies: [{ name: "flexibleRollout", parameters: { rollout: "50" }, variants: [variant] }],
};

function compile(features: readonly object[], previous?: Snapshot): Snapshot {
  const options = { now: () => 0, random: () => 0, ...(previous && { previous }) };
  return compileSnapshot(parseDocument({ features }), options);
}

test("an unchanged flag is the object of the previous snapshot, at any index", () => {
  const previous = compile([FLAG]);
  const { flags } = compile([{ ...FLAG, name: "new" }, structuredClone(FLAG)], previous);
  expect(flags[1]).toBe(previous.flags[0]);
  expect(flags[0]).not.toBe(previous.flags[0]);
});

test("a reused flag evaluates the rules of the new document", () => {
  const previous = compile([FLAG]);
  const [strategy] = FLAG.strategies;
  const later = compile([{ ...FLAG, strategies: [{ ...strategy, constraints: [{}] }] }], previous);
  const never = { ...strategy, constraints: [{ contextName: "userId", operator: "IN" }] };
  const snapshot = compile([{ ...FLAG, strategies: [never] }], later);
  expect(snapshot.evaluate(0, { userId: "7" })).toBe(0);
});

test.each<[string, object]>([
  ["type", { type: "experiment" }],
  ["project", { project: "other" }],
  ["stale", { stale: true }],
  ["impressionData", { impressionData: true }],
  ["enabled", { enabled: false }],
  ["strategies", { strategies: [] }],
  ["reason", { strategies: [{ name: "userWithId", parameters: { userIds: "7" } }] }],
  ["variant", { strategies: [{ ...FLAG.strategies[0], variants: [{ ...variant, name: "w" }] }] }],
  [
    "payload",
    { strategies: [{ ...FLAG.strategies[0], variants: [{ ...variant, payload: undefined }] }] },
  ],
])("a flag with another %s is a new object with the new content", (_name, parts) => {
  const previous = compile([FLAG]);
  const [flag] = compile([{ ...FLAG, ...parts }], previous).flags;
  expect(flag).not.toBe(previous.flags[0]);
  expect(flag).toEqual(compile([{ ...FLAG, ...parts }]).flags[0]);
});
