import { setTimeout as delay } from "node:timers/promises";
import { UpstreamError } from "flags-sdk";
import type { CallPacer } from "./call-pacer.ts";
import { MAX_BATCH, type Validator } from "./new-keys.ts";
import { toVerifiedKey, type VerifiedKey } from "../access/verified-key.ts";

interface RevalidationOptions {
  /** A revoked key is rejected within this time, if the upstream responds. */
  readonly intervalMs: number;
  readonly validator: Validator;
  readonly pacer: CallPacer;
  /** Returns the tokens whose last verification is longer ago than this. */
  readonly olderThan: (ageMs: number) => readonly string[];
  /** Receives what the upstream says about a token; undefined if it is no longer a valid key. */
  readonly onResult: (token: string, key: VerifiedKey | undefined) => void;
  readonly onFailure: () => void;
}

/** The age at which keys are verified again, and the time between two rounds, as shares of the interval. */
const DUE_AGE_SHARE = 0.6;
const ROUND_INTERVAL_SHARE = 0.25;

/** Replicas that were started together drift apart. */
const JITTER = 0.1;

/** Verifies all known keys again at intervals, before requests have to wait for it. */
export class Revalidation {
  readonly #options: RevalidationOptions;
  readonly #closing = new AbortController();
  #waiting = new AbortController();

  constructor(options: RevalidationOptions) {
    this.#options = options;
  }

  /** Runs rounds until `close()`. */
  async run(): Promise<void> {
    const { intervalMs } = this.#options;
    while (!this.#closing.signal.aborted) {
      const jitter = 1 - JITTER + 2 * JITTER * Math.random();
      const { signal } = this.#waiting;
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await sleep(intervalMs * ROUND_INTERVAL_SHARE * jitter, signal);
      this.#waiting = new AbortController();
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await this.#round();
    }
  }

  /** Starts the next round now, because there is a key whose last verification is long ago. */
  wake(): void {
    this.#waiting.abort();
  }

  close(): void {
    this.#closing.abort();
    this.#waiting.abort();
  }

  async #round(): Promise<void> {
    const { intervalMs, olderThan, pacer } = this.#options;
    while (!this.#closing.signal.aborted) {
      const tokens = olderThan(intervalMs * DUE_AGE_SHARE).slice(0, MAX_BATCH);
      if (tokens.length === 0) return;
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const waitMs = await pacer.run(() => this.#verify(tokens));
      // oxlint-disable-next-line no-await-in-loop -- until the end of the backoff
      if (waitMs > 0) await sleep(waitMs, this.#closing.signal);
    }
  }

  /** Returns how long to wait before the next call, in milliseconds. */
  async #verify(tokens: readonly string[]): Promise<number> {
    const { validator, onResult, onFailure } = this.#options;
    try {
      const valid = await validator.validate(tokens);
      for (const token of tokens) {
        const validated = valid.get(token);
        onResult(token, validated && toVerifiedKey(token, validated));
      }
      return 0;
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      onFailure();
      return Math.max(1, validator.waitMs);
    }
  }
}

/** Waits for a time, or until the signal is aborted. */
async function sleep(timeMs: number, signal: AbortSignal): Promise<void> {
  await delay(timeMs, undefined, { ref: false, signal }).catch(() => {});
}
