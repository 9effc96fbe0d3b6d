import { setTimeout as delay } from "node:timers/promises";
import type { FlagsClientOptions } from "flags-sdk";
import type { Logger } from "flags-server-kit/neutral";
import { TokenValidator } from "../upstream/token-validator.ts";
import { LRUCache } from "lru-cache";
import type { Registry } from "prom-client";
import { digestKey } from "../core/access/grant.ts";
import type { GuardedStore } from "../store/guarded-store.ts";
import { KeyCalls } from "./key-calls.ts";
import { StoredKeys, type StoredKey } from "./stored-keys.ts";
import { createVerifierMetrics, type VerifierMetrics } from "../metrics/key-metrics.ts";
import {
  isSameKey,
  type KeysChange,
  type KeysListener,
  type KeyVerifier,
  toVerifiedKey,
  type ValidKey,
  type Verdict,
  type VerifiedKey,
} from "../core/access/verified-key.ts";

/** Others are verified again when they are used. A million users share few keys. */
const MAX_VERIFIED = 10_000;

/** A request waits no longer, if the last verification may still count. */
const MAX_CONFIRMATION_MS = 1000;

interface VerifierOptions {
  readonly client: FlagsClientOptions;
  readonly upstreamUrl: string;
  readonly upstreamTokens: readonly string[];
  /** A verification that is older does not count, unless the upstream fails or is slow. */
  readonly revalidationIntervalMs: number;
  /** A verification that is older does not count, even if the upstream fails. */
  readonly maxAgeMs: number;
  /** Keeps verified keys across restarts, and is closed with the verifier. @default in memory only */
  readonly store?: GuardedStore | undefined;
  readonly registry: Registry;
  readonly logger: Logger;
}

interface KnownKey {
  verified: ValidKey;
  /** To verify it again. Never logged or stored. */
  readonly token: string;
  /** A time of `performance.now()`. */
  checkedAtMs: number;
}

