import { expect, test } from "vitest";
import { completeContext } from "./request-context.ts";

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
