import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { toPathPattern } from "flags-server-kit/http";
import type { CorsConfig, CorsOrigin, ProxyConfig } from "../config/config.ts";
import { type RawHeaders, setHeaders } from "./raw-headers.ts";

/**
 * The origins that may read a response: `*` for all of them, true for the origin of the request, false
 * for no CORS headers at all.
 */
type AllowedOrigin = string | boolean | RegExp | readonly (string | RegExp)[];

/** CORS rules that need no function call to find out whether an origin is allowed. */
type FixedCors = CorsConfig & { readonly origin: AllowedOrigin };

const ALLOW_ORIGIN = "access-control-allow-origin";

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

/** Whether the CORS headers of a response are known without calling a function, which may be slow. */
export function hasFixedOrigin(cors: CorsConfig): cors is FixedCors {
  return typeof cors.origin !== "function";
}

/** Whether the CORS headers, and so every response, depend on the origin of the request. */
export function variesOnOrigin({ origin }: CorsConfig): boolean {
  return typeof origin === "function" || (origin !== false && !allowsAll(origin));
}

/**
 * Computes the CORS headers of a response to a request from an origin.
 *
 * @param isOriginRestricted whether the key can be used only from certain origins, and this is one of them
 */
export type CorsHeaders = (
  requestOrigin: string | undefined,
  isOriginRestricted: boolean,
) => RawHeaders;

/** Creates the function that computes the CORS headers of responses. */
export function createCorsHeaders(cors: FixedCors): CorsHeaders {
  const originHeaders = createOriginHeaders(cors);
  const { origin } = cors;
  const forAll = allowsAll(origin) ? originHeaders("*", undefined) : undefined;
  return (requestOrigin, isOriginRestricted) => {
    if (forAll === undefined) return originHeaders(origin, requestOrigin);
    return isOriginRestricted ? originHeaders(true, requestOrigin) : forAll;
  };
}

/**
 * Lets only the origin of the request read a response of the framework, if all could otherwise: the key can
 * be used only from certain origins, and this is one of them.
 */
export function allowOnlyOrigin(reply: FastifyReply, requestOrigin: string | undefined): void {
  if (reply.getHeader(ALLOW_ORIGIN) !== "*") return;
  if (requestOrigin === undefined) reply.removeHeader(ALLOW_ORIGIN);
  else reply.header(ALLOW_ORIGIN, requestOrigin);
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether responses, and those to preflights, have CORS headers. @default true */
    hasCors?: boolean;
  }
}

/** Sets the CORS headers of responses, and responds to preflights before any other hook runs. */
export function registerCors(
  app: FastifyInstance,
  { cors, clientKeysHeaderName }: Pick<ProxyConfig, "cors" | "clientKeysHeaderName">,
): void {
  const originHeaders = createOriginHeaders(cors);
  const sdkHeaders = [...SDK_HEADERS, clientKeysHeaderName.toLowerCase()];
  const preflighted = new WeakSet<FastifyRequest>();
  const routes: RouteOptions[] = [];
  let withoutCors: readonly RegExp[] = [];
  app.addHook("onRoute", (route) => void routes.push(route));
  // Only now: the scopes of routes add to their `config`.
  app.addHook("onReady", async () => {
    const urls = routes.filter(({ config }) => config?.hasCors === false).map(({ url }) => url);
    withoutCors = [...new Set(urls)].map((url) => toPathPattern(url, "lenient"));
  });
  const hasCors = ({ method, url, is404, routeOptions: { config } }: FastifyRequest): boolean => {
    if (method !== "OPTIONS" && !is404) return config.hasCors ?? true;
    // Preflights, and requests with a method that the path does not support, have a route of their own.
    const [path = ""] = url.split("?", 1);
    return !withoutCors.some((pattern) => pattern.test(path));
  };

  app.addHook("onRequest", (request, reply, done) => {
    if (!hasCors(request)) {
      done();
      return;
    }
    if (variesOnOrigin(cors)) addVary(reply, "Origin");
    resolveOrigin(cors.origin, request.headers.origin, (error, allowed) => {
      if (error !== undefined) {
        done(error);
        return;
      }
      if (allowed !== false) setHeaders(reply, originHeaders(allowed, request.headers.origin));
      if (allowed === false || request.method !== "OPTIONS") {
        done();
        return;
      }
      preflighted.add(request);
      setPreflightHeaders(request, reply, cors, sdkHeaders);
      if (cors.preflightContinue) done();
      else reply.code(cors.optionsSuccessStatus).header("content-length", "0").send();
    });
  });
  // Without a route for it, the framework would respond to a preflight with a 404.
  app.options("*", { schema: { hide: true } }, (request, reply) => {
    if (preflighted.has(request)) reply.send();
    else reply.callNotFound();
  });
}

