import { UpstreamError } from "flags-sdk";
import type { ValidatedToken } from "../upstream/token-validator.ts";
import type { CallPacer } from "./call-pacer.ts";
import { toVerifiedKey, type Verdict, type VerifiedKey } from "../access/verified-key.ts";

/** Finds out which tokens are valid: a `TokenValidator`. */
export interface Validator {
  readonly waitMs: number;
  validate(tokens: readonly string[]): Promise<ReadonlyMap<string, ValidatedToken>>;
}

/** The number of different keys that wait for the upstream. */
const MAX_PENDING = 1000;

/** Keys in one call. With keys of the maximum length, it stays below the 100 KB that upstreams accept. */
export const MAX_BATCH = 150;

interface NewKeysOptions {
  readonly validator: Validator;
  readonly pacer: CallPacer;
  /** Receives what the upstream says about a token, before its verdict is returned; undefined if it is not a valid key. */
  readonly onChecked: (token: string, key: VerifiedKey | undefined) => void;
  /** Receives the number of keys with one result. */
  readonly onResult: (result: Verdict["status"], count: number) => void;
  /** Receives unexpected errors. */
  readonly onError: (error: unknown) => void;
}

interface PendingKey {
  readonly verdict: Promise<Verdict>;
  readonly resolve: (verdict: Verdict) => void;
}

/**
 * Verifies keys for which requests wait. Those that arrive during a call share the next one. While the
 * upstream fails, keys are not verified, and it is called again after a growing delay: with one key at
 * first, so that all those that wait do not arrive together.
 */
export class NewKeys {
  readonly #options: NewKeysOptions;
  readonly #pending = new Map<string, PendingKey>();
  #isWorking = false;

  constructor(options: NewKeysOptions) {
    this.#options = options;
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  verify(token: string): Promise<Verdict> {
    const pending = this.#pending.get(token);
    if (pending !== undefined) return pending.verdict;
    const { waitMs } = this.#options.validator;
    if (waitMs > 0) return Promise.resolve(this.#unknown(waitMs));
    if (this.#pending.size >= MAX_PENDING) return Promise.resolve(this.#unknown(0));
    const { promise, resolve } = deferVerdict();
    this.#pending.set(token, { verdict: promise, resolve });
    void this.#work();
    return promise;
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    try {
      while (this.#pending.size > 0) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await this.#options.pacer.run(() => this.#verifyBatch());
      }
    } catch (error) {
      // NOTE: a validator has logged its errors.
      if (!(error instanceof UpstreamError)) this.#options.onError(error);
      this.#failAll();
    } finally {
      this.#isWorking = false;
    }
  }

  /** NOTE: includes keys that are not in the failed call. They would have to wait for the end of the backoff. */
  #failAll(): void {
    const verdict = this.#unknown(this.#options.validator.waitMs, this.#pending.size);
    for (const token of this.#pending.keys()) this.#resolve(token, verdict);
  }

  async #verifyBatch(): Promise<void> {
    const { validator, onChecked, onResult } = this.#options;
    const tokens = [...this.#pending.keys()].slice(0, MAX_BATCH);
    const valid = await validator.validate(tokens);
    for (const token of tokens) {
      const validated = valid.get(token);
      const key = validated && toVerifiedKey(token, validated);
      onChecked(token, key);
      const status = key === undefined ? "invalid" : "valid";
      onResult(status, 1);
      this.#resolve(token, { status });
    }
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

/** NOTE: Node 20 has no `Promise.withResolvers()`. */
function deferVerdict() {
  let resolve: PendingKey["resolve"] = ignore;
  const promise = new Promise<Verdict>((fulfill) => (resolve = fulfill));
  return { promise, resolve: (verdict: Verdict): void => resolve(verdict) };
}

function ignore(): void {}
