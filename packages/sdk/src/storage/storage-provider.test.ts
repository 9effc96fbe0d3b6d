import { randomUUID } from "node:crypto";
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeCause } from "../transport/upstream-error.ts";
import { FileStorageProvider, MemoryStorageProvider } from "./storage-provider.ts";
import type { StorageProvider } from "./storage-provider.ts";

let directory = "";

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "flags-storage-"));
});

afterAll(() => rm(directory, { recursive: true }));

const document = { version: 2, features: [{ name: "ä" }], segments: [] };

const providers: readonly (readonly [string, () => StorageProvider])[] = [
  ["MemoryStorageProvider", () => new MemoryStorageProvider()],
  ["FileStorageProvider", () => new FileStorageProvider(join(directory, "contract", "nested"))],
];

describe.each(providers)("%s", (_name, create) => {
  it("get() returns undefined if nothing was set", async () => {
    expect(await create().get("nothing")).toBeUndefined();
  });

  it("get() returns the value set last", async () => {
    const provider = create();
    await provider.set("app", { version: 1 });
    await provider.set("app", document);
    expect(await provider.get("app")).toEqual(document);
  });

  it.each([
    ["a/b", "a_b"],
    ["App", "app"],
    ["../up", ".._up"],
    ["x".repeat(300), "x".repeat(301)],
    ["", " "],
    ["__proto__", "constructor"],
    ["é\0", "è\0"],
  ])("stores %j and %j separately", async (first, second) => {
    const provider = create();
    await provider.set(first, 1);
    await provider.set(second, 2);
    expect(await provider.get(first)).toBe(1);
    expect(await provider.get(second)).toBe(2);
  });
});

const createWithFile = async (name: string): Promise<[FileStorageProvider, string]> => {
  const path = join(directory, name);
  const provider = new FileStorageProvider(path);
  await provider.set("app", document);
  const files = await readdir(path);
  return [provider, join(path, files.join())];
};

describe("FileStorageProvider", () => {
  it.each([undefined, "", 7])("rejects %j as a directory", (path) => {
    expect(() => new FileStorageProvider(path as never)).toThrow(
      "`directory` must be the path of a directory",
    );
  });

  it("set() leaves exactly one file, readable only by its owner", async () => {
    const [provider, path] = await createWithFile("mode");
    await provider.set("app", document);
    expect(await readdir(join(directory, "mode"))).toHaveLength(1);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("set() keeps the previous file and leaves no temporary one if the data cannot be written", async () => {
    const [provider] = await createWithFile("fails");
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    await expect(provider.set("app", circular)).rejects.toThrow("circular");
    expect(await provider.get("app")).toEqual(document);
    expect(await readdir(join(directory, "fails"))).toHaveLength(1);
  });

  it("set() deletes files that were left by killed processes, but not those that others are writing", async () => {
    const [, path] = await createWithFile("killed");
    const [old, recent] = [`${path}.${randomUUID()}.tmp`, `${path}.${randomUUID()}.tmp`];
    await Promise.all([writeFile(old, "{"), writeFile(recent, "{")]);
    const hoursAgo = Date.now() / 1000 - 2 * 3600;
    await utimes(old, hoursAgo, hoursAgo);
    await new FileStorageProvider(join(directory, "killed")).set("app", document);
    expect((await readdir(join(directory, "killed"))).toSorted()).toEqual(
      [path, recent].map((file) => basename(file)).toSorted(),
    );
  });

  it("get() returns the value after a restart", async () => {
    await createWithFile("restart");
    expect(await new FileStorageProvider(join(directory, "restart")).get("app")).toEqual(document);
  });

  it("get() rejects with the path of a file that is not JSON", async () => {
    const [provider, path] = await createWithFile("corrupt");
    await writeFile(path, "{");
    await expect(provider.get("app")).rejects.toSatisfy((thrown) =>
      describeCause(thrown).includes(path),
    );
  });

  it("get() rejects if the file cannot be read", async () => {
    const path = join(directory, "file");
    await writeFile(path, "");
    await expect(new FileStorageProvider(path).get("app")).rejects.toThrow("ENOTDIR");
  });
});
