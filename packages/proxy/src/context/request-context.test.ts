import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { completeContext, createCallerAddress, readsSessionId } from "./request-context.ts";

const FACTS = { remoteAddress: "192.0.2.1", sessionId: "generated" };
const NOTHING = { fields: {}, properties: {} };

test("completeContext() adds fields that were not sent", () => {
  const defaults = { appName: "proxy", environment: undefined };
  expect(completeContext(NOTHING, defaults, FACTS)).toEqual({
    appName: "proxy",
    environment: "default",
    ...FACTS,
    properties: {},
  });
});

test("completeContext() keeps fields that were sent, except the environment if it is fixed", () => {
  const fields = {
    appName: "shop",
    environment: "stage",
    userId: "7",
    sessionId: "s",
    remoteAddress: "10.0.0.1",
    currentTime: "2026-01-31",
  };
  const defaults = { appName: "proxy", environment: "production" };
  expect(completeContext({ fields, properties: { a: "b" } }, defaults, FACTS)).toEqual({
    ...fields,
    environment: "production",
    properties: { a: "b" },
  });
});

test("completeContext() treats an empty field as missing, but keeps an empty property", () => {
  const fields = {
    appName: "",
    environment: "",
    userId: "",
    sessionId: "",
    remoteAddress: "",
    currentTime: "",
  };
  const defaults = { appName: "proxy", environment: undefined };
  expect(completeContext({ fields, properties: { plan: "" } }, defaults, FACTS)).toEqual({
    appName: "proxy",
    environment: "default",
    ...FACTS,
    properties: { plan: "" },
  });
});

test("completeContext() omits the session id if none was sent or generated", () => {
  const defaults = { appName: "proxy", environment: undefined };
  const context = completeContext(NOTHING, defaults, { ...FACTS, sessionId: undefined });
  expect(context).not.toHaveProperty("sessionId");
});

test.each([
  [{}, false],
  [{ fields: ["userId"] }, false],
  [{ readsClock: true }, false],
  [{ fields: ["sessionId", "userId"] }, true],
  [{ drawsRandom: true }, true],
  [{ callsCustomStrategy: true }, true],
])("readsSessionId() for rules with %j is %s", (contextDependencies, expected) => {
  const none = { fields: [], readsClock: false, drawsRandom: false, callsCustomStrategy: false };
  expect(readsSessionId({ ...none, ...contextDependencies })).toBe(expected);
});

const from = (remoteAddress: string | undefined, forwardedFor?: string): IncomingMessage =>
  ({
    socket: { remoteAddress },
    headers: forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor },
  }) as unknown as IncomingMessage;

test.each([
  ["192.0.2.1", "192.0.2.1"],
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["2001:db8::1", "2001:db8::1"],
  [undefined, undefined],
])("the address behind the untrusted peer %j is %j, whatever it forwards", (peer, expected) => {
  expect(createCallerAddress(false)(from(peer, "203.0.113.9"))).toBe(expected);
});

test.each([
  ["203.0.113.9", "203.0.113.9"],
  ["203.0.113.9:4711", "203.0.113.9"],
  ["[2001:db8::1]:4711", "2001:db8::1"],
  ["[2001:db8::1]", "2001:db8::1"],
  ["::ffff:203.0.113.9", "203.0.113.9"],
  ["203.0.113.9, 10.0.0.2", "203.0.113.9"],
])("the address that a trusted peer forwards as %j is %j", (forwarded, expected) => {
  expect(createCallerAddress(true)(from("10.0.0.1", forwarded))).toBe(expected);
  expect(createCallerAddress(["10.0.0.0/8"])(from("10.0.0.1", forwarded))).toBe(expected);
});

test("the address is that of the first peer that is not trusted", () => {
  const address = createCallerAddress(["10.0.0.0/8"]);
  expect(address(from("192.0.2.1", "203.0.113.9"))).toBe("192.0.2.1");
  expect(address(from("10.0.0.1", "203.0.113.9, 198.51.100.7"))).toBe("198.51.100.7");
});
