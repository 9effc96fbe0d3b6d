import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createDirectory } from "./create-directory.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "flags-directory-"));
});
afterEach(() => rmSync(root, { recursive: true }));

test("createDirectory() creates the missing parents, with the mode", async () => {
  const parent = join(root, "parent");
  await createDirectory(join(parent, "child"), 0o700);
  for (const path of [parent, join(parent, "child")]) {
    expect(statSync(path).mode & 0o777).toBe(0o700);
  }
});

test("createDirectory() accepts a directory that exists or is created at the same time", async () => {
  const path = join(root, "a", "b", "c");
  await Promise.all(Array.from({ length: 20 }, () => createDirectory(path, 0o700)));
  await createDirectory(`${path}/`, 0o755);
  await createDirectory("/", 0o755);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test("createDirectory() accepts a relative path and a link to a directory", async () => {
  symlinkSync(root, join(root, "link"));
  await createDirectory(join(root, "link"), 0o700);
  await createDirectory(join(relative(process.cwd(), root), "link", "x", "y"), 0o700);
  expect(statSync(join(root, "x", "y")).isDirectory()).toBe(true);
});

test.each([
  ["file", "EEXIST"],
  ["file/child", "ENOTDIR"],
  ["dangling", "ENOENT"],
  ["dangling/child", "ENOENT"],
  ["loop/child", "ELOOP"],
])("createDirectory() reports why it cannot create %s: %s", async (path, code) => {
  writeFileSync(join(root, "file"), "");
  symlinkSync(join(root, "nothing"), join(root, "dangling"));
  symlinkSync(join(root, "loop"), join(root, "loop"));
  await expect(createDirectory(join(root, path), 0o700)).rejects.toMatchObject({ code });
});

// Node's option `recursive` never returns here.
test.runIf(process.platform === "linux").each(["/proc/flags", "/proc/flags/child"])(
  "createDirectory() rejects for %s",
  async (path) => {
    await expect(createDirectory(path, 0o700)).rejects.toMatchObject({ code: "ENOENT" });
  },
);
