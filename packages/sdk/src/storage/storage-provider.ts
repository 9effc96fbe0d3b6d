/**
 * Stores the last good definitions, so that a client has flags after a restart even if the upstream
 * is down. Providers written for other SDKs of this protocol have the same interface.
 */
export interface StorageProvider {
  /** Replaces the value stored under the key. */
  set(key: string, data: unknown): Promise<void>;
  /** Resolves to the value last stored under the key; undefined if there is none. */
  get(key: string): Promise<unknown>;
  /**
   * Returns how many milliseconds ago the upstream confirmed what `get()` has returned; undefined if that
   * is not known. Optional.
   */
  ageMs?(): number | undefined;
}

/** Stores definitions in memory, so they do not survive a restart. */
export class MemoryStorageProvider implements StorageProvider {
  readonly #entries = new Map<string, unknown>();

  async set(key: string, data: unknown): Promise<void> {
    this.#entries.set(key, data);
  }

  async get(key: string): Promise<unknown> {
    return this.#entries.get(key);
  }
}
