import { setTimeout as delay } from "node:timers/promises";
import type { JWTVerifyGetKey } from "jose";
import type { HttpClient } from "flags-sdk/internal";
import { codeOf } from "flags-server-kit/neutral";
import { HttpError } from "../../core/http/errors.ts";

/** Finds the key of a token in a JSON Web Key Set (JWKS). */
export type KeySet = JWTVerifyGetKey;

interface RemoteKeysOptions {
  readonly url: URL;
  readonly http: Pick<HttpClient, "send">;
  /** Called when keys could not be read, or could be read again; then without an error. */
  readonly onResult: (error: Error | undefined) => void;
  /** The time for tests, monotonic, in milliseconds. @default the time of the process */
  readonly nowMs?: () => number;
}

/** Keys of this age are read again before they are used. */
const MAX_AGE_MS = 10 * 60 * 1000;

/** Requests wait no longer for keys to be read again; then they use the previous ones. */
const MAX_REFRESH_MS = 1000;

/** Keys of this age are no longer used, if reading new ones has failed. */
const MAX_STALE_MS = 24 * 60 * 60 * 1000;

/** Keys are read at most once in this time, regardless of the tokens that clients send. */
const COOL_DOWN_MS = 30_000;

/** While there are no keys at all, they are read at most once in this time. */
const RETRY_MS = 5000;

const MAX_KEYS = 100;

interface LoadedKeys {
  readonly find: KeySet;
  readonly loadedAtMs: number;
}

/**
 * The keys of an identity provider, at a URL. They are read when the first token arrives, when they are
 * old, and for a token with an unknown key, since the provider may have added one.
 */
export class RemoteKeys {
  readonly #options: RemoteKeysOptions;
  readonly #nowMs: () => number;
  readonly #abort = new AbortController();
  #keys: LoadedKeys | undefined;
  #attemptedAtMs = -Infinity;
  /** Until the keys have been read, and for a second of that. */
  #pending: { readonly done: Promise<void>; readonly briefly: Promise<void> } | undefined;
  #failure: Error | undefined;

  constructor(options: RemoteKeysOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  /** @throws {HttpError} 503 if there are no keys, or a new key may exist that could not be read */
  readonly find: KeySet = async (header, token) => {
    const known = await this.#current();
    try {
      return await known.find(header, token);
    } catch (error) {
      if (!isUnknownKey(error)) throw error;
      this.#refresh();
      await this.#pending?.done;
      const current = this.#keys ?? known;
      if (current !== known) return current.find(header, token);
      throw this.#failure === undefined ? error : this.#unavailable();
    }
  };

  close(): void {
    this.#abort.abort();
  }

  async #current(): Promise<LoadedKeys> {
    if (this.#ageMs() > MAX_AGE_MS) {
      this.#refresh();
      await (this.#ageMs() > MAX_STALE_MS ? this.#pending?.done : this.#pending?.briefly);
    }
    if (this.#keys !== undefined && this.#ageMs() <= MAX_STALE_MS) return this.#keys;
    throw this.#unavailable();
  }

  #unavailable(): HttpError {
    const nextAttemptMs = this.#attemptedAtMs + this.#pauseMs;
    return keysUnavailable(this.#failure, nextAttemptMs - this.#nowMs());
  }

  /** The minimum time between two attempts. */
  get #pauseMs(): number {
    return this.#keys === undefined ? RETRY_MS : COOL_DOWN_MS;
  }

  #ageMs(): number {
    return this.#keys === undefined ? Infinity : this.#nowMs() - this.#keys.loadedAtMs;
  }

  /** Starts to read the keys, unless they were read recently. */
  #refresh(): void {
    if (this.#pending !== undefined || this.#nowMs() - this.#attemptedAtMs < this.#pauseMs) return;
    this.#attemptedAtMs = this.#nowMs();
    const done = this.#load().finally(() => (this.#pending = undefined));
    const briefly = Promise.race([done, delay(MAX_REFRESH_MS, undefined, { ref: false })]);
    this.#pending = { done, briefly };
  }

  async #load(): Promise<void> {
    const { onResult } = this.#options;
    try {
      const { http, url } = this.#options;
      const find = await readKeySet(http, url, this.#abort.signal);
      this.#keys = { find, loadedAtMs: this.#nowMs() };
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error instanceof Error ? error : new Error(String(error));
    }
    onResult(this.#failure);
  }
}

/**
 * Reads a JSON Web Key Set from a URL.
 *
 * @throws {Error} with a message for the operator
 */
export async function readKeySet(
  http: Pick<HttpClient, "send">,
  url: URL,
  signal: AbortSignal,
): Promise<KeySet> {
  const { status, body } = await http.send({
    method: "GET",
    url,
    urlSetting: "jwksUrl",
    headers: { accept: "application/json" },
    signal,
  });
  if (status !== 200) throw new Error(`the status of the response is ${status}`);
  return parseKeySet(body);
}

/**
 * Parses a JSON Web Key Set.
 *
 * @throws {Error} with a message for the operator
 */
export async function parseKeySet(text: string): Promise<KeySet> {
  const { createLocalJWKSet } = await import("jose");
  let value: { readonly keys: Parameters<typeof createLocalJWKSet>[0]["keys"] };
  try {
    value = JSON.parse(text) as typeof value;
    if (value.keys.length > MAX_KEYS) throw new Error(`it has more than ${MAX_KEYS} keys`);
    return createLocalJWKSet({ keys: value.keys });
  } catch (error) {
    const reason =
      error instanceof Error && error.message.startsWith("it has") ? error.message : "";
    throw new Error(reason || "it is not a JSON Web Key Set", { cause: error });
  }
}

function isUnknownKey(error: unknown): boolean {
  return codeOf(error) === "ERR_JWKS_NO_MATCHING_KEY";
}

/** A 503 while the keys of signatures cannot be read. */
function keysUnavailable(cause: unknown, retryAfterMs: number): HttpError {
  const seconds = Math.max(Math.ceil(retryAfterMs / 1000), 1);
  return new HttpError(503, "Signatures of contexts cannot be verified now: try again later", {
    headers: { "retry-after": String(seconds) },
    cause,
  });
}
