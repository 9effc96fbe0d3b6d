import { setTimeout as delay } from "node:timers/promises";
import type { FeatureDefinitions, StorageProvider } from "flags-sdk";
import { describeCause, describeCount } from "flags-sdk/neutral";
import type { Logger } from "flags-server-kit/neutral";
import type { FlagSource } from "../upstream/flag-source.ts";
import type { FlagExchange } from "../upstream/sharing/flag-exchange.ts";
import {
  decodeDocument,
  type DocumentIdentity,
  encodeDocument,
  InvalidDocument,
  type PackedContent,
  packContent,
  type StoredDocument,
  unpackContent,
} from "./stored-document.ts";
import { createStore, type GuardedStore } from "./guarded-store.ts";
import { identifySource, type StoredSource } from "./source-identity.ts";
import type { StoreConfig } from "./store.ts";
import { stringifyDefinitions } from "./stringify-definitions.ts";

interface StoredFlagsOptions {
  readonly store: GuardedStore;
  readonly source: StoredSource;
  /** Receives messages, which begin with a capital letter. */
  readonly logger: Pick<Logger, "warn">;
  /** @default the system clock */
  readonly now?: () => number;
}

const KIND = "flags";

/** Time between updates of the time at which the flags were confirmed. */
const UPDATE_INTERVAL_MS = 30_000;

/** A time that is later than now by more than this was written by a process whose clock is wrong. */
const MAX_CLOCK_DIFFERENCE_MS = 120_000;

const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 15_000;

/** What a store contains; `unknown` if it failed. */
type Finding = StoredDocument | "nothing" | "unknown";

/**
 * Keeps the flags of one source in a store: restores them at startup, and stores every change, unless another replica has
 * done so. Never rejects: the store logs its failures, and the next update repairs them.
 */
export class StoredFlags implements StorageProvider {
  readonly #options: StoredFlagsOptions;
  readonly #key: string;
  /** What the store contained before the last change, in case the change was a mistake. */
  readonly #previousKey: string;
  readonly #identity: DocumentIdentity;
  readonly #closing = new AbortController();
  readonly #now: () => number;
  #flags: FlagSource | undefined;
  #current: PackedContent | undefined;
  #rejectedDocuments = 0;
  #lastWarning = "";
  #updating: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  /** Of the restored flags: when the upstream confirmed them, by the clock of the machine that stored them. */
  #restoredConfirmedAtMs: number | undefined;
  #reportMissing: () => void = () => undefined;
  readonly #missing = new Promise<void>((resolve) => (this.#reportMissing = resolve));
  #storedConfirmedAtMs: number | undefined;
  #isEmpty = false;

  constructor(options: StoredFlagsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    const { source } = options;
    const { id, secret } = identifySource(source);
    this.#key = `v1/sources/${id}/flags`;
    this.#previousKey = `${this.#key}-previous`;
    this.#identity = { kind: KIND, source: id, secret };
  }

  openExchange(): Promise<FlagExchange> {
    const { store, source } = this.#options;
    return store.openExchange(identifySource(source));
  }

  get store(): GuardedStore {
    return this.#options.store;
  }

  /** When the upstream confirmed the flags in the store, epoch milliseconds; undefined if not known. */
  get storedConfirmedAtMs(): number | undefined {
    return this.#storedConfirmedAtMs;
  }

