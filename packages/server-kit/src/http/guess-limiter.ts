import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { AttemptLimiter, type AttemptLimits, networkOf } from "./attempt-limiter.ts";

/**
 * For `/edge/validate`. Higher, because proxies forward the tokens of their clients: a proxy under attack
 * forwards 20 unknown ones a second. The burst allows two requests of the maximum size.
 */
export const VALIDATION_LIMITS: AttemptLimits = {
  perAddress: { burst: 2000, perSecond: 30 },
  total: { burst: 20_000, perSecond: 100 },
};

/** The largest number of tokens in one request to `/edge/validate`: more than any proxy has. */
export const MAX_VALIDATED_TOKENS = 1000;

export interface GuessProblem {
  readonly message: string;
  readonly retryAfterSeconds: number;
}

const MESSAGE =
  "Too many unknown tokens were sent from this address, or from all addresses together: send valid tokens, or wait for the time in Retry-After";

/** How many tokens are remembered: more than any burst, so that guesses do not evict the tokens in use. About 12 MB. */
const MAX_KNOWN = 40_000;

/**
 * Limits how many tokens a client can guess. Only tokens that its address has not sent before count, and valid
 * ones are refunded. So clients with valid tokens are served while others behind the same address guess, and a
 * client that repeats one revoked token does not exhaust the budget.
 */
export class GuessLimiter {
  readonly #guesses: AttemptLimiter;
  /** Tokens that have been counted, with the network that sent them. NOTE: `max` would allocate memory for all of them. */
  readonly #known = new LRUCache<string, true>({ maxSize: MAX_KNOWN, sizeCalculation: () => 1 });

  /** @param toError creates the error for a client that has to wait; a 429 with `Retry-After` */
  constructor(
    limits: AttemptLimits,
    toError: (problem: GuessProblem) => Error,
    now?: () => number,
  ) {
    const toWait = (retryAfterSeconds: number): Error =>
      toError({ message: MESSAGE, retryAfterSeconds });
    this.#guesses = new AttemptLimiter(limits, toWait, now);
  }

  /**
   * Looks up tokens of a client. They are counted before the lookup, so that concurrent requests share
   * one budget. Valid tokens are refunded afterwards, and all tokens if the lookup fails.
   *
   * @param find looks up the tokens and returns the valid ones
   */
  async run<Found extends { readonly secret: string }>(
    address: string,
    secrets: readonly string[],
    find: () => Promise<readonly Found[]>,
  ): Promise<readonly Found[]> {
    const network = networkOf(address);
    const keyOf = (secret: string): string => `${network} ${hash("sha256", secret)}`;
    const unknown = new Set(secrets.map(keyOf).filter((key) => this.#known.get(key) !== true));
    const refund = this.#guesses.take(network, unknown.size);
    for (const key of unknown) this.#known.set(key, true);
    try {
      const found = await find();
      refund(found.filter(({ secret }) => unknown.has(keyOf(secret))).length);
      return found;
    } catch (error) {
      for (const key of unknown) this.#known.delete(key);
      refund(unknown.size);
      throw error;
    }
  }
}
