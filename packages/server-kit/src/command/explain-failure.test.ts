import { expect, test } from "vitest";
import { ConfigError } from "../config/config-error.ts";
import { explainFailure } from "./explain-failure.ts";
import { StartError } from "./start-error.ts";

const fail = (fields: object): Error => Object.assign(new Error("listen failed"), fields);

test.each([
  [new ConfigError(["PORT is odd"]), "Cannot use this configuration:\n  - PORT is odd"],
  [new StartError("The cellar is locked: unlock it"), "The cellar is locked: unlock it"],
  ["no error at all", "Cannot start: no error at all"],
  [
    fail({ code: "EADDRINUSE", address: "::", port: 80 }),
    "Cannot listen on port 80 of any address: the port is taken, choose another one with PORT",
  ],
  [
    fail({ code: "EADDRINUSE", address: null, port: 80 }),
    "Cannot listen on port 80 of any address: the port is taken, choose another one with PORT",
  ],
  [
    fail({ code: "ENOTFOUND", hostname: "shop.test" }),
    "Cannot listen on shop.test: the host name is not known, choose another one with HOST",
  ],
])("explainFailure() tells what a person can mend without a stack trace: %s", (error, words) => {
  expect(explainFailure(error)).toBe(words);
});

test("explainFailure() shows where the unforeseen comes from", () => {
  expect(explainFailure(new Error("odd"))).toMatch(/^Cannot start: Error: odd\n\s+at /);
});

test("explainFailure() shows no token that was put into the wrong setting", () => {
  const token = "default:development.0123456789abcdef";
  for (const error of [new ConfigError([`PORT is ${token}`]), new Error(token), token]) {
    const text = explainFailure(error);
    expect(text).toContain("default:development.[redacted]");
    expect(text).not.toContain("0123456789abcdef");
  }
});
