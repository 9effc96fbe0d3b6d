import { expect, test } from "vitest";
import { toStoredText, withSessionId } from "./subscription.ts";

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
