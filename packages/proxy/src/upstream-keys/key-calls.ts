import { setTimeout as delay } from "node:timers/promises";
import { UpstreamError } from "flags-sdk";
import { toVerifiedKey, type Verdict, type VerifiedKey } from "../core/access/verified-key.ts";
import type { TokenValidator } from "../upstream/token-validator.ts";

/** At most four calls a second, however many keys there are. */
const CALL_SPACING_MS = 250;

const MAX_PENDING = 1000;

/** Keys in one call. With keys of the maximum length, it stays below the 100 KB that upstreams accept. */
const MAX_BATCH = 150;

/** The age at which keys are verified again, and the time between two rounds, as shares of the interval. */
const DUE_AGE_SHARE = 0.6;
const ROUND_INTERVAL_SHARE = 0.25;

/** Replicas that were started together drift apart. */
const JITTER = 0.1;

interface KeyCallsOptions {
  readonly validator: Pick<TokenValidator, "waitMs" | "validate">;
  /** A revoked key is rejected within this time, if the upstream responds. */
  readonly intervalMs: number;
  readonly olderThan: (ageMs: number) => readonly string[];
  /** Receives what the upstream says about a token, before its verdict is returned; undefined if it is not a valid key. */
  readonly onChecked: (token: string, key: VerifiedKey | undefined) => void;
  readonly onFailure: () => void;
  /** Receives the number of keys for which requests waited, by result. */
  readonly onResult: (result: Verdict["status"], count: number) => void;
  readonly onError: (error: unknown) => void;
}

interface PendingKey {
  readonly verdict: Promise<Verdict>;
  readonly resolve: (verdict: Verdict) => void;
}

/**
 * Calls the upstream to verify keys, with one call at a time. Keys that arrive during a call share the next one, which also
 * contains known keys that are due, so that requests do not have to wait for those.
 *
 * While the upstream fails, keys for which requests wait are not verified, and it is called again after a growing delay, with
 * one key at first.
 */
export class KeyCalls {
  readonly #options: KeyCallsOptions;
  readonly #pending = new Map<string, PendingKey>();
  readonly #closing = new AbortController();
  #pause = new AbortController();
  #batchSize = MAX_BATCH;

  constructor(options: KeyCallsOptions) {
    this.#options = options;
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  verify(token: string): Promise<Verdict> {
    const pending = this.#pending.get(token);
    if (pending !== undefined) return pending.verdict;
    const { waitMs } = this.#options.validator;
    if (waitMs > 0 || this.#pending.size >= MAX_PENDING) {
      return Promise.resolve(this.#unknown(waitMs));
    }
    // NOTE: Node 20 has no `Promise.withResolvers()`.
    let resolve: PendingKey["resolve"] = ignore;
    const verdict = new Promise<Verdict>((fulfill) => (resolve = fulfill));
    this.#pending.set(token, { verdict, resolve });
    this.#pause.abort();
    return verdict;
  }

  /** Verifies keys for which requests wait, and known keys again, until `close()`. */
  async run(): Promise<void> {
    const { intervalMs, olderThan } = this.#options;
    while (!this.#closing.signal.aborted) {
      const due = olderThan(intervalMs * DUE_AGE_SHARE);
      const tokens = [...new Set([...this.#pending.keys(), ...due])].slice(0, this.#batchSize);
      if (tokens.length === 0) {
        const jitter = 1 - JITTER + 2 * JITTER * Math.random();
        this.#pause = new AbortController();
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await sleep(intervalMs * ROUND_INTERVAL_SHARE * jitter, this.#pause.signal);
      } else {
        const startMs = performance.now();
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const waitMs = await this.#call(tokens);
        const spacingMs = CALL_SPACING_MS - (performance.now() - startMs);
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await sleep(Math.max(waitMs, spacingMs), this.#closing.signal);
      }
    }
  }

  close(): void {
    this.#closing.abort();
    this.#pause.abort();
  }

  /** Returns how long to wait before the next call, in milliseconds. */
  async #call(tokens: readonly string[]): Promise<number> {
    const { validator, onChecked, onResult, onFailure, onError } = this.#options;
    try {
      const valid = await validator.validate(tokens);
      for (const token of tokens) {
        const validated = valid.get(token);
        const key = validated && toVerifiedKey(token, validated);
        onChecked(token, key);
        const status = key === undefined ? "invalid" : "valid";
        if (this.#resolve(token, { status })) onResult(status, 1);
      }
      this.#batchSize = MAX_BATCH;
    } catch (error) {
      // NOTE: a validator has logged its errors.
      if (!(error instanceof UpstreamError)) onError(error);
      // Includes keys that are not in the failed call. They would have to wait for the end of the backoff.
      const verdict = this.#unknown(validator.waitMs, this.#pending.size);
      for (const token of this.#pending.keys()) this.#resolve(token, verdict);
      onFailure();
      this.#batchSize = 1;
    }
    return validator.waitMs;
  }

  #resolve(token: string, verdict: Verdict): boolean {
    this.#pending.get(token)?.resolve(verdict);
    return this.#pending.delete(token);
  }

  #unknown(waitMs: number, count = 1): Verdict {
    this.#options.onResult("unknown", count);
    return { status: "unknown", retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) };
  }
}

function ignore(): void {}

async function sleep(timeMs: number, signal: AbortSignal): Promise<void> {
  if (timeMs > 0) await delay(timeMs, undefined, { ref: false, signal }).catch(() => {});
}
