import { createHash } from "node:crypto";
import { describeCause, describeCount } from "flags-sdk/neutral";
import type { Logger } from "flags-server-kit/neutral";
import { LRUCache } from "lru-cache";
import { toUpstreamAddress } from "../store/source-identity.ts";
import {
  decodeDocument,
  type DocumentIdentity,
  encodeDocument,
  packContent,
  unpackContent,
} from "../store/stored-document.ts";
import type { GuardedStore } from "../store/guarded-store.ts";
import type { VerifiedKey } from "../core/access/verified-key.ts";

/** NOTE: its digest reveals nothing, since tokens from the upstream are random. */
export interface StoredKey extends Omit<VerifiedKey, "shownAs"> {
  /** Epoch milliseconds. */
  readonly verifiedAtMs: number;
}

/** Changes that follow each other are written together. */
const WRITE_DELAY_MS = 2000;

/** After a failure of the store. */
const RETRY_DELAY_MS = 30_000;

/** Requests wait for the first read, and the end of the process for the last write. */
const TIMEOUT_MS = 2000;

/** While keys are verified again, the document is written at least this often, or after half of their maximum age. */
const REFRESH_MS = 60 * 60 * 1000;

const MAX_STORED = 20_000;

const MAX_REVOKED = 10_000;

interface StorageOptions {
  readonly store: GuardedStore;
  readonly upstreamUrl: string;
  readonly upstreamTokens: readonly string[];
  /** Keys that no replica has verified for this long are not used. */
  readonly maxAgeMs: number;
  readonly current: () => readonly StoredKey[];
  readonly onRead: (keys: ReadonlyMap<string, StoredKey>) => void;
  readonly logger: Logger;
}

/**
 * Keeps verified keys in a store, so that they work after a restart while the upstream is down. The document is
 * authenticated with the upstream tokens, so write access to the store is not enough to add keys.
 *
 * Replicas share one document. Each adds its keys to those of the others, and removes revoked ones. If two write at the
 * same moment, the changes of one can be missing until it writes again. Never rejects: the store logs its failures.
 */
export class StoredKeys {
  readonly #options: StorageOptions;
  readonly #key: string;
  readonly #identity: DocumentIdentity;
  /** Removed in every write, because another replica may have added them again at the same moment. */
  readonly #revoked = new LRUCache<string, true>({ max: MAX_REVOKED });
  #writing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  /** A time of `performance.now()`. */
  #writtenAtMs = 0;
  #isClosed = false;

  constructor(options: StorageOptions) {
    this.#options = options;
    const secret = JSON.stringify(options.upstreamTokens.toSorted());
    const address = toUpstreamAddress(options.upstreamUrl);
    const text = `flags-store keys\0${JSON.stringify([address, secret])}`;
    const source = createHash("sha256").update(text).digest("hex").slice(0, 32);
    this.#key = `v1/upstreams/${source}/keys`;
    this.#identity = { kind: "keys", source, secret };
  }

  async restore(): Promise<void> {
    const keys = await this.#read();
    if (keys === undefined) return;
    if (keys.size > 0)
      this.#options.logger.info(`Restored ${describeCount(keys.size, "verified key")}`);
    this.#options.onRead(keys);
  }

  /**
   * Writes the current keys soon.
   *
   * @param revoked digests of keys that are removed from the document
   */
  changed(revoked: readonly string[] = []): void {
    for (const key of revoked) this.#revoked.set(key, true);
    this.#schedule(WRITE_DELAY_MS);
  }

  /** Writes the times of verifications, if the document is old. */
  confirmed(): void {
    const refreshMs = Math.min(REFRESH_MS, this.#options.maxAgeMs / 2);
    if (performance.now() - this.#writtenAtMs > refreshMs) this.changed();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== undefined) this.#startWriting();
    await this.#writing;
    await this.#options.store.close();
  }

  #schedule(delayMs: number): void {
    this.#timer ??= setTimeout(() => this.#startWriting(), delayMs).unref();
  }

  #startWriting(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writtenAtMs = performance.now();
    this.#writing = this.#writing.then(async () => {
      const isWritten = await this.#write();
      if (!isWritten && !this.#isClosed) this.#schedule(RETRY_DELAY_MS);
    });
  }

  async #write(): Promise<boolean> {
    const { store, current, onRead } = this.#options;
    // NOTE: without the keys of the other replicas, they would be removed.
    const keys = await this.#read();
    if (keys === undefined) return false;
    for (const key of this.#revoked.keys()) keys.delete(key);
    onRead(keys);
    for (const stored of current()) {
      const { verifiedAtMs = 0 } = keys.get(stored.key) ?? {};
      keys.set(stored.key, {
        ...stored,
        verifiedAtMs: Math.max(stored.verifiedAtMs, verifiedAtMs),
      });
    }
    const latest = [...keys.values()]
      .toSorted((a, b) => b.verifiedAtMs - a.verifiedAtMs)
      .slice(0, MAX_STORED);
    const packed = await packContent(JSON.stringify(latest));
    const document = encodeDocument({ ...packed, confirmedAtMs: Date.now() }, this.#identity);
    try {
      await store.write(this.#key, document, AbortSignal.timeout(TIMEOUT_MS));
    } catch {
      return false;
    }
    return true;
  }

  /** Undefined if the store fails. */
  async #read(): Promise<Map<string, StoredKey> | undefined> {
    const { store, maxAgeMs } = this.#options;
    let bytes: Uint8Array | undefined;
    try {
      bytes = await store.read(this.#key, AbortSignal.timeout(TIMEOUT_MS));
    } catch {
      return undefined;
    }
    const stored = bytes === undefined ? [] : await this.#decode(bytes);
    // NOTE: a time in the future is as far off as one in the past, if a clock was wrong.
    const recent = stored.filter(
      ({ verifiedAtMs }) => Math.abs(Date.now() - verifiedAtMs) <= maxAgeMs,
    );
    return new Map(recent.map((each) => [each.key, each]));
  }

  async #decode(bytes: Uint8Array): Promise<readonly StoredKey[]> {
    const { store, logger } = this.#options;
    try {
      const content = await unpackContent(decodeDocument(bytes, this.#identity));
      // The document is authentic, so its content has the right form.
      return JSON.parse(content) as readonly StoredKey[];
    } catch (error) {
      logger.warn(
        `Ignoring the verified keys in the store ${store.address}: the document ${this.#key} ${describeCause(error)}`,
      );
      return [];
    }
  }
}
