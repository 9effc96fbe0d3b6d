import type { Logger } from "flags-server-kit";
import type { Store } from "../store/store.ts";
import { KeyDocuments, type StoredKey } from "./key-document.ts";

/** The document in the store. */
const DOCUMENT = "upstream-keys.json";

/** Changes that follow each other are written together. */
const WRITE_DELAY_MS = 2000;

/** Limit for reading or writing the document. */
const TIMEOUT_MS = 2000;

const HOUR_MS = 60 * 60 * 1000;

/** Keys that no replica has verified for this long are not restored. */
const MAX_AGE_MS = 7 * 24 * HOUR_MS;

/** How often the document is written, at least, while keys are verified again. */
const REFRESH_MS = HOUR_MS;

const MAX_STORED = 20_000;

interface StorageOptions {
  readonly store: Store;
  /** The address of the upstream and the upstream tokens. */
  readonly identity: readonly string[];
  /** Returns the keys to store. */
  readonly current: () => readonly StoredKey[];
  readonly logger: Logger;
}

/**
 * Keeps verified keys in a store, so that they stay valid after a restart while the upstream is down.
 * Replicas share one document: each adds its keys to those of the others, and removes revoked ones. What
 * two replicas write at the same moment may be lost; the next write contains it again.
 */
export class KeyStorage {
  readonly #options: StorageOptions;
  readonly #documents: KeyDocuments;
  readonly #revoked = new Set<string>();
  #writing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  /** A time of `performance.now()`. */
  #writtenAtMs = 0;
  #loggedFailure = "";

  constructor(options: StorageOptions) {
    this.#options = options;
    this.#documents = new KeyDocuments(options.identity);
  }

  /** Returns the stored keys by digest. Empty if there are none, or they cannot be read. */
  async restore(): Promise<Map<string, StoredKey>> {
    const keys = await this.#read();
    if (keys.size > 0) this.#options.logger.info(`Restored ${keys.size} verified keys`);
    return keys;
  }

  /** Writes the current keys soon. */
  changed(revoked: readonly string[] = []): void {
    for (const key of revoked) this.#revoked.add(key);
    this.#timer ??= setTimeout(() => this.#startWriting(), WRITE_DELAY_MS).unref();
  }

  /** Some keys have been verified again: writes the times of verification if the document is old. */
  confirmed(): void {
    if (performance.now() - this.#writtenAtMs > REFRESH_MS) this.changed();
  }

  /** Writes what is still to be written. */
  async close(): Promise<void> {
    if (this.#timer !== undefined) this.#startWriting();
    await this.#writing;
  }

  #startWriting(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writtenAtMs = performance.now();
    this.#writing = this.#writing.then(() => this.#write());
  }

  async #write(): Promise<void> {
    const { store, current } = this.#options;
    const revoked = [...this.#revoked];
    // NOTE: other replicas share the document.
    const keys = await this.#read();
    for (const key of revoked) keys.delete(key);
    for (const stored of current()) keys.set(stored.key, stored);
    const latest = [...keys.values()]
      .toSorted((a, b) => b.verifiedAtMs - a.verifiedAtMs)
      .slice(0, MAX_STORED);
    const content = this.#documents.write(latest);
    try {
      await store.write(DOCUMENT, content, AbortSignal.timeout(TIMEOUT_MS));
      for (const key of revoked) this.#revoked.delete(key);
      this.#loggedFailure = "";
    } catch (error) {
      this.#logFailure("written to", error);
    }
  }

  async #read(): Promise<Map<string, StoredKey>> {
    const { store, logger } = this.#options;
    let bytes: Uint8Array | undefined;
    try {
      bytes = await store.read(DOCUMENT, AbortSignal.timeout(TIMEOUT_MS));
    } catch (error) {
      this.#logFailure("read from", error);
    }
    if (bytes === undefined) return new Map();
    const stored = this.#documents.read(bytes);
    if (stored === undefined) {
      logger.warn(
        `The verified keys in ${store.address} are ignored: the document is damaged, or was written with another FLAGS_URL, FLAGS_API_TOKEN or version`,
      );
    }
    const oldestMs = Date.now() - MAX_AGE_MS;
    const recent = (stored ?? []).filter(({ verifiedAtMs }) => verifiedAtMs >= oldestMs);
    return new Map(recent.map((each) => [each.key, each]));
  }

  #logFailure(action: string, error: unknown): void {
    const { store, logger } = this.#options;
    const reason = error instanceof Error ? error.message : String(error);
    if (reason === this.#loggedFailure) return;
    this.#loggedFailure = reason;
    logger.warn(`Verified keys could not be ${action} ${store.address}: ${reason}`);
  }
}
