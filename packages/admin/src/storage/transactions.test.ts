import { expect, test } from "vitest";
import type { Database } from "./database.ts";
import { UnknownOutcomeError } from "./errors.ts";
import { retryBeforeStart, withUnknownOutcome } from "./transactions.ts";

const lost = (): Error => Object.assign(new Error("lost"), { code: "ECONNRESET" });

test("retryBeforeStart() retries while nothing has started", async () => {
  let attempts = 0;
  const result = await retryBeforeStart(() => {
    attempts += 1;
    return attempts < 3 ? Promise.reject(lost()) : Promise.resolve("done");
  }, [0, 0, 0]);
  expect([result, attempts]).toEqual(["done", 3]);
});

test("retryBeforeStart() gives up after the last delay", async () => {
  let attempts = 0;
  const failing = retryBeforeStart(() => {
    attempts += 1;
    return Promise.reject(lost());
  }, [0, 0]);
  await expect(failing).rejects.toThrow("lost");
  expect(attempts).toBe(3);
});

test("retryBeforeStart() does not retry work that has started, nor other errors", async () => {
  let attempts = 0;
  const started = retryBeforeStart(
    (start) => {
      attempts += 1;
      start();
      return Promise.reject(lost());
    },
    [0],
  );
  await expect(started).rejects.toThrow("lost");
  const other = retryBeforeStart(() => {
    attempts += 1;
    return Promise.reject(new RangeError("other"));
  }, [0]);
  await expect(other).rejects.toThrow("other");
  expect(attempts).toBe(2);
});

test("withUnknownOutcome() distinguishes a commit that fails from work that fails", async () => {
  const db = {} as Database;
  const work = async (): Promise<string> => "done";
  const failing = withUnknownOutcome(async (_mode, run) => {
    await run(db);
    throw lost();
  });
  await expect(failing("write", work)).rejects.toThrow(UnknownOutcomeError);
  await expect(failing("read", work)).rejects.toThrow("lost");
  const transact = withUnknownOutcome((_mode, run) => run(db));
  await expect(transact("write", () => Promise.reject(lost()))).rejects.toThrow("lost");
  await expect(transact("write", work)).resolves.toBe("done");
});
