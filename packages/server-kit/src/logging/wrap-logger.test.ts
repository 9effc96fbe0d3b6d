import { expect, onTestFinished, test, vi } from "vitest";
import { wrapLogger } from "./wrap-logger.ts";

test("a logger that throws changes nothing, and the first error is printed, without secrets", () => {
  const print = vi.spyOn(console, "error").mockReturnValue();
  onTestFinished(() => print.mockRestore());
  const fail = (message: unknown): never => {
    throw new Error(`cannot write ${String(message)} of secret-1234567`);
  };
  const custom = { debug: fail, info: fail, warn: fail, error: fail };
  const logger = wrapLogger(custom, ["secret-1234567"]);
  logger.warn("one");
  logger.fatal("two");
  expect(print.mock.calls).toEqual([
    [expect.stringMatching(/^The logger failed: cannot write one of (?!secret)/)],
  ]);
});
