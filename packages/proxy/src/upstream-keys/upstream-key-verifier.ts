import { TokenValidator, type FlagsClientOptions } from "flags-sdk";
import type { Logger } from "flags-server-kit";
import { LRUCache } from "lru-cache";
import type { Registry } from "prom-client";
import { digestKey } from "../access/grant.ts";
import type { Store } from "../store/store.ts";
import { CallPacer } from "./call-pacer.ts";
import { isRecent, StoredKeys, type StoredKey } from "./stored-keys.ts";
import { createVerifierMetrics, type VerifierMetrics } from "../metrics/keys.ts";
import { NewKeys } from "./new-keys.ts";
import { Revalidation } from "./revalidation.ts";
import {
  isSameKey,
  type KeysChange,
  type KeysListener,
  type KeyVerifier,
  toVerifiedKey,
  type Verdict,
  type VerifiedKey,
} from "../access/verified-key.ts";

/** At most four calls a second, however many keys there are. */
const CALL_SPACING_MS = 250;

/** The least recently used keys are forgotten first. A million users share few keys. */
const MAX_VERIFIED = 10_000;

interface VerifierOptions {
  /** The options of a client of the upstream. */
  readonly client: FlagsClientOptions;
  readonly upstreamUrl: string;
  /** Tokens of all sources. */
  readonly upstreamTokens: readonly string[];
  readonly revalidationIntervalMs: number;
  /** Keeps verified keys across restarts, and is closed with the verifier. @default in memory only */
  readonly store?: Store | undefined;
  readonly registry: Registry;
  readonly logger: Logger;
}

/** A verified key with its token, which is needed to verify it again. Never logged or stored. */
interface KnownKey {
  readonly verified: VerifiedKey;
  readonly token: string;
  /** A time of `performance.now()`. */
  checkedAtMs: number;
}

