import type { CorsConfig, CorsOrigin, ProxyConfig } from "../../config/config.ts";
import { emptyReply, type Reply, type ReplyHeaders } from "../http/reply.ts";
import type { ProxyRequest } from "../http/request.ts";

/** The origins that may read a response: true for that of the request, false for no CORS headers at all. */
export type AllowedOrigin = string | boolean | RegExp | readonly (string | RegExp)[];

/** Headers that client SDKs send, across all their versions. */
const SDK_HEADERS = [
  "authorization",
  "content-type",
  "accept",
  "if-none-match",
  "last-event-id",
  "x-api-key",
  "unleash-appname",
  "unleash-connection-id",
  "unleash-instanceid",
  "unleash-sdk",
  "unleash-sdk-flavor",
  "unleash-sdk-flavor-version",
  "x-unleash-appname",
  "x-unleash-connection-id",
  "x-unleash-sdk",
  "cache",
] as const;

export function variesOnOrigin({ origin }: CorsConfig): boolean {
  return typeof origin === "function" || (origin !== false && !allowsAll(origin));
}

interface CorsSubject {
  readonly allowedOrigin: AllowedOrigin;
  readonly isOriginRestricted: boolean;
  /** Whether scripts have to read `Retry-After`. */
  readonly hasRetryAfter: boolean;
}

export class Cors {
  readonly variesOnOrigin: boolean;
  readonly #config: CorsConfig;
  readonly #sdkHeaders: readonly string[];
  readonly #always: ReplyHeaders;
  readonly #withRetryAfter: ReplyHeaders;

  constructor({ cors, clientKeysHeaderName }: Pick<ProxyConfig, "cors" | "clientKeysHeaderName">) {
    this.#config = cors;
    this.#sdkHeaders = [...SDK_HEADERS, clientKeysHeaderName.toLowerCase()];
    this.variesOnOrigin = variesOnOrigin(cors);
    const { credentials, exposedHeaders } = cors;
    const expose = (names: readonly string[]): ReplyHeaders => ({
      ...(credentials && { "access-control-allow-credentials": "true" }),
      "access-control-expose-headers": names.join(", "),
    });
    this.#always = expose(exposedHeaders);
    const isExposed = exposedHeaders.some((name) => /^(?:retry-after|\*)$/i.test(name.trim()));
    this.#withRetryAfter = isExposed ? this.#always : expose([...exposedHeaders, "Retry-After"]);
  }

  /** Returns the allowed origins: a promise only if a function decides later. */
  resolve(requestOrigin: string | undefined): AllowedOrigin | Promise<AllowedOrigin> {
    const { origin } = this.#config;
    return typeof origin === "function" ? callOriginFunction(origin, requestOrigin) : origin;
  }

  addHeaders(
    headers: Record<string, string>,
    requestOrigin: string | undefined,
    { allowedOrigin, isOriginRestricted, hasRetryAfter }: CorsSubject,
  ): void {
    if (this.variesOnOrigin) headers["vary"] ??= "Origin";
    if (allowedOrigin === false) return;
    const allowed = isOriginRestricted && allowsAll(allowedOrigin) ? true : allowedOrigin;
    const origin = toHeader(allowed, requestOrigin);
    if (origin !== undefined) headers["access-control-allow-origin"] = origin;
    Object.assign(headers, hasRetryAfter ? this.#withRetryAfter : this.#always);
  }

  preflight({ headers }: ProxyRequest): Reply {
    const { methods, allowedHeaders, maxAgeSeconds, optionsSuccessStatus, preflightContinue } =
      this.#config;
    const requested = (headers["access-control-request-headers"] ?? "")
      .toLowerCase()
      .split(",")
      .map((name) => name.trim());
    const vary = [
      ...(this.variesOnOrigin ? ["Origin"] : []),
      ...(allowedHeaders === undefined ? ["Access-Control-Request-Headers"] : []),
    ];
    const allowed =
      allowedHeaders ?? new Set([...this.#sdkHeaders, ...requested].filter((name) => name !== ""));
    return emptyReply(preflightContinue ? 200 : optionsSuccessStatus, {
      ...(vary.length > 0 && { vary: vary.join(", ") }),
      "access-control-allow-methods": methods.join(", "),
      "access-control-max-age": String(maxAgeSeconds),
      "access-control-allow-headers": [...allowed].join(", "),
    });
  }

  /** Whether preflights are handled like other requests. */
  get continuesPreflights(): boolean {
    return this.#config.preflightContinue;
  }
}

function allowsAll(origin: AllowedOrigin): boolean {
  return origin === "*" || (Array.isArray(origin) && origin.includes("*"));
}

function toHeader(allowed: AllowedOrigin, requestOrigin: string | undefined): string | undefined {
  if (allowsAll(allowed)) return "*";
  if (typeof allowed === "string") return allowed;
  return requestOrigin !== undefined && matches(allowed, requestOrigin) ? requestOrigin : undefined;
}

function matches(allowed: AllowedOrigin, requestOrigin: string): boolean {
  if (typeof allowed === "boolean") return allowed;
  if (typeof allowed === "string") return allowed === requestOrigin;
  if (!(allowed instanceof RegExp)) return allowed.some((entry) => matches(entry, requestOrigin));
  // NOTE: a pattern with the flag `g` would continue where its previous match ended.
  allowed.lastIndex = 0;
  return allowed.test(requestOrigin);
}

const NO_ORIGIN =
  "The function in `cors.origin` must return or call back with an origin, a regular expression, a list of them, true or false";

/** The function returns, calls back, or returns a promise. */
function callOriginFunction(
  decide: Extract<CorsOrigin, (...args: never) => unknown>,
  requestOrigin: string | undefined,
): AllowedOrigin | Promise<AllowedOrigin> {
  return new Promise<unknown>((resolve, reject) => {
    const result: unknown = decide(requestOrigin, (error, allowed) => {
      if (error === null || error === undefined) resolve(allowed);
      else reject(toError(error));
    });
    // NOTE: an async function that calls the callback also returns a promise, which then means nothing.
    if (typeof result === "object" && result !== null && "then" in result) resolve(result);
  }).then(checkOrigin);
}

function checkOrigin(allowed: unknown): AllowedOrigin {
  if (isAllowedOrigin(allowed)) return allowed;
  throw new TypeError(NO_ORIGIN);
}

const HEADER_VALUE = /^[\t -~\u0080-\u00FF]+$/;

function isAllowedOrigin(value: unknown): value is AllowedOrigin {
  if (typeof value === "string") return HEADER_VALUE.test(value);
  if (Array.isArray(value)) {
    return value.every((entry) => typeof entry === "string" || isAllowedOrigin(entry));
  }
  return typeof value === "boolean" || value instanceof RegExp;
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
