import { describe, expect, it } from "vitest";
import type { FeatureDefinitions } from "../synced-flags.ts";
import { DefinitionsStorage } from "./definitions-storage.ts";
import { MemoryStorageProvider } from "./storage-provider.ts";
import type { StorageProvider } from "./storage-provider.ts";

const version = (number: number): FeatureDefinitions => ({
  version: number,
  features: [],
  segments: [],
});
const definitions = version(2);
const never = (): Promise<never> => new Promise(() => undefined);
const fail = (): never => {
  throw new Error("broken");
};

function createStorage(provider: StorageProvider): [DefinitionsStorage, string[]] {
  const warnings: string[] = [];
  return [new DefinitionsStorage(provider, "app", (message) => warnings.push(message)), warnings];
}

/** Returns what is restored; undefined if nothing is. */
async function restore(storage: DefinitionsStorage): Promise<unknown> {
  let restored: unknown;
  storage.restore(async (document) => void (restored = document));
  await storage.whenRestored();
  return restored;
}

describe("DefinitionsStorage", () => {
  it("restore() returns what save() stored", async () => {
    const [storage, warnings] = createStorage(new MemoryStorageProvider());
    expect(await restore(storage)).toBeUndefined();
    storage.save(definitions);
    await storage.flush(1000);
    expect(await restore(storage)).toEqual(definitions);
    expect(warnings).toEqual([]);
  });

  it("save() writes one version at a time and skips those replaced in the meantime", async () => {
    const written: unknown[] = [];
    let writing = 0;
    const [storage] = createStorage({
      get: never,
      set: async (_key, data) => {
        writing += 1;
        expect(writing).toBe(1);
        await new Promise(setImmediate);
        written.push(data);
        writing -= 1;
      },
    });
    for (const number of [1, 2, 3, 4]) storage.save(version(number));
    await storage.flush(1000);
    expect(written).toEqual([version(1), version(4)]);
  });

  it("save() writes the next version after a failure", async () => {
    const provider = new MemoryStorageProvider();
    let isBroken = true;
    const [storage, warnings] = createStorage({
      get: (key) => provider.get(key),
      set: async (key, data) => {
        if (isBroken) throw new Error("disk full");
        await provider.set(key, data);
      },
    });
    storage.save(version(1));
    await storage.flush(1000);
    isBroken = false;
    storage.save(version(2));
    await storage.flush(1000);
    expect(await restore(storage)).toEqual(version(2));
    expect(warnings).toEqual(["Storing flags failed: disk full"]);
  });

  it("logs a warning if the provider fails, even synchronously", async () => {
    const [storage, warnings] = createStorage({ get: fail, set: fail });
    expect(await restore(storage)).toBeUndefined();
    storage.save(definitions);
    await storage.flush(1000);
    expect(warnings).toEqual([
      "Restoring flags from storage failed: broken",
      "Storing flags failed: broken",
    ]);
  });

  it("flush() gives up on a provider that hangs", async () => {
    const [storage, warnings] = createStorage({ get: never, set: never });
    storage.save(definitions);
    await storage.flush(5);
    expect(warnings).toEqual(["Storing flags did not complete within 5 ms"]);
  });

  it("flush() resolves if nothing was saved", async () => {
    const [storage, warnings] = createStorage({ get: never, set: never });
    await storage.flush(60_000);
    expect(warnings).toEqual([]);
  });
});
