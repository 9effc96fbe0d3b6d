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
