import { setTimeout as delay } from "node:timers/promises";
import type { FeatureDefinitions } from "../synced-flags.ts";
import { describeCause } from "../transport/upstream-error.ts";
import type { StorageProvider } from "./storage-provider.ts";

/** How long documents without flags wait for the stored ones. */
const MAX_RESTORE_MS = 5000;

/** Errors of the provider are logged as warnings. */
export class DefinitionsStorage {
  readonly #provider: StorageProvider;
  readonly #key: string;
  readonly #warn: (message: string) => void;
  #next: FeatureDefinitions | undefined;
  #writing: Promise<void> | undefined;
  #restored: Promise<unknown> = Promise.resolve();

  constructor(provider: StorageProvider, key: string, warn: (message: string) => void) {
    this.#provider = provider;
    this.#key = key;
    this.#warn = warn;
  }

  /** Resolves once the stored definitions are in use, there are none, or reading them takes too long. */
  async whenRestored(): Promise<void> {
    await this.#restored;
  }

  restore(accept: (document: unknown, ageMs: number | undefined) => Promise<void>): void {
    this.#restored = Promise.race([
      this.#restore(accept),
      delay(MAX_RESTORE_MS, undefined, { ref: false }),
      ...(this.#provider.whenMissing === undefined ? [] : [this.#provider.whenMissing()]),
    ]);
  }

  async #restore(accept: Parameters<DefinitionsStorage["restore"]>[0]): Promise<void> {
    let document: unknown;
    try {
      document = (await this.#provider.get(this.#key)) ?? undefined;
    } catch (cause) {
      this.#warn(`Restoring flags from storage failed: ${describeCause(cause)}`);
    }
    if (document !== undefined) await accept(document, this.#provider.ageMs?.());
  }

  /** Writes in the background, one version at a time; skips versions replaced in the meantime. */
  save(definitions: FeatureDefinitions): void {
    this.#next = definitions;
    this.#writing ??= this.#writePending();
  }

  async flush(limitMs: number): Promise<void> {
    const late = delay(limitMs, "late", { ref: false });
    if ((await Promise.race([this.#writing, late])) === "late") {
      this.#warn(`Storing flags did not complete within ${limitMs} ms`);
    }
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