  /** Whether the store had no document of this source when it was last read. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  get rejectedDocuments(): number {
    return this.#rejectedDocuments;
  }

  get hasRestored(): boolean {
    return this.#restoredConfirmedAtMs !== undefined;
  }

  /** The time since the upstream confirmed the flags that were restored; undefined if none were. */
  ageMs(): number | undefined {
    const confirmedAtMs = this.#restoredConfirmedAtMs;
    if (confirmedAtMs === undefined || this.#isInFuture(confirmedAtMs)) return undefined;
    return Math.max(0, this.#now() - confirmedAtMs);
  }

  /** Says when the upstream confirmed the flags that were restored, such as "5 minutes ago". */
  describeAge(): string {
    const ageMs = this.ageMs();
    return ageMs === undefined ? "at an unknown time" : describeAge(ageMs);
  }

  whenMissing(): Promise<void> {
    return this.#missing;
  }

  /** Sets the source whose flags these are. Must be called before the source is started. */
  follow(flags: FlagSource): void {
    this.#flags = flags;
    this.#timer = setInterval(() => void this.#startUpdate(), UPDATE_INTERVAL_MS).unref();
  }

  /**
   * Resolves to the stored definitions. Reads the store until it has them or the source has flags: the store may fail,
   * and another replica may store flags although the upstream does not respond to this one.
   */
  async get(): Promise<unknown> {
    const { signal } = this.#closing;
    for (let delayMs = FIRST_RETRY_MS; ; delayMs = Math.min(delayMs * 2, MAX_RETRY_MS)) {
      // oxlint-disable-next-line no-await-in-loop -- each attempt follows the previous one
      const definitions = await this.#restore(await this.#read());
      if (definitions !== undefined) return definitions;
      this.#reportMissing();
      if (this.#flags?.snapshot !== undefined) return undefined;
      // oxlint-disable-next-line no-await-in-loop -- as above
      await delay(delayMs, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted || this.#flags?.snapshot !== undefined) return undefined;
    }
  }

  async set(_key: string, definitions: unknown): Promise<void> {
    this.#current = await packContent(
      await stringifyDefinitions(definitions as FeatureDefinitions),
    );
    await this.#startUpdate();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort(new Error("The flags client was closed"));
    await this.#updating;
  }

  async #restore(found: Finding): Promise<unknown> {
    if (typeof found === "string") return undefined;
    try {
      const definitions: unknown = JSON.parse(await unpackContent(found));
      this.#restoredConfirmedAtMs = found.confirmedAtMs;
      return definitions;
    } catch (error) {
      this.#reject(error);
      return undefined;
    }
  }

  async #read(): Promise<Finding> {
    const { store } = this.#options;
    let bytes: Uint8Array | undefined;
    try {
      bytes = await store.read(this.#key, this.#closing.signal);
    } catch {
      return "unknown";
    }
    this.#storedConfirmedAtMs = undefined;
    this.#isEmpty = bytes === undefined;
    if (bytes === undefined) return "nothing";
    try {
      const document = decodeDocument(bytes, this.#identity);
      this.#storedConfirmedAtMs = document.confirmedAtMs;
      return document;
    } catch (error) {
      this.#reject(error);
      return "nothing";
    }
  }

  #reject(error: unknown): void {
    this.#rejectedDocuments += 1;
    const { logger, store } = this.#options;
    const reason =
      error instanceof InvalidDocument ? error.message : `is not usable: ${describeCause(error)}`;
    const message = `Ignoring the flags in the store ${store.address}: the document ${this.#key} ${reason}`;
    // A document that cannot be replaced is read repeatedly.
    if (message !== this.#lastWarning) logger.warn(message);
    this.#lastWarning = message;
  }

  #startUpdate(): Promise<void> {
    this.#updating = this.#updating.then(() => this.#update());
    return this.#updating;
  }

  async #update(): Promise<void> {
    const current = this.#current;
    const confirmedAtMs = this.#confirmedAtMs();
    if (current === undefined || confirmedAtMs === undefined) return;
    const found = await this.#read();
    if (found === "unknown") return;
    const own = { ...current, confirmedAtMs };
    if (found !== "nothing") {
      if (!this.#isOutdated(found, own)) return;
      const isChange = found.sha256 !== own.sha256;
      if (isChange && !(await this.#write(this.#previousKey, found))) return;
    }
    if (await this.#write(this.#key, own)) this.#storedConfirmedAtMs = own.confirmedAtMs;
  }

  /** When the flags of this process were confirmed, epoch milliseconds; undefined if that is not known. */
  #confirmedAtMs(): number | undefined {
    const { confirmedAtMs, lastFetchAtMs } = this.#flags ?? {};
    if (confirmedAtMs === undefined || lastFetchAtMs === undefined) return undefined;
    return Math.round(this.#now() - (performance.now() - confirmedAtMs));
  }

  #isInFuture(epochMs: number): boolean {
    return epochMs > this.#now() + MAX_CLOCK_DIFFERENCE_MS;
  }

  /** Whether the flags of this process replace those in the store. */
  #isOutdated(stored: StoredDocument, own: StoredDocument): boolean {
    if (this.#isInFuture(stored.confirmedAtMs)) return true;
    const newerByMs = own.confirmedAtMs - stored.confirmedAtMs;
    return stored.sha256 === own.sha256 ? newerByMs >= UPDATE_INTERVAL_MS : newerByMs >= 0;
  }

  /** Resolves to whether the document was written. */
  async #write(key: string, document: StoredDocument): Promise<boolean> {
    const { store } = this.#options;
    try {
      await store.write(key, encodeDocument(document, this.#identity), this.#closing.signal);
      return true;
    } catch {
      return false;
    }
  }
}

interface StorageConfig extends Omit<StoredSource, "token"> {
  readonly upstreamTokens: readonly string[];
  readonly store: StoreConfig | undefined;
  readonly logger: Logger;
}

/**
 * Creates the storage of each source, in the order of the tokens; none if no store is configured.
 *
 * @param names the names of the sources, for messages
 */
export function createStoredFlags(
  config: StorageConfig,
  names: readonly string[],
): readonly StoredFlags[] {
  const { store: storeConfig, upstreamTokens, logger } = config;
  if (storeConfig === undefined) return [];
  const store = createStore(storeConfig, logger);
  return upstreamTokens.map((token, index) => {
    const prefix = upstreamTokens.length === 1 ? "" : `${names[index]}: `;
    return new StoredFlags({
      store,
      source: { ...config, token },
      logger: { warn: (message) => logger.warn(`${prefix}${String(message)}`) },
    });
  });
}

const UNITS = [
  { name: "day", lengthMs: 86_400_000 },
  { name: "hour", lengthMs: 3_600_000 },
  { name: "minute", lengthMs: 60_000 },
  { name: "second", lengthMs: 1000 },
] as const;

export function describeAge(ageMs: number): string {
  const unit = UNITS.find(({ lengthMs }) => ageMs >= lengthMs);
  if (unit === undefined) return "less than a second ago";
  return `${describeCount(Math.floor(ageMs / unit.lengthMs), unit.name)} ago`;
}
