import { setTimeout as delay } from "node:timers/promises";
import type { FetchImplementation, JWTVerifyGetKey } from "jose";
import { createConnections } from "flags-sdk/internal";
import { describeUrl, HttpClient } from "flags-sdk/neutral";
import { type Logger, toErrorMessage } from "flags-server-kit/neutral";
import { HttpError } from "../../core/http/errors.ts";

/** Finds the key of a token in a JSON Web Key Set (JWKS). */
export type KeySet = JWTVerifyGetKey;

/** Keys of this age are read again before they are used. */
const MAX_AGE_MS = 10 * 60 * 1000;

/** Tokens with known keys wait no longer for keys to be read again. */
const MAX_REFRESH_MS = 1000;

/** Keys of this age are no longer used, if reading new ones has failed. */
const MAX_STALE_MS = 24 * 60 * 60 * 1000;

/** Keys are read at most once in this time, regardless of the tokens that clients send. */
const COOL_DOWN_MS = 30_000;

/** While there are no keys at all, they are read at most once in this time. */
const RETRY_MS = 5000;

const TIMEOUT_MS = 5000;
const MAX_BODY_BYTES = 256 * 1024;

/** Creates the client that reads keys from URLs. The settings of upstream connections do not apply to it. */
export function createKeysClient(
  proxies: Readonly<Record<"httpProxy" | "httpsProxy" | "noProxy", string>>,
): HttpClient {
  const connections = createConnections({ ...proxies, timeoutMs: TIMEOUT_MS });
  return new HttpClient({ connections, timeoutMs: TIMEOUT_MS });
}

type Http = Pick<HttpClient, "send">;

/**
 * The keys of an identity provider at a URL, as jose caches them: they are read when the first token arrives, when they
 * are old, and for a token with an unknown key, since the provider may have added one. The returned function throws a
 * 503 if there are no keys, or if a new key may exist that could not be read.
 */
export function createRemoteKeys(
  url: URL,
  http: Http,
  logger: Pick<Logger, "error" | "warn">,
): KeySet {
  const subject = `the keys for signed contexts from ${describeUrl(url)}`;
  let attemptedAtMs = -Infinity;
  let readAtMs = -Infinity;
  let problem = "";
  // NOTE: jose limits only how often it reads keys after a success.
  const read: FetchImplementation = async (_url, { signal }) => {
    const pauseMs = readAtMs === -Infinity ? RETRY_MS : COOL_DOWN_MS;
    const waitMs = attemptedAtMs + pauseMs - performance.now();
    if (waitMs > 0) throw keysUnavailable(waitMs);
    attemptedAtMs = performance.now();
    try {
      const text = await readKeySet(http, url, signal);
      readAtMs = performance.now();
      if (problem !== "") logger.warn(`Read ${subject} again`);
      problem = "";
      // NOTE: all that jose reads. The bundle of the command has no `Response`.
      return { status: 200, json: async () => JSON.parse(text) as unknown } as Response;
    } catch (error) {
      const reason = toErrorMessage(error);
      if (reason !== problem) logger.error(`Cannot read ${subject}: ${reason}`);
      problem = reason;
      throw keysUnavailable(pauseMs, error);
    }
  };
  const load = async () => {
    const { createRemoteJWKSet, customFetch } = await import("jose");
    const timing = { cacheMaxAge: MAX_STALE_MS, cooldownDuration: COOL_DOWN_MS };
    return createRemoteJWKSet(url, { ...timing, [customFetch]: read });
  };
  let loaded: ReturnType<typeof load> | undefined;
  return async (header, token) => {
    loaded ??= load();
    const keys = await loaded;
    // NOTE: jose reads the system clock, which may be set back: it must not decide how long keys are used.
    if (performance.now() - readAtMs > MAX_AGE_MS) {
      // If this fails, the previous keys are still good.
      const reloaded = keys.reload().catch(() => undefined);
      await Promise.race([reloaded, delay(MAX_REFRESH_MS, undefined, { ref: false })]);
    }
    return keys(header, token);
  };
}

/**
 * Reads the text of a JSON Web Key Set from a URL.
 *
 * @throws {Error} with a message for the operator
 */
export async function readKeySet(http: Http, url: URL, signal: AbortSignal): Promise<string> {
  const { status, body } = await http.send({
    method: "GET",
    url,
    urlSetting: "jwksUrl",
    headers: { accept: "application/json" },
    maxBodyBytes: MAX_BODY_BYTES,
    signal,
  });
  if (status !== 200) throw new Error(`the status of the response is ${status}`);
  await parseKeySet(body);
  return body;
}

/** @throws {Error} with a message for the operator */
export async function parseKeySet(text: string): Promise<KeySet> {
  const { createLocalJWKSet } = await import("jose");
  try {
    return createLocalJWKSet(JSON.parse(text) as Parameters<typeof createLocalJWKSet>[0]);
  } catch (cause) {
    throw new Error("it is not a JSON Web Key Set", { cause });
  }
}

function keysUnavailable(retryAfterMs: number, cause?: unknown): HttpError {
  return new HttpError(503, "Signatures of contexts cannot be verified now: try again later", {
    headers: { "retry-after": String(Math.ceil(retryAfterMs / 1000)) },
    cause,
  });
}
