import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { codeOf } from "flags-server-kit/neutral";
import type { AllowList } from "./allow-list.ts";
import { findTarget, RefusedTargetError, type Resolve, type Target } from "./find-target.ts";

/** A message for a receiver. */
export interface OutgoingMessage {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What became of an attempt. Nothing of the response is kept but its status. */
export interface Outcome {
  readonly isSuccess: boolean;
  /** Whether the receiver wants no further message. */
  readonly isGone: boolean;
  /** HTTP status; null if there was no response. */
  readonly status: number | null;
  readonly durationMs: number;
  /** Why it failed; null for a success. */
  readonly reason: string | null;
  /** How long the receiver asks to wait. */
  readonly retryAfterMs: number | undefined;
}

export interface SendOptions {
  readonly allowed: AllowList;
  /** For the whole attempt. @default 15000 */
  readonly timeoutMs?: number | undefined;
  /** @default the name service of the system */
  readonly resolve?: Resolve | undefined;
  /** Ends the attempt. */
  readonly signal?: AbortSignal | undefined;
}

const TIMEOUT_MS = 15_000;

/** What is read of a response, so that receivers see no broken connection. */
const MAX_RESPONSE_BYTES = 4096;
const MAX_READING_MS = 1000;

/**
 * Sends a message with POST, and follows no redirects.
 *
 * @throws {Error} only if it was aborted: whether the receiver got the message is not known
 */
export async function send(message: OutgoingMessage, options: SendOptions): Promise<Outcome> {
  const { allowed, timeoutMs = TIMEOUT_MS, resolve, signal } = options;
  const startMs = performance.now();
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  const signals = signal === undefined ? timeout.signal : AbortSignal.any([timeout.signal, signal]);
  const failed = (reason: string): Outcome => ({
    isSuccess: false,
    isGone: false,
    status: null,
    durationMs: Math.round(performance.now() - startMs),
    reason,
    retryAfterMs: undefined,
  });
  try {
    const target = await abortable(findTarget(message.url, allowed, resolve), signals);
    const { status, headers } = await post(message, target, signals);
    const isSuccess = status >= 200 && status < 300;
    return {
      ...failed(""),
      isSuccess,
      isGone: status === 410,
      status,
      reason: isSuccess ? null : describeStatus(status),
      retryAfterMs: isSuccess ? undefined : parseRetryAfter(headers["retry-after"]),
    };
  } catch (error) {
    signal?.throwIfAborted();
    if (timeout.signal.aborted) {
      return failed(`There was no response within ${Math.round(timeoutMs / 1000)} s`);
    }
    return failed(describeFailure(error));
  } finally {
    clearTimeout(timer);
  }
}

interface Head {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
}

/** Resolves to the head of the response. */
function post({ headers, body }: OutgoingMessage, target: Target, signal: AbortSignal) {
  const { url, addresses } = target;
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise<Head>((resolve, reject) => {
    const sent = request(url, {
      method: "POST",
      headers: { ...headers, "content-length": Buffer.byteLength(body) },
      agent: false,
      lookup: answerWith(addresses),
      signal,
    });
    sent.on("error", reject);
    sent.on("response", (response) => {
      const { statusCode: status = 0, headers } = response;
      resolve({ status, headers });
      const timer = setTimeout(() => sent.destroy(), MAX_READING_MS);
      let bytes = 0;
      response.on("error", () => undefined).on("close", () => clearTimeout(timer));
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_RESPONSE_BYTES) sent.destroy();
      });
    });
    sent.end(body);
  });
}

/** Returns a look-up that knows only the checked addresses. */
function answerWith(addresses: Target["addresses"]): LookupFunction {
  const [first = { address: "", family: 4 }] = addresses;
  return (_host, { all }, callback) => {
    if (all === true) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

/** A look-up of a name cannot be ended, but nobody has to wait for it. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(new Error("Aborted"));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

function describeStatus(status: number): string {
  if (status >= 300 && status < 400) {
    return `The receiver redirects (status ${status}), which is not followed: enter the address to which it redirects`;
  }
  if (status === 410) return "The receiver says that it no longer exists (status 410)";
  return `The receiver answered with status ${status}`;
}

const FAILURES: Readonly<Partial<Record<string, string>>> = {
  ECONNREFUSED: "The receiver refused the connection",
  ECONNRESET: "The receiver closed the connection",
  ENOTFOUND: "The host name is unknown",
  EAI_AGAIN: "The name server did not answer",
  EHOSTUNREACH: "The host cannot be reached",
  ENETUNREACH: "The network cannot be reached",
  ETIMEDOUT: "The host did not answer",
  CERT_HAS_EXPIRED: "The certificate of the receiver has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The certificate of the receiver is signed by itself",
  ERR_TLS_CERT_ALTNAME_INVALID: "The certificate of the receiver is for another host",
};

/** NOTE: messages of errors can contain addresses, and so secrets. */
function describeFailure(error: unknown): string {
  if (error instanceof RefusedTargetError) return error.message;
  const code = codeOf(error) ?? "unknown";
  return FAILURES[code] ?? `The message could not be sent (${code})`;
}

/** Returns the value in milliseconds; undefined if there is none that can be understood. */
function parseRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
