import type { StorageProvider } from "./storage-provider.ts";

/** Keeps definitions in memory, for as long as the provider lives. */
export class MemoryStorageProvider implements StorageProvider {
  readonly #entries = new Map<string, unknown>();

  async set(key: string, data: unknown): Promise<void> {
    this.#entries.set(key, data);
  }

  async get(key: string): Promise<unknown> {
    return this.#entries.get(key);
  }
}
