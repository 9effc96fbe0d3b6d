import { FairShare, GuessLimiter, type Logger, networkOf } from "flags-server-kit/neutral";
import { LRUCache } from "lru-cache";
import type { Registry } from "prom-client";
import {
  environmentNotServed,
  projectsNotServed,
  tooManyGuesses,
  verificationUnavailable,
} from "../core/http/errors.ts";
import { type KeyRejection, observeKeyRejections } from "../metrics/key-metrics.ts";
import type { Source } from "../sources/sources.ts";
import { findSourceByScope, parseTokenScope } from "../sources/token-scope.ts";
import {
  isVerifiable,
  type KeysChange,
  type KeyVerifier,
  type Verdict,
  type VerifiedKey,
} from "../core/access/verified-key.ts";
import { digestKey, type Grant, UPSTREAM_KEY_RULES } from "../core/access/grant.ts";
import type { UpstreamVerification } from "../core/access/access-control.ts";
import type { KeyRegistry } from "../core/access/key-registry.ts";
import type { Visibility } from "../core/access/visible-flags.ts";

/**
 * How many unknown keys are verified. Lower than flags-admin's own limits, so that an attack on the proxy cannot use those
 * up. While clients exhaust the total, a valid key that is not known yet gets a 429 too.
 */
export const VERIFICATION_LIMITS = {
  perAddress: { burst: 500, perSecond: 2 },
  total: { burst: 1000, perSecond: 20 },
};

/** Keys of one request that are verified together. Less than the burst of an address. */
const MAX_TOGETHER = 100;

const MAX_WAITING = 2000;

/** Log lines per hour about environments, which clients can invent. */
const MAX_LOGGED = 20;
const LOGGED_MS = 60 * 60 * 1000;

interface UpstreamAccessOptions {
  readonly verifier: KeyVerifier;
  readonly sources: readonly Source[];
  readonly keys: KeyRegistry;
  readonly visibility: Visibility;
  readonly registry: Registry;
  readonly logger: Logger;
  /** Called after keys were removed or have changed. */
  readonly onRemoved: () => void;
}

/** Grants access to keys that the upstream verifies. Everything is limited, because anyone can invent any number of keys. */
export class UpstreamAccess implements UpstreamVerification {
  readonly #options: UpstreamAccessOptions;
  readonly #invalid = createInvalidKeys();
  readonly #waiting = new FairShare(MAX_WAITING);
  readonly #guesses: GuessLimiter;
  /** Environments in the log, since a time of `performance.now()`. */
  readonly #logged = new Set<string>();
  #loggedSinceMs = 0;
  readonly #countRejection: (reason: KeyRejection) => void;