function allowsAll(origin: AllowedOrigin): boolean {
  return origin === "*" || (Array.isArray(origin) && origin.includes("*"));
}

function createOriginHeaders({ credentials, exposedHeaders }: CorsConfig) {
  const always = [
    ...(credentials ? ["access-control-allow-credentials", "true"] : []),
    "access-control-expose-headers",
    exposedHeaders.join(", "),
  ];
  return (allowed: AllowedOrigin, requestOrigin: string | undefined): RawHeaders => {
    if (allowed === false) return [];
    const origin = allowedOrigin(allowed, requestOrigin);
    return origin === undefined ? always : [ALLOW_ORIGIN, origin, ...always];
  };
}

/** The value of `Access-Control-Allow-Origin`; undefined if the origin is not allowed. */
function allowedOrigin(
  allowed: AllowedOrigin,
  requestOrigin: string | undefined,
): string | undefined {
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

type OriginCallback = (error: Error | undefined, allowed: AllowedOrigin) => void;

/** Calls back with the allowed origins: immediately, unless a function decides later. */
function resolveOrigin(
  origin: CorsOrigin,
  requestOrigin: string | undefined,
  callback: OriginCallback,
): void {
  if (typeof origin !== "function") {
    callback(undefined, origin);
    return;
  }
  // NOTE: an async function that calls the callback also returns a promise, which then means nothing.
  let isFinished = false;
  const finish = (error: unknown, allowed: unknown): void => {
    if (isFinished) return;
    isFinished = true;
    if (error !== null && error !== undefined) callback(toError(error), false);
    else if (isAllowedOrigin(allowed)) callback(undefined, allowed);
    else callback(new TypeError(NO_ORIGIN), false);
  };
  const result: unknown = origin(requestOrigin, finish);
  if (typeof result !== "object" || result === null || !("then" in result)) return;
  Promise.resolve(result).then(
    (allowed) => finish(undefined, allowed),
    (error: unknown) => finish(error ?? new Error("The origin was rejected"), false),
  );
}

function isAllowedOrigin(value: unknown): value is AllowedOrigin {
  if (typeof value === "string") return value !== "";
  return typeof value === "boolean" || value instanceof RegExp || Array.isArray(value);
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function setPreflightHeaders(
  request: FastifyRequest,
  reply: FastifyReply,
  { methods, allowedHeaders, maxAgeSeconds }: CorsConfig,
  sdkHeaders: readonly string[],
): void {
  reply.header("access-control-allow-methods", methods.join(", "));
  reply.header("access-control-max-age", String(maxAgeSeconds));
  if (allowedHeaders !== undefined) {
    reply.header("access-control-allow-headers", allowedHeaders.join(", "));
    return;
  }
  addVary(reply, "Access-Control-Request-Headers");
  const requested = request.headers["access-control-request-headers"] ?? "";
  const names = requested
    .toLowerCase()
    .split(",")
    .map((name) => name.trim());
  const allowed = new Set([...sdkHeaders, ...names].filter(Boolean));
  reply.header("access-control-allow-headers", [...allowed].join(", "));
}

function addVary(reply: FastifyReply, header: string): void {
  const existing = reply.getHeader("vary");
  reply.header("vary", existing === undefined ? header : `${String(existing)}, ${header}`);
}
