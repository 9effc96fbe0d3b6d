import { describe, expect, it } from "vitest";
import { DefinitionsStorage } from "./definitions-storage.ts";
import { MemoryStorageProvider } from "./memory-storage-provider.ts";
import type { StorageProvider } from "./storage-provider.ts";

const definitions = { version: 2, features: [], segments: [] };
const never = (): Promise<never> => new Promise(() => undefined);
const fail = (): never => {
  throw new Error("broken");
};

function createStorage(provider: StorageProvider): [DefinitionsStorage, string[]] {
  const warnings: string[] = [];
  return [new DefinitionsStorage(provider, "app", (message) => warnings.push(message)), warnings];
}

describe("DefinitionsStorage", () => {
  it("restore() gives what save() kept", async () => {
    const [storage, warnings] = createStorage(new MemoryStorageProvider());
    expect(await storage.restore()).toBeUndefined();
    storage.save(definitions);
    await storage.settled(1000);
    expect(await storage.restore()).toEqual(definitions);
    expect(warnings).toEqual([]);
  });

  it("a provider that fails, also synchronously, is no more than a warning", async () => {
    const [storage, warnings] = createStorage({ get: fail, set: fail });
    expect(await storage.restore()).toBeUndefined();
    storage.save(definitions);
    await storage.settled(1000);
    expect(warnings).toEqual([
      "Restoring flags from storage failed: broken",
      "Storing flags failed: broken",
    ]);
  });

  it("settled() gives up on a provider that hangs", async () => {
    const [storage, warnings] = createStorage({ get: never, set: never });
    storage.save(definitions);
    await storage.settled(5);
    expect(warnings).toEqual(["Storing flags was given up: No complete answer within 5 ms"]);
  });
});
