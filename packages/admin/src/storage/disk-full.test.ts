import { DrizzleQueryError } from "drizzle-orm/errors";
import { expect, test } from "vitest";
import { DiskFullError, DiskFullMemory, isDiskFull } from "./disk-full.ts";

const coded = (code: string): Error => Object.assign(new Error("No space left"), { code });

test.each([
  ["a refused write", new DiskFullError("x"), true],
  ["SQLSTATE 53100", coded("53100"), true],
  ["a statement that failed with 53100", new DrizzleQueryError("insert", [], coded("53100")), true],
  ["out of memory", coded("53200"), false],
  ["a violated constraint", coded("23505"), false],
  ["something else", "53100", false],
])("isDiskFull() recognises %s: %s", (_name, error, expected) => {
  expect(isDiskFull(error)).toBe(expected);
});

test("DiskFullMemory remembers a failed write for 10 s, or until a write succeeds", async () => {
  let nowMs = 0;
  const memory = new DiskFullMemory(() => nowMs);
  const fail = (code: string): Promise<unknown> =>
    memory.observe(() => Promise.reject(coded(code))).catch((error: unknown) => error);
  expect(memory.isFull).toBe(false);

  expect(await fail("23505")).toMatchObject({ code: "23505" });
  expect(memory.isFull).toBe(false);

  expect(await fail("53100")).toMatchObject({ code: "53100" });
  expect(memory.isFull).toBe(true);
  expect(await memory.observe(() => Promise.resolve("stored"))).toBe("stored");
  expect(memory.isFull).toBe(false);

  await fail("53100");
  await memory.observe(() => Promise.reject(new DiskFullError("x"))).catch(() => undefined);
  nowMs += 9999;
  await fail("23505");
  expect(memory.isFull).toBe(true);
  nowMs += 1;
  expect(memory.isFull).toBe(false);
});
