import { setTimeout as delay } from "node:timers/promises";
import { UpstreamError } from "flags-sdk";
import { toVerifiedKey, type Verdict, type VerifiedKey } from "../core/access/verified-key.ts";
import type { TokenValidator } from "../upstream/token-validator.ts";

type Validator = Pick<TokenValidator, "waitMs" | "validate">;

/** At most four calls a second, however many keys there are. */
const CALL_SPACING_MS = 250;

/** The number of different keys that wait for the upstream. */
const MAX_PENDING = 1000;

/** Keys in one call. With keys of the maximum length, it stays below the 100 KB that upstreams accept. */
const MAX_BATCH = 150;

/** The age at which keys are verified again, and the time between two rounds, as shares of the interval. */
const DUE_AGE_SHARE = 0.6;
const ROUND_INTERVAL_SHARE = 0.25;

/** Replicas that were started together drift apart. */
const JITTER = 0.1;

interface KeyCallsOptions {
  readonly newKeys: Validator;
  /** Another one, so that keys of clients that make calls fail do not delay it. */
  readonly knownKeys: Validator;
  /** A revoked key is rejected within this time, if the upstream responds. */
  readonly intervalMs: number;
  /** Returns the tokens whose last verification is longer ago than this. */
  readonly olderThan: (ageMs: number) => readonly string[];
  /** Receives what the upstream says about a token, before its verdict is returned; undefined if it is not a valid key. */
  readonly onChecked: (token: string, key: VerifiedKey | undefined) => void;
  /** Called if known keys cannot be verified again. */
  readonly onFailure: () => void;
  /** Receives the number of keys for which requests waited, by result. */
  readonly onResult: (result: Verdict["status"], count: number) => void;
  /** Receives unexpected errors. */
  readonly onError: (error: unknown) => void;
}

interface PendingKey {
  readonly verdict: Promise<Verdict>;
  readonly resolve: (verdict: Verdict) => void;
}

/**
 * Calls the upstream to verify keys, with one call at a time.
 *
 * Keys for which requests wait and that arrive during a call share the next one. While the upstream fails, they are not
 * verified, and it is called again after a growing delay: with one key at first, so that all those that wait do not
 * arrive together. Known keys are verified again at intervals, before requests have to wait for it.
 */
export class KeyCalls {
  readonly #options: KeyCallsOptions;
  readonly #pending = new Map<string, PendingKey>();
  readonly #closing = new AbortController();
  #pause = new AbortController();
  #isVerifying = false;
  #lastCall: Promise<unknown> = Promise.resolve();
  /** A time of `performance.now()`. */
  #calledAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: KeyCallsOptions) {
    this.#options = options;
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  /** Verifies a key for which a request waits. */
  verify(token: string): Promise<Verdict> {
    const pending = this.#pending.get(token);
    if (pending !== undefined) return pending.verdict;
    const { waitMs } = this.#options.newKeys;
    if (waitMs > 0) return Promise.resolve(this.#unknown(waitMs));
    if (this.#pending.size >= MAX_PENDING) return Promise.resolve(this.#unknown(0));
    // NOTE: Node 20 has no `Promise.withResolvers()`.
    let resolve: PendingKey["resolve"] = ignore;
    const verdict = new Promise<Verdict>((fulfill) => (resolve = fulfill));
    this.#pending.set(token, { verdict, resolve });
    void this.#verifyPending();
    return verdict;
  }

  /** Verifies known keys again, in rounds until `close()`. */
  async run(): Promise<void> {
    const { intervalMs } = this.#options;
    while (!this.#closing.signal.aborted) {
      const jitter = 1 - JITTER + 2 * JITTER * Math.random();
      const { signal } = this.#pause;
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await sleep(intervalMs * ROUND_INTERVAL_SHARE * jitter, signal);
      this.#pause = new AbortController();
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await this.#verifyKnown();
    }
  }

  /** Starts the next round now, because there is a key whose last verification is long ago. */
  wake(): void {
    this.#pause.abort();
  }

  close(): void {
    this.#closing.abort();
    this.#pause.abort();
  }

  async #verifyPending(): Promise<void> {
    if (this.#isVerifying) return;
    this.#isVerifying = true;
    const { newKeys, onResult, onError } = this.#options;
    try {
      while (this.#pending.size > 0) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await this.#call(
          newKeys,
          () => [...this.#pending.keys()],
          (token, status) => {
            onResult(status, 1);
            this.#resolve(token, { status });
          },
        );
      }
    } catch (error) {
      // NOTE: a validator has logged its errors.
      if (!(error instanceof UpstreamError)) onError(error);
      // Includes keys that are not in the failed call. They would have to wait for the end of the backoff.
      const verdict = this.#unknown(newKeys.waitMs, this.#pending.size);
      for (const token of this.#pending.keys()) this.#resolve(token, verdict);
    } finally {
      this.#isVerifying = false;
    }
  }

  async #verifyKnown(): Promise<void> {
    const { intervalMs, olderThan, knownKeys, onFailure } = this.#options;
    while (!this.#closing.signal.aborted) {
      const findDue = () => olderThan(intervalMs * DUE_AGE_SHARE);
      if (findDue().length === 0) return;
      try {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await this.#call(knownKeys, findDue);
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error;
        onFailure();
        // oxlint-disable-next-line no-await-in-loop -- until the end of the backoff
        await sleep(Math.max(1, knownKeys.waitMs), this.#closing.signal);
      }
    }
  }

  /**
   * Calls the upstream when it is its turn, and passes on what it says.
   *
   * @param select returns the tokens to verify at that time; of many, only the first are verified
   */
  #call(
    validator: Validator,
    select: () => readonly string[],
    onStatus: (token: string, status: "valid" | "invalid") => void = ignore,
  ): Promise<void> {
    const call = this.#lastCall.then(async () => {
      const waitMs = this.#calledAtMs + CALL_SPACING_MS - performance.now();
      if (waitMs > 0) await sleep(waitMs, this.#closing.signal);
      this.#calledAtMs = performance.now();
      const tokens = select().slice(0, MAX_BATCH);
      if (tokens.length === 0) return;
      const valid = await validator.validate(tokens);
      for (const token of tokens) {
        const validated = valid.get(token);
        const key = validated && toVerifiedKey(token, validated);
        this.#options.onChecked(token, key);
        onStatus(token, key === undefined ? "invalid" : "valid");
      }
    });
    this.#lastCall = call.catch(() => {});
    return call;
  }

  #resolve(token: string, verdict: Verdict): void {
    this.#pending.get(token)?.resolve(verdict);
    this.#pending.delete(token);
  }

  #unknown(waitMs: number, count = 1): Verdict {
    this.#options.onResult("unknown", count);
    return { status: "unknown", retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) };
  }
}

function ignore(): void {}

/** Waits for a time, or until the signal is aborted. */
async function sleep(timeMs: number, signal: AbortSignal): Promise<void> {
  await delay(timeMs, undefined, { ref: false, signal }).catch(() => {});
}
