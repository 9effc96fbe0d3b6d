import type { FeatureDefinitions } from "../flag-source.ts";
import { Deadline } from "../transport/deadline.ts";
import { describeCause } from "../transport/upstream-error.ts";
import { LatestWriter } from "./latest-writer.ts";
import type { StorageProvider } from "./storage-provider.ts";

/** Keeps definitions with a provider that may fail: storage is a convenience, never a condition. */
export class DefinitionsStorage {
  readonly #provider: StorageProvider;
  readonly #key: string;
  readonly #warn: (message: string) => void;
  readonly #writer: LatestWriter<FeatureDefinitions>;

  constructor(provider: StorageProvider, key: string, warn: (message: string) => void) {
    this.#provider = provider;
    this.#key = key;
    this.#warn = warn;
    this.#writer = new LatestWriter(
      (definitions) => provider.set(key, definitions),
      (cause) => warn(`Storing flags failed: ${describeCause(cause)}`),
    );
  }

  /** What was kept; undefined when that is nothing, or cannot be had. */
  async restore(): Promise<unknown> {
    try {
      return (await this.#provider.get(this.#key)) ?? undefined;
    } catch (cause) {
      this.#warn(`Restoring flags from storage failed: ${describeCause(cause)}`);
      return undefined;
    }
  }

  save(definitions: FeatureDefinitions): void {
    this.#writer.write(definitions);
  }

  /** Waits until everything is stored, but not longer than the limit. */
  async settled(limitMs: number): Promise<void> {
    const deadline = new Deadline(new AbortController().signal, limitMs);
    await deadline.race(this.#writer.settled()).catch((cause: unknown) => {
      this.#warn(`Storing flags was given up: ${describeCause(cause)}`);
    });
    deadline.clear();
  }
}
