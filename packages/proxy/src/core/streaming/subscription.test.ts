import { expect, test } from "vitest";
import type { ContextDependencies } from "flags-engine";
import { StoredSubscription, toPlainContext, withSessionId } from "./subscription.ts";

test("toPlainContext() converts all values that rules can read to values that JSON supports", () => {
  const properties = JSON.parse('{"__proto__":"p","n":null,"list":["a","b"]}') as object;
  const plain = toPlainContext({
    userId: 7,
    sessionId: undefined,
    currentTime: new Date("2026-01-31T12:00:00Z"),
    odd: Number.NaN,
    big: 12n,
    isOn: false,
    bad: new Date(Number.NaN),
    bare: Object.create(null) as unknown,
    properties: { ...properties, ["__proto__"]: "p" },
  });
  expect(JSON.parse(JSON.stringify(plain))).toEqual(
    JSON.parse(
      `{"userId":7,"currentTime":"2026-01-31T12:00:00.000Z","odd":"NaN","big":"12","isOn":false,
        "properties":{"list":"a,b","__proto__":"p"}}`,
    ),
  );
});

test("withSessionId() adds an id only if it is missing", () => {
  const sent = { fields: { userId: "1", sessionId: "mine" }, properties: {} };
  expect(withSessionId(sent)).toEqual(sent);
  const { fields } = withSessionId({ fields: { sessionId: "" }, properties: {} });
  expect(fields.sessionId).toMatch(/^[\da-f-]{36}$/);
});

const contextDependencies = (...fields: string[]): ContextDependencies => ({
  fields,
  readsClock: false,
  drawsRandom: false,
  callsCustomStrategy: false,
});
const context = {
  userId: "7",
  plan: "top",
  properties: { plan: "pro", ["__proto__"]: "p", note: "x".repeat(20_000) },
};

test("StoredSubscription stores all of a short context", () => {
  const subscription = { context: { userId: "7", properties: { plan: "pro" } }, toggles: ["a"] };
  const stored = new StoredSubscription(subscription, contextDependencies());
  expect(stored.load()).toEqual(subscription);
  expect(stored.isOutdated(contextDependencies("plan", "note"))).toBe(false);
});

test("StoredSubscription reduces a long context to the fields that rules read", () => {
  const stored = new StoredSubscription({ context }, contextDependencies("plan", "__proto__"));
  const expected = { userId: "7", plan: "top", properties: { plan: "pro" } };
  expect(JSON.stringify(stored.load().context)).toBe(
    JSON.stringify(expected).replace('"pro"', '"pro","__proto__":"p"'),
  );
  expect(stored.bytes).toBeLessThan(500);
});

test("isOutdated() is true if rules read, or may read, a field that was not stored", () => {
  const stored = new StoredSubscription({ context }, contextDependencies("plan"));
  expect(stored.isOutdated(contextDependencies("plan"))).toBe(false);
  expect(stored.isOutdated(contextDependencies())).toBe(false);
  expect(stored.isOutdated(contextDependencies("plan", "note"))).toBe(true);
  expect(stored.isOutdated({ ...contextDependencies(), callsCustomStrategy: true })).toBe(true);
});

test.each<[string, ContextDependencies]>([
  ["a field that rules read is too long", contextDependencies("note")],
  ["a custom strategy may read any field", { ...contextDependencies(), callsCustomStrategy: true }],
])("StoredSubscription rejects more than 16 KiB with a 413 when %s", (_, readFields) => {
  expect(() => new StoredSubscription({ context }, readFields)).toThrow(/exceed 16 KiB/);
});

test("StoredSubscription counts the length of toggle names", () => {
  const toggles = Array.from({ length: 2000 }, (_, index) => `toggle-${index}`);
  const subscription = { context: {}, toggles };
  expect(() => new StoredSubscription(subscription, contextDependencies())).toThrow(
    /exceed 16 KiB/,
  );
});
