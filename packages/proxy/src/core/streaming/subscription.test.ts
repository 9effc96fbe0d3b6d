import { expect, test } from "vitest";
import { toPlainContext, toStoredText, withSessionId } from "./subscription.ts";

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

test("toStoredText() stores all of a subscription of up to 16 KiB, and rejects others with a 413", () => {
  const properties = { ["__proto__"]: "p", note: "x".repeat(16_000) };
  const subscription = { context: { userId: "7", properties }, toggles: ["a"] };
  expect(JSON.parse(toStoredText(subscription))).toEqual(subscription);
  const toggles = Array.from({ length: 50 }, (_, index) => `toggle-${index}`);
  expect(() => toStoredText({ ...subscription, toggles })).toThrow(/exceed 16 KiB/);
});
