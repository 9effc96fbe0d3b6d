import { expect, test } from "vitest";
import { toClientContext, withSessionId } from "./client-context.ts";

const NO_RULES = { fields: [], readsClock: false, drawsRandom: false, callsCustomStrategy: false };

test("toClientContext() writes all values as text", () => {
  const time = new Date("2026-01-31T12:00:00Z");
  const given = {
    userId: 7,
    sessionId: 7n,
    currentTime: time,
    properties: { beta: true, at: time },
  };
  expect(toClientContext(given)).toEqual({
    userId: "7",
    sessionId: "7",
    currentTime: "2026-01-31T12:00:00.000Z",
    properties: { beta: "true", at: "2026-01-31T12:00:00.000Z" },
  });
  expect(toClientContext({ currentTime: 0 })).toEqual({ currentTime: "1970-01-01T00:00:00.000Z" });
});

test("toClientContext() omits what is not a value, and empty fields, but not empty properties", () => {
  const nothing = [null, undefined, {}, ["a"], Number.NaN, new Date(Number.NaN)];
  for (const value of nothing) {
    expect(toClientContext({ userId: value, plan: value, properties: { plan: value } })).toEqual(
      {},
    );
  }
  const empty = { userId: "", sessionId: "", properties: { plan: "" } };
  expect(toClientContext(empty)).toEqual({ properties: { plan: "" } });
  expect(toClientContext({ properties: null })).toEqual({});
});

test("toClientContext() makes other fields properties, over which those under `properties` take precedence", () => {
  const given = { plan: "a", region: "eu", properties: { plan: "b", userId: "8" } };
  expect(toClientContext(given)).toEqual({ properties: { plan: "b", region: "eu", userId: "8" } });
});

test("toClientContext() keeps properties named like those of objects", () => {
  const properties = JSON.parse('{"__proto__": "a", "constructor": "b"}') as Record<string, string>;
  expect(JSON.stringify(toClientContext({ properties }).properties)).toBe(
    JSON.stringify(properties),
  );
});

test.each([null, "7", 7, []])("toClientContext() rejects %j", (given) => {
  expect(() => toClientContext(given as never)).toThrow("`context` must be an object");
});

test("withSessionId() generates an id only if a rule may read it and there is none", () => {
  const reading = { ...NO_RULES, fields: ["sessionId"] };
  const generated = withSessionId({ userId: "7" }, reading);
  expect(generated).toEqual({ userId: "7", sessionId: expect.stringMatching(/^[\da-f-]{36}$/) });
  expect(withSessionId({ userId: "7" }, reading)).not.toEqual(generated);
  expect(withSessionId({ sessionId: "s" }, reading)).toEqual({ sessionId: "s" });
  expect(withSessionId({ userId: "7" }, NO_RULES)).toEqual({ userId: "7" });
});