export class UpstreamKeyVerifier implements KeyVerifier {
  readonly #validator: TokenValidator;
  readonly #calls: KeyCalls;
  readonly #storedKeys: StoredKeys | undefined;
  readonly #metrics: VerifierMetrics;
  readonly #logger: Logger;
  readonly #intervalMs: number;
  readonly #maxAgeMs: number;
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
    const { upstreamUrl, upstreamTokens, maxAgeMs } = options;
    this.#logger = logger;
    this.#intervalMs = options.revalidationIntervalMs;
    this.#maxAgeMs = Math.max(maxAgeMs, this.#intervalMs);
    this.#validator = new TokenValidator({
      client,
      subject: "Verifying keys",
      events: {
        warn: (message) => logger.warn(message),
        error: (error) => logger.error(error),
      },
    });
    this.#calls = new KeyCalls({
      validator: this.#validator,
      intervalMs: this.#intervalMs,
      olderThan: (ageMs) => this.#olderThan(ageMs).map(({ token }) => token),
      onChecked: (token, verified) => this.#checked(token, verified),
      onFailure: () => this.#removeExpired(),
      onResult: (result, count) => this.#metrics.results.inc({ result }, count),
      onError: (error) => logger.error("Cannot verify keys", error),
    });
    this.#metrics = createVerifierMetrics(registry, {
      verified: () => this.#known.size,
      pending: () => this.#calls.pendingCount,
    });
    this.#storedKeys =
      store &&
      new StoredKeys({
        store,
        upstreamUrl,
        upstreamTokens,
        maxAgeMs,
        current: () => this.#toStore(),
        onRead: (keys) => this.#replaceRestored(keys),
        logger,
      });
  }

  start(): void {
    this.#restoring = this.#storedKeys?.restore().then(() => {
      this.#restoring = undefined;
    });
    void this.#calls.run();
  }

  get known(): KeysChange {
    return { verified: Array.from(this.#known.values(), ({ verified }) => verified), revoked: [] };
  }

  async verify(token: string): Promise<Verdict> {
    // NOTE: the time that a store may take is limited.
    if (this.#restoring !== undefined) await this.#restoring;
    const key = digestKey(token);
    if (this.#known.has(key) || this.#adoptRestored(key, token)) return this.confirm(key);
    return this.#calls.verify(token);
  }

  /** NOTE: a key waits once. Then the last verification counts, until there is a verdict or it is too old. */
  async confirm(key: string): Promise<Verdict> {
    const known = this.#known.get(key);
    if (known === undefined) return { status: "invalid" };
    if (isValid(known)) return { status: "valid" };
    const timeout = new AbortController();
    const verdict = await Promise.race([
      // Its verdict is applied even if it arrives later.
      this.#calls.verify(known.token),
      delay(MAX_CONFIRMATION_MS, UNDECIDED, { signal: timeout.signal, ref: false }),
    ]);
    timeout.abort();
    if (verdict.status !== "unknown") return verdict;
    return this.#acceptLast(key) ? { status: "valid" } : verdict;
  }

  follow(listener: KeysListener): void {
    listener(this.known);
    this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    this.#calls.close();
    await this.#validator.close();
    await this.#storedKeys?.close();
  }

  /** Other replicas add keys to the store, and remove those that were revoked. */
  #replaceRestored(keys: ReadonlyMap<string, StoredKey>): void {
    this.#restored.clear();
    for (const [key, stored] of keys) if (!this.#known.has(key)) this.#restored.set(key, stored);
  }

  #set(token: string, key: VerifiedKey, checkedAtMs: number, validMs: number): void {
    const verified = { ...key, untilMs: checkedAtMs + validMs };
    // NOTE: does not count as a use of the key.
    const known = this.#known.peek(key.key);
    if (known === undefined) this.#known.set(key.key, { verified, token, checkedAtMs });
    else Object.assign(known, { verified, checkedAtMs });
    this.#notify({ verified: [verified], revoked: [] });
  }

  /** Lets the last verification of a key count while the upstream does not respond, unless it is too old. */
  #acceptLast(key: string): boolean {
    const known = this.#known.peek(key);
    if (known === undefined) return false;
    if (!isValid(known)) this.#set(known.token, known.verified, known.checkedAtMs, this.#maxAgeMs);
    return isValid(known);
  }

  /** Adds a key that was verified before the restart or by another replica. It has to be verified again. */
  #adoptRestored(key: string, token: string): boolean {
    const stored = this.#restored.get(key);
    if (stored === undefined) return false;
    this.#restored.delete(key);
    const { kind, environment, projects = ["*"], verifiedAtMs } = stored;
    const type = kind === "server" ? "client" : "frontend";
    const verified = toVerifiedKey(token, { type, environment, projects });
    if (verified === undefined) return false;
    // NOTE: the difference is negative if a clock was wrong.
    const checkedAtMs = performance.now() - Math.abs(Date.now() - verifiedAtMs);
    this.#set(token, verified, checkedAtMs, 0);
    return true;
  }

  #olderThan(ageMs: number): readonly KnownKey[] {
    const latestMs = performance.now() - ageMs;
    return [...this.#known.values()].filter(({ checkedAtMs }) => checkedAtMs < latestMs);
  }

  /** Ends the streams of keys that the upstream has not confirmed for too long. */
  #removeExpired(): void {
    for (const { verified } of this.#olderThan(this.#maxAgeMs)) this.#known.delete(verified.key);
  }

  #checked(token: string, verified: VerifiedKey | undefined): void {
    const key = digestKey(token);
    const known = this.#known.peek(key)?.verified;
    if (verified !== undefined) {
      this.#set(token, verified, performance.now(), this.#intervalMs);
      if (known !== undefined && isSameKey(verified, known)) this.#storedKeys?.confirmed();
      else this.#storedKeys?.changed();
    } else if (known !== undefined) {
      this.#metrics.revoked.inc();
      this.#logger.info(`The upstream has revoked the key ${known.shownAs}`);
      this.#known.delete(key);
      this.#storedKeys?.changed([key]);
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

const UNDECIDED: Verdict = { status: "unknown", retryAfterSeconds: 1 };

function isValid({ verified: { untilMs } }: KnownKey): boolean {
  return performance.now() < untilMs;
}
