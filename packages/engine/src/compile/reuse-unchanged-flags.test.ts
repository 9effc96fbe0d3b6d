import { expect, test } from "vitest";
import { parseDocument } from "../parse/parse-document.ts";
import type { Snapshot } from "../snapshot.ts";
import { compileSnapshot } from "./compile-snapshot.ts";

const variant = { name: "v", weight: 1, payload: { type: "string", value: "p" } };
const FLAG = {
  name: "flag",
  type: "release",
  project: "default",
  enabled: true,
  strategies: [{ name: "flexibleRollout", parameters: { rollout: "50" }, variants: [variant] }],
};

function compile(features: readonly object[], former?: Snapshot): Snapshot {
  const options = { now: () => 0, random: () => 0, ...(former && { former }) };
  return compileSnapshot(parseDocument({ features }), options);
}

test("a flag that says what it said in the former snapshot is the same object, wherever it is", () => {
  const former = compile([FLAG]);
  const { features } = compile([{ ...FLAG, name: "new" }, structuredClone(FLAG)], former);
  expect(features[1]).toBe(former.features[0]);
  expect(features[0]).not.toBe(former.features[0]);
});

test("a flag decides as the new document says, also when it can answer the same", () => {
  const former = compile([FLAG]);
  const [strategy] = FLAG.strategies;
  const later = compile([{ ...FLAG, strategies: [{ ...strategy, constraints: [{}] }] }], former);
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
])("a flag with another %s is a new object, with what the document says", (_name, parts) => {
  const former = compile([FLAG]);
  const [feature] = compile([{ ...FLAG, ...parts }], former).features;
  expect(feature).not.toBe(former.features[0]);
  expect(feature).toEqual(compile([{ ...FLAG, ...parts }]).features[0]);
});
