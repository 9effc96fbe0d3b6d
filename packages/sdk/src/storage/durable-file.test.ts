import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { syncDirectory, writeDurably } from "./durable-file.ts";

const makeDirectory = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), "flags-durable-file-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
};

test("writeDurably() creates a file that only its owner can read, and does not replace an existing one", async () => {
  const path = join(await makeDirectory(), "file");
  await writeDurably(path, "content");
  expect(await readFile(path, "utf8")).toBe("content");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await expect(writeDurably(path, "other")).rejects.toThrow("EEXIST");
});

test("syncDirectory() accepts a directory, and rejects if there is none", async () => {
  const directory = await makeDirectory();
  await syncDirectory(directory);
  await expect(syncDirectory(join(directory, "missing"))).rejects.toThrow("ENOENT");
});

test.runIf(process.platform === "linux")(
  "syncDirectory() accepts a file system that cannot synchronize directories",
  () => expect(syncDirectory("/proc")).resolves.toBeUndefined(),
);
