// What every kind of store must do.

import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import type { Store } from "../src/store/store.ts";
import type { StoreServer } from "./_store-server.ts";
import { loadStoreConfig, openTestStore } from "./_stores.ts";

const { signal } = new AbortController();

/** Defines the tests of a kind of store, with its real server. */
export function testStoreContract(getServer: () => StoreServer): void {
  const open = (address = getServer().createAddress()): Promise<Store> =>
    openTestStore(address, getServer().environment);
  const readText = async (store: Store, key: string): Promise<string | undefined> => {
    const content = await store.read(key, signal);
    return content && Buffer.from(content).toString();
  };
  const write = (store: Store, key: string, text: string): Promise<void> =>
    store.write(key, Buffer.from(text), signal);

  test("read() resolves to undefined if there is no such document", async () => {
    const store = await open();
    expect(await store.read("v1/sources/none/flags", signal)).toBeUndefined();
    await write(store, "v1/a", "a");
    expect(await store.read("v1/b", signal)).toBeUndefined();
  });

  test.each([
    ["all bytes", Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
    ["nothing", Buffer.alloc(0)],
    ["line breaks", Buffer.from("\r\n\n\r")],
    ["2 MiB", randomBytes(2 * 1024 * 1024)],
  ])("read() resolves to what was written: %s", async (_name, content) => {
    const store = await open();
    await store.write("v1/document", content, signal);
    const read = await store.read("v1/document", signal);
    expect(Buffer.compare(read ?? Buffer.from("missing"), content)).toBe(0);
  });

  test("write() replaces a document, by a longer or a shorter one", async () => {
    const store = await open();
    for (const text of ["first", "a longer document", "x"]) {
      // oxlint-disable-next-line no-await-in-loop -- each document replaces the previous one
      await write(store, "v1/document", text);
      // oxlint-disable-next-line no-await-in-loop -- as above
      expect(await readText(store, "v1/document")).toBe(text);
    }
  });

  test("documents with other keys are separate", async () => {
    const store = await open();
    const keys = ["v1/a", "v1/ab", "v1/b/c", "v1/b/c.d", "v1/b/c_d", "v1/b/c-d", "v2/a"];
    for (const key of keys) {
      // oxlint-disable-next-line no-await-in-loop -- the order does not matter, the load does
      await write(store, key, `content of ${key}`);
    }
    const texts = await Promise.all(keys.map((key) => readText(store, key)));
    expect(texts).toEqual(keys.map((key) => `content of ${key}`));
  });

  test("remove() deletes a document, and has no effect if there is none", async () => {
    const store = await open();
    await write(store, "v1/a", "a");
    await write(store, "v1/b", "b");
    await store.remove("v1/a", signal);
    await store.remove("v1/a", signal);
    await store.remove("v1/none", signal);
    expect(await readText(store, "v1/a")).toBeUndefined();
    expect(await readText(store, "v1/b")).toBe("b");
  });

  test("documents are visible in another instance, and after a restart", async () => {
    const address = getServer().createAddress();
    const [first, second] = [await open(address), await open(address)];
    await write(first, "v1/document", "first");
    expect(await readText(second, "v1/document")).toBe("first");
    await write(second, "v1/document", "second");
    await Promise.all([first.close(), second.close()]);
    expect(await readText(await open(address), "v1/document")).toBe("second");
  });

  test("stores of other addresses are separate", async () => {
    const [first, second] = [await open(), await open()];
    await write(first, "v1/document", "first");
    expect(await readText(second, "v1/document")).toBeUndefined();
  });

  test("while a document is replaced, readers get the whole previous or the whole new one", async () => {
    const address = getServer().createAddress();
    const reader = await open(address);
    const [first, second] = [Buffer.alloc(100_000, "a"), Buffer.alloc(100_001, "b")];
    await reader.write("v1/document", first, signal);
    const count = Math.min(getServer().maxWriters ?? 2, 2);
    const writers = await Promise.all(Array.from({ length: count }, () => open(address)));
    const replace = async (writer: Store): Promise<void> => {
      for (let round = 0; round < 10; round += 1) {
        // oxlint-disable-next-line no-await-in-loop -- to write all the time
        await writer.write("v1/document", round % 2 === 0 ? second : first, signal);
      }
    };
    const readAll = async (): Promise<void> => {
      for (let round = 0; round < 20; round += 1) {
        // oxlint-disable-next-line no-await-in-loop -- to read all the time
        const content = await reader.read("v1/document", signal).catch((error: unknown) => {
          if (getServer().failsDuringWrites !== true) throw error;
          return first;
        });
        const read = Buffer.from(content ?? "missing");
        expect(first.equals(read) || second.equals(read)).toBe(true);
      }
    };
    await Promise.all([readAll(), ...writers.map(replace)]);
  });

  test("an aborted operation rejects", async () => {
    const store = await open();
    const aborted = AbortSignal.abort(new Error("no longer needed"));
    await expect(store.read("v1/a", aborted)).rejects.toThrow();
    await expect(store.write("v1/a", Buffer.from("a"), aborted)).rejects.toThrow();
    await expect(store.remove("v1/a", aborted)).rejects.toThrow();
    expect(await readText(store, "v1/a")).toBeUndefined();
  });

  test("the address for messages contains no credentials", async () => {
    const { createAddress, environment } = getServer();
    const { address } = await loadStoreConfig(createAddress(), environment);
    expect(address.text).not.toContain("@");
    for (const secret of Object.values(environment)) expect(address.text).not.toContain(secret);
  });
}
