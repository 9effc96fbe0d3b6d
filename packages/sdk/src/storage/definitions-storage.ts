import type { FeatureDefinitions } from "../flag-source.ts";
import { Deadline } from "../transport/deadline.ts";
import { describeCause } from "../transport/upstream-error.ts";
import type { StorageProvider } from "./storage-provider.ts";

/** Saves and restores definitions. Errors of the provider are logged as warnings, never thrown. */
export class DefinitionsStorage {
  readonly #provider: StorageProvider;
  readonly #key: string;
  readonly #warn: (message: string) => void;
  #next: FeatureDefinitions | undefined;
  #writing: Promise<void> | undefined;

  constructor(provider: StorageProvider, key: string, warn: (message: string) => void) {
    this.#provider = provider;
    this.#key = key;
    this.#warn = warn;
  }

  /** Resolves to the stored definitions, which are not validated; undefined if there are none. */
  async restore(): Promise<unknown> {
    try {
      return (await this.#provider.get(this.#key)) ?? undefined;
    } catch (cause) {
      this.#warn(`Restoring flags from storage failed: ${describeCause(cause)}`);
      return undefined;
    }
  }

  /** How many milliseconds ago the upstream confirmed the restored definitions; undefined if not known. */
  get ageMs(): number | undefined {
    return this.#provider.ageMs?.();
  }

  /** Writes in the background, one version at a time; skips versions replaced in the meantime. */
  save(definitions: FeatureDefinitions): void {
    this.#next = definitions;
    this.#writing ??= this.#writePending();
  }

  /** Waits until everything is written or has failed, but at most `limitMs`. */
  async flush(limitMs: number): Promise<void> {
    const deadline = new Deadline(new AbortController().signal, limitMs);
    try {
      await deadline.race(this.#writing ?? Promise.resolve());
    } catch {
      this.#warn(`Storing flags did not complete within ${limitMs} ms`);
    }
    deadline.clear();
  }

  async #writePending(): Promise<void> {
    while (this.#next !== undefined) {
      const definitions = this.#next;
      this.#next = undefined;
      await this.#write(definitions);
    }
    this.#writing = undefined;
  }

  async #write(definitions: FeatureDefinitions): Promise<void> {
    try {
      await this.#provider.set(this.#key, definitions);
    } catch (cause) {
      this.#warn(`Storing flags failed: ${describeCause(cause)}`);
    }
  }
}
