import { chmod, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { replaceFile, syncDirectory } from "./durable-file.ts";

const makeDirectory = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), "flags-durable-file-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
};

test("replaceFile() replaces a file with one that only its owner can read", async () => {
  const path = join(await makeDirectory(), "file");
  await replaceFile(path, "previous");
  await chmod(path, 0o644);
  await replaceFile(path, "content");
  expect(await readFile(path, "utf8")).toBe("content");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("replaceFile() leaves the previous file and no other if it is aborted", async () => {
  const directory = await makeDirectory();
  const path = join(directory, "file");
  await replaceFile(path, "previous");
  await expect(replaceFile(path, "content", AbortSignal.abort())).rejects.toThrow("aborted");
  expect(await readFile(path, "utf8")).toBe("previous");
  expect(await readdir(directory)).toEqual(["file"]);
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
