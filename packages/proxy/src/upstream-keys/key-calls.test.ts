import { expect, onTestFinished, test } from "vitest";
import { KeyCalls } from "./key-calls.ts";

const TOKEN = "*:development.secret";

test("verify() reports an unexpected error, and verifies other keys after it", async () => {
  const errors: unknown[] = [];
  let isBroken = true;
  const validator = {
    waitMs: 0,
    validate: async (tokens: readonly string[]) =>
      new Map(tokens.map((token) => [token, { type: "frontend", projects: ["*"] }])),
  };
  const keys = new KeyCalls({
    validator,
    intervalMs: 1000,
    olderThan: () => [],
    onFailure: () => {},
    onChecked: () => {
      if (isBroken) throw new Error("broken");
    },
    onResult: () => {},
    onError: (error) => errors.push(error),
  });
  void keys.run();
  onTestFinished(() => keys.close());
  expect(await keys.verify(TOKEN)).toEqual({ status: "unknown", retryAfterSeconds: 1 });
  expect(errors).toEqual([new Error("broken")]);
  isBroken = false;
  expect(await keys.verify(TOKEN)).toEqual({ status: "valid" });
});
