import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { DiskFullError } from "./errors.ts";
import { DiskFullTracker, DiskGuard, type FreeSpace, readFreeSpace } from "./disk-guard.ts";

const PLENTY: FreeSpace = { bytes: 100, files: 1000 };

function createGuard(): { guard: DiskGuard; lines: string[]; report: (free: FreeSpace) => void } {
  let free = PLENTY;
  const lines: string[] = [];
  const guard = new DiskGuard({
    directory: "data",
    minFreeBytes: 100,
    logger: { warn: (line) => lines.push(line), fatal: () => undefined },
    readFree: () => free,
  });
  return { guard, lines, report: (next) => void (free = next) };
}

test.each([
  ["bytes", { bytes: 99, files: 1000 }, /0 MB of disk space is free.*MIN_FREE_DISK_MB/],
  ["files", { bytes: 100, files: 31 }, /only 31 more files/],
])("DiskGuard rejects writes while too few %s are free, and logs each change once", (...row) => {
  const [, shortage, message] = row;
  const { guard, lines, report } = createGuard();
  guard.assertWritable();
  expect(lines).toEqual([]);

  report(shortage);
  expect(() => guard.assertWritable()).toThrow(DiskFullError);
  expect(() => guard.assertWritable()).toThrow(message);
  expect(lines).toEqual([expect.stringMatching(/^Writes to data are rejected: /)]);

  report(PLENTY);
  guard.assertWritable();
  guard.assertWritable();
  expect(lines.slice(1)).toEqual(["Writes to data are accepted again"]);
});

test("readFreeSpace() reads the file system of a directory", () => {
  const { bytes, files } = readFreeSpace(tmpdir());
  expect(bytes).toBeGreaterThan(0);
  expect(files).toBeGreaterThan(0);
});

const coded = (code: string): Error => Object.assign(new Error("No space left"), { code });

test("DiskFullTracker remembers a failed write for 10 s or until a write succeeds", async () => {
  let nowMs = 0;
  const tracker = new DiskFullTracker(() => nowMs);
  const fail = (code: string): Promise<unknown> =>
    tracker.observe(() => Promise.reject(coded(code))).catch((error: unknown) => error);
  expect(tracker.isFull).toBe(false);

  expect(await fail("23505")).toMatchObject({ code: "23505" });
  expect(tracker.isFull).toBe(false);

  expect(await fail("53100")).toMatchObject({ code: "53100" });
  expect(tracker.isFull).toBe(true);
  expect(await tracker.observe(() => Promise.resolve("stored"))).toBe("stored");
  expect(tracker.isFull).toBe(false);

  await fail("53100");
  await tracker.observe(() => Promise.reject(new DiskFullError("x"))).catch(() => undefined);
  nowMs += 9999;
  await fail("23505");
  expect(tracker.isFull).toBe(true);
  nowMs += 1;
  expect(tracker.isFull).toBe(false);
});
