import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { FileStore } from "./file-store.ts";

const { signal } = new AbortController();
const KEY = "v1/document";
const CONTENT = Buffer.from("content");

async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "flags-file-store-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

const open = (directory: string): FileStore => new FileStore(directory);

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

test("directories and files are accessible only to their owner", async () => {
  const directory = join(await makeDirectory(), "new", "nested");
  await open(directory).write(KEY, CONTENT, signal);
  expect(await modeOf(directory)).toBe(0o700);
  expect(await modeOf(join(directory, "v1"))).toBe(0o700);
  expect(await modeOf(join(directory, KEY))).toBe(0o600);
});

test.runIf(process.platform === "linux")(
  "a directory that cannot be created is an error",
  async () => {
    await expect(open("/proc/flags").write(KEY, CONTENT, signal)).rejects.toThrow(
      "a part of the path does not exist, and cannot be created (ENOENT)",
    );
  },
);

test("the directory may be a symbolic link", async () => {
  const directory = await makeDirectory();
  await mkdir(join(directory, "target"));
  await symlink("target", join(directory, "link"));
  await open(join(directory, "link")).write(KEY, CONTENT, signal);
  expect(await readFile(join(directory, "target", KEY))).toEqual(CONTENT);
});

test("a symbolic link in place of a document is neither read nor written through", async () => {
  const directory = await makeDirectory();
  const secret = join(directory, "secret");
  await writeFile(secret, "secret");
  await mkdir(join(directory, "v1"));
  await symlink(secret, join(directory, KEY));
  const store = open(directory);
  await expect(store.read(KEY, signal)).rejects.toThrow("it is a symbolic link");
  await store.write(KEY, CONTENT, signal);
  expect(await readFile(secret, "utf8")).toBe("secret");
  expect(await store.read(KEY, signal)).toEqual(CONTENT);
});

test("a directory or a pipe in place of a document is an error", async () => {
  const directory = await makeDirectory();
  await mkdir(join(directory, "v1", "directory"), { recursive: true });
  execFileSync("mkfifo", [join(directory, "v1", "pipe")]);
  const store = open(directory);
  await expect(store.read("v1/directory", signal)).rejects.toThrow("is not a file");
  await expect(store.read("v1/pipe", signal)).rejects.toThrow("is not a file");
});

test("a write that is aborted leaves the previous document and nothing else", async () => {
  const directory = await makeDirectory();
  const store = open(directory);
  await store.write(KEY, CONTENT, signal);
  const controller = new AbortController();
  const aborted = store.write(KEY, Buffer.from("aborted"), controller.signal);
  controller.abort(new Error("no longer needed"));
  await expect(aborted).rejects.toThrow("no longer needed");
  expect(await store.read(KEY, signal)).toEqual(CONTENT);
  expect(await readdir(join(directory, "v1"))).toEqual(["document"]);
});

test("temporary files of a crash are removed after a while, and others are not", async () => {
  const directory = await makeDirectory();
  await mkdir(join(directory, "v1"));
  const [old, recent] = [`document.${randomUUID()}.tmp`, `document.${randomUUID()}.tmp`];
  const names = [old, recent, "other.tmp"];
  for (const name of names) await writeFile(join(directory, "v1", name), "");
  const hoursAgo = Date.now() / 1000 - 2 * 3600;
  for (const name of [old, "other.tmp"]) {
    await utimes(join(directory, "v1", name), hoursAgo, hoursAgo);
  }
  await open(directory).write(KEY, CONTENT, signal);
  expect(await readdir(join(directory, "v1"))).toEqual(["document", recent, "other.tmp"]);
});
