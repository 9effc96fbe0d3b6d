import { expect, test } from "vitest";
import { CallPacer } from "./call-pacer.ts";
import { NewKeys } from "./new-keys.ts";

const TOKEN = "*:development.secret";

test("verify() reports an unexpected error, and verifies other keys after it", async () => {
  const errors: unknown[] = [];
  let isBroken = true;
  const keys = new NewKeys({
    validator: {
      waitMs: 0,
      validate: async (tokens) =>
        new Map(tokens.map((token) => [token, { type: "frontend", projects: ["*"] }])),
    },
    pacer: new CallPacer(0),
    onChecked: () => {
      if (isBroken) throw new Error("broken");
    },
    onResult: () => {},
    onError: (error) => errors.push(error),
  });
  expect(await keys.verify(TOKEN)).toEqual({ status: "unknown", retryAfterSeconds: 1 });
  expect(errors).toEqual([new Error("broken")]);
  isBroken = false;
  expect(await keys.verify(TOKEN)).toEqual({ status: "valid" });
});