  constructor(options: UpstreamAccessOptions) {
    this.#options = options;
    this.#countRejection = observeKeyRejections(options.registry, this.#waiting);
    this.#guesses = new GuessLimiter(VERIFICATION_LIMITS, (problem) => {
      this.#countRejection("limit");
      return tooManyGuesses(problem);
    });
    options.verifier.follow((change) => this.#apply(change));
  }

  async verify(key: string, address: string): Promise<boolean> {
    if (!isVerifiable(key)) return this.#reject("malformed");
    const { keys } = this.#options;
    if (keys.isDue(digestKey(key))) {
      await this.confirm(digestKey(key));
      if (keys.isKnown(key)) return true;
    }
    if (!this.#isServed(key)) {
      const { environment = "" } = parseTokenScope(key) ?? {};
      this.#countRejection("environment");
      this.#warnOfUnserved(environment, `the environment ${environment}`);
      throw environmentNotServed(environment);
    }
    const valid = await this.#verify([key], address);
    if (valid.length > 0) return true;
    const reason = this.#invalid.get(digestKey(key)) ?? "invalid";
    this.#reject(reason);
    // NOTE: reveals nothing about other keys, since the upstream has confirmed this one.
    if (reason === "projects") throw projectsNotServed();
    return false;
  }

  /** NOTE: not limited as unknown keys are, since clients cannot invent one that is due. */
  async confirm(key: string): Promise<void> {
    const { keys, verifier } = this.#options;
    if (keys.isDue(key)) this.#check(await verifier.confirm(key));
  }

  async verifyAll(keys: readonly string[], address: string): Promise<void> {
    await Promise.all(keys.map((key) => this.confirm(digestKey(key))));
    const unknown = keys.filter(
      (key) => isVerifiable(key) && this.#isServed(key) && !this.#options.keys.isKnown(key),
    );
    for (let start = 0; start < unknown.length; start += MAX_TOGETHER) {
      // oxlint-disable-next-line no-await-in-loop -- the limit of unknown keys is per call
      await this.#verify(unknown.slice(start, start + MAX_TOGETHER), address);
    }
  }

  async close(): Promise<void> {
    await this.#options.verifier.close();
  }

  async #verify(
    keys: readonly string[],
    address: string,
  ): Promise<readonly { readonly secret: string }[]> {
    const candidates = keys.filter((key) => this.#invalid.get(digestKey(key)) === undefined);
    if (candidates.length === 0) return [];
    const release = this.#waiting.tryClaim(networkOf(address), 1);
    if (release === undefined) {
      this.#countRejection("busy");
      throw verificationUnavailable(1);
    }
    try {
      return await this.#guesses.run(address, candidates, async () => {
        const verified = candidates.map((key) => this.#verifyOne(key));
        return (await Promise.all(verified)).flat();
      });
    } finally {
      release();
    }
  }

  async #verifyOne(key: string): Promise<readonly { readonly secret: string }[]> {
    const verdict = await this.#options.verifier.verify(key);
    this.#check(verdict);
    const isValid = verdict.status === "valid";
    if (isValid && this.#options.keys.isKnown(key)) return [{ secret: key }];
    this.#invalid.set(digestKey(key), isValid ? "projects" : "invalid");
    return [];
  }

  #check(verdict: Verdict): void {
    if (verdict.status !== "unknown") return;
    this.#countRejection("unavailable");
    throw verificationUnavailable(verdict.retryAfterSeconds);
  }

  #isServed(key: string): boolean {
    const environment = parseTokenScope(key)?.environment;
    return this.#options.sources.some(({ scope }) => scope?.environment === environment);
  }

  #apply(change: KeysChange): void {
    const { keys, visibility, onRemoved } = this.#options;
    if (!keys.updateVerified(change, (key) => this.#toGrant(key))) return;
    visibility.retain(keys.flagsInUse());
    onRemoved();
  }

  #toGrant({ key, kind, environment, projects, shownAs }: VerifiedKey): Grant | undefined {
    const { sources, visibility } = this.#options;
    const [project = "*"] = projects?.length === 1 ? projects : [];
    const source = findSourceByScope({ environment, project }, sources);
    if (source === undefined) {
      this.#warnOfUnserved(environment, `${shownAs}, for several projects of ${environment}`);
      return undefined;
    }
    return { key, kind, flags: visibility.get(source, { projects }), rules: UPSTREAM_KEY_RULES };
  }

  /** @param scope completes "a key of" */
  #warnOfUnserved(environment: string, scope: string): void {
    const nowMs = performance.now();
    if (nowMs - this.#loggedSinceMs > LOGGED_MS) {
      this.#logged.clear();
      this.#loggedSinceMs = nowMs;
    }
    if (this.#logged.size >= MAX_LOGGED || this.#logged.has(environment)) return;
    this.#logged.add(environment);
    this.#options.logger.warn(
      `A client uses a key of ${scope}, but no upstream token serves it: add such a token, or correct the client`,
    );
  }

  #reject(reason: KeyRejection): false {
    this.#countRejection(reason);
    return false;
  }
}

const MAX_INVALID_KEYS = 10_000;

/** Short, so that a key works soon after it was created, even if a client used it before that. */
const INVALID_KEY_LIFETIME_MS = 10_000;

type InvalidReason = Extract<KeyRejection, "invalid" | "projects">;

export function createInvalidKeys(
  perf: { now: () => number } = performance,
): LRUCache<string, InvalidReason> {
  return new LRUCache({
    max: MAX_INVALID_KEYS,
    ttl: INVALID_KEY_LIFETIME_MS,
    ttlResolution: 0,
    perf,
  });
}