/** Verifies keys with calls of the upstream, and keeps those that are valid up to date. */
export class UpstreamKeyVerifier implements KeyVerifier {
  readonly #validators: readonly TokenValidator[];
  readonly #newKeys: NewKeys;
  readonly #revalidation: Revalidation;
  readonly #storedKeys: StoredKeys | undefined;
  readonly #metrics: VerifierMetrics;
  readonly #logger: Logger;
  readonly #listeners = new Set<KeysListener>();
  readonly #known = new LRUCache<string, KnownKey>({
    max: MAX_VERIFIED,
    dispose: (_known, key, reason) => {
      if (reason !== "set") this.#notify({ verified: [], revoked: [key] });
    },
  });
  /** Keys in the store that have not been presented to this process, so that their tokens are unknown. */
  readonly #restored = new Map<string, StoredKey>();
  #restoring: Promise<void> | undefined;

  constructor({ client, store, registry, logger, ...options }: VerifierOptions) {
    const { upstreamUrl, upstreamTokens } = options;
    this.#logger = logger;
    const events = {
      warn: (message: string) => logger.warn(message),
      error: (error: Error) => logger.error(error),
    };
    const validator = new TokenValidator({ client, subject: "Verifying new keys", events });
    const revalidator = new TokenValidator({ client, subject: "Revalidating keys", events });
    this.#validators = [validator, revalidator];
    const pacer = new CallPacer(CALL_SPACING_MS);
    this.#metrics = createVerifierMetrics(registry, {
      verified: () => this.#known.size,
      pending: () => this.#newKeys.pendingCount,
    });
    this.#newKeys = new NewKeys({
      validator,
      pacer,
      onVerified: (token, verified) => this.#add(token, verified),
      onResult: this.#metrics.results,
      onError: (error) => logger.error("Cannot verify keys", error),
    });
    this.#revalidation = new Revalidation({
      intervalMs: options.revalidationIntervalMs,
      validator: revalidator,
      pacer,
      olderThan: (ageMs) => this.#olderThan(ageMs),
      onResult: (token, verified) => this.#revalidated(token, verified),
    });
    this.#storedKeys =
      store &&
      new StoredKeys({
        store,
        upstreamUrl,
        upstreamTokens,
        current: () => this.#toStore(),
        onRead: (keys) => this.#replaceRestored(keys),
        logger,
      });
  }

  /** Begins to restore stored keys, and to verify known keys again. */
  start(): void {
    this.#restoring = this.#storedKeys?.restore().then(() => {
      this.#restoring = undefined;
    });
    void this.#revalidation.run();
  }

  get verified(): readonly VerifiedKey[] {
    return [...this.#known.values()].map(({ verified }) => verified);
  }

  async verify(token: string): Promise<Verdict> {
    // NOTE: the time that a store may take is limited.
    if (this.#restoring !== undefined) await this.#restoring;
    const key = digestKey(token);
    if (this.#known.has(key)) return { status: "valid" };
    if (this.#adoptRestored(key, token)) return { status: "valid" };
    return this.#newKeys.verify(token);
  }

  follow(listener: KeysListener): void {
    listener({ verified: this.verified, revoked: [] });
    this.#listeners.add(listener);
  }

  touch(keys: readonly string[]): void {
    for (const key of keys) this.#known.get(key);
  }

  async close(): Promise<void> {
    this.#revalidation.close();
    await Promise.all(this.#validators.map((validator) => validator.close()));
    await this.#storedKeys?.close();
  }

  #add(token: string, verified: VerifiedKey): void {
    this.#known.set(verified.key, { verified, token, checkedAtMs: performance.now() });
    this.#notify({ verified: [verified], revoked: [] });
    this.#storedKeys?.changed();
  }

  /** Other replicas add keys to the store, and remove those that were revoked. */
  #replaceRestored(keys: ReadonlyMap<string, StoredKey>): void {
    this.#restored.clear();
    for (const [key, stored] of keys) if (!this.#known.has(key)) this.#restored.set(key, stored);
  }

  /** Accepts a key that was verified before the restart or by another replica, and has it verified again. */
  #adoptRestored(key: string, token: string): boolean {
    const stored = this.#restored.get(key);
    if (stored === undefined || !isRecent(stored)) return false;
    this.#restored.delete(key);
    const { kind, environment, projects = ["*"], verifiedAtMs } = stored;
    const type = kind === "server" ? "client" : "frontend";
    const verified = toVerifiedKey(token, { type, environment, projects });
    if (verified === undefined) return false;
    const ageMs = Date.now() - verifiedAtMs;
    // NOTE: negative if the clock was changed.
    const checkedAtMs = ageMs < 0 ? Number.NEGATIVE_INFINITY : performance.now() - ageMs;
    this.#known.set(key, { verified, token, checkedAtMs });
    this.#notify({ verified: [verified], revoked: [] });
    this.#revalidation.wake();
    return true;
  }

  #olderThan(ageMs: number): readonly string[] {
    const latestMs = performance.now() - ageMs;
    return [...this.#known.values()]
      .filter(({ checkedAtMs }) => checkedAtMs < latestMs)
      .map(({ token }) => token);
  }

  #revalidated(token: string, verified: VerifiedKey | undefined): void {
    const key = digestKey(token);
    const known = this.#known.peek(key);
    if (known === undefined) return;
    if (verified === undefined) {
      this.#metrics.revoked();
      this.#logger.info(`The upstream has revoked the key ${known.verified.shownAs}`);
      this.#known.delete(key);
      this.#storedKeys?.changed([key]);
    } else if (isSameKey(verified, known.verified)) {
      known.checkedAtMs = performance.now();
      this.#storedKeys?.confirmed();
    } else {
      this.#add(token, verified);
    }
  }

  #toStore(): readonly StoredKey[] {
    const now = { epochMs: Date.now(), monotonicMs: performance.now() };
    return [...this.#known.values()].map(({ verified, checkedAtMs }) => {
      const { key, kind, environment, projects } = verified;
      const ageMs = Math.min(now.monotonicMs - checkedAtMs, now.epochMs);
      return { key, kind, environment, projects, verifiedAtMs: Math.round(now.epochMs - ageMs) };
    });
  }

  #notify(change: KeysChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
