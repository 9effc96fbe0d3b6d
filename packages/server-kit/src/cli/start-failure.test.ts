import { expect, test } from "vitest";
import { ConfigError } from "../config/resolve-options.ts";
import { explainStartFailure, explainSubcommandFailure, StartError } from "./start-failure.ts";
import { SubcommandError } from "./program.ts";

const fail = (fields: object): Error => Object.assign(new Error("listen failed"), fields);

test.each([
  [new ConfigError(["PORT is odd"]), "Cannot use this configuration:\n  - PORT is odd"],
  [new StartError("The database is locked: unlock it"), "The database is locked: unlock it"],
  [new SubcommandError("--count must be a number", 2), "--count must be a number"],
  ["no error at all", "Cannot start: no error at all"],
  [
    fail({ code: "EADDRINUSE", address: "::", port: 80 }),
    "Cannot listen on port 80 on all addresses: another program uses the port. Stop it, or choose another port with PORT",
  ],
  [
    fail({ code: "EADDRINUSE", address: null, port: 80 }),
    "Cannot listen on port 80 on all addresses: another program uses the port. Stop it, or choose another port with PORT",
  ],
  [
    fail({ code: "ENOTFOUND", hostname: "shop.test" }),
    "Cannot listen on shop.test: the host name is not known. Choose another one with HOST",
  ],
])(
  "explainStartFailure() shows no stack trace for problems that an operator can fix: %s",
  (error, message) => {
    expect(explainStartFailure(error)).toBe(message);
  },
);

test("explainStartFailure() shows the stack trace of unexpected errors", () => {
  expect(explainStartFailure(new Error("odd"))).toMatch(/^Cannot start: Error: odd\n\s+at /);
  const nested = new Error("outer", { cause: new Error("middle", { cause: new Error("inner") }) });
  expect(explainStartFailure(nested)).toMatch(
    /^Cannot start: Error: outer\n\s+at [^]*\nCaused by: middle\nCaused by: inner$/,
  );
});

test("explainSubcommandFailure() does not say that the program cannot start or listen", () => {
  expect(explainSubcommandFailure(new SubcommandError("--count must be a number", 2))).toBe(
    "--count must be a number",
  );
  expect(explainSubcommandFailure(fail({ code: "EACCES" }))).toMatch(
    /^The command failed: Error: listen failed\n\s+at /,
  );
});

test("explainStartFailure() hides tokens that were put into the wrong setting", () => {
  const token = "default:development.0123456789abcdef";
  for (const error of [new ConfigError([`PORT is ${token}`]), new Error(token), token]) {
    const text = explainStartFailure(error);
    expect(text).toContain("default:development.[redacted]");
    expect(text).not.toContain("0123456789abcdef");
  }
});
