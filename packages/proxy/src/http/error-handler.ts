import { randomUUID } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "flags-server-kit";
import { runInTrace, toPathPattern } from "flags-server-kit/http";
import type { RequestTracer } from "flags-server-kit/telemetry";
import { HttpError, toHttpError, unknownPath } from "../errors.ts";

/** How the error responses of some paths are written. */
export interface ErrorFormat {
  /** The start of the paths. Not a route, because some errors, such as an unknown path, have no route. */
  readonly path: string;
  /** Returns the body, which is sent as JSON. */
  toBody(error: HttpError, request: FastifyRequest): object;
}

/** Sends an error. Every response that is not a success passes through here. */
export type SendError = (reply: FastifyReply, error: HttpError) => FastifyReply;

/**
 * Creates the function that sends errors, each in the format of its path.
 *
 * @param formats their paths include the base path
 */
export function createErrorSender(formats: readonly ErrorFormat[]): SendError {
  return (reply, error) => {
    const { request } = reply;
    const path = canonicalPath(request.url);
    const format = formats.find((candidate) => path.startsWith(candidate.path));
    reply
      .code(error.statusCode)
      .removeHeader("etag")
      .headers({ "cache-control": "no-store", ...error.headers });
    exposeRetryAfter(reply);
    return reply
      .type("application/json; charset=utf-8")
      .send(JSON.stringify(format?.toBody(error, request) ?? error.toBody()));
  };
}

const EXPOSED_HEADERS = "access-control-expose-headers";

/** Lets scripts of other origins read how long to wait, as they can read the headers of a success. */
function exposeRetryAfter(reply: FastifyReply): void {
  const exposed = reply.getHeader(EXPOSED_HEADERS);
  if (typeof exposed !== "string" || !reply.hasHeader("retry-after")) return;
  if (/(?:^|,)\s*(?:retry-after|\*)\s*(?:,|$)/i.test(exposed)) return;
  reply.header(EXPOSED_HEADERS, exposed === "" ? "Retry-After" : `${exposed}, Retry-After`);
}

interface ErrorHandlerOptions {
  readonly logger: Logger;
  readonly sendError: SendError;
  /** Adds the ids of traces to errors in the log. @default none */
  readonly tracer?: Pick<RequestTracer, "find"> | undefined;
}

/** Turns every error of the app into a JSON response, and logs those that are not the client's. */
export function handleErrors(
  app: FastifyInstance,
  { logger, sendError, tracer }: ErrorHandlerOptions,
): void {
  app.setErrorHandler((thrown, request, reply) => {
    const error = toHttpError(thrown, request.routeOptions.bodyLimit);
    if (error.statusCode !== 500 || request.socket.destroyed) return sendError(reply, error);
    const id = randomUUID();
    runInTrace(tracer, request.raw, () => logError(error, { request, logger, id }));
    return sendError(
      reply,
      new HttpError(500, `${error.message}: search the log of the proxy for the request ${id}`),
    );
  });
}

interface LoggedRequest {
  readonly request: FastifyRequest;
  readonly logger: Logger;
  readonly id: string;
}

/** Logs an internal error under an id. The client learns only the id. */
function logError(error: HttpError, { request, logger, id }: LoggedRequest): void {
  const where = `${request.method} ${request.routeOptions.url ?? "an unknown path"}`;
  logger.error(`${where} failed (request ${id})`, error.cause);
}

/**
 * Responds with a 404 or 405 to requests without a route. Their bodies are not read: nothing else limits what they cost.
 * Call it before adding routes.
 */
export function handleUnknownPaths(app: FastifyInstance, sendError: SendError): void {
  const routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();
  app.addHook("onRoute", ({ url, method }) => {
    if (url === ANY_PATH) return;
    const path = withoutTrailingSlash(url);
    const route = routes.get(path) ?? { pattern: toPathPattern(path, "exact"), methods: new Set() };
    for (const name of [method].flat()) route.methods.add(name);
    routes.set(path, route);
  });

  const toError = ({ method, url }: FastifyRequest): HttpError => {
    const path = canonicalPath(url);
    const route =
      routes.get(path) ?? [...routes.values()].find(({ pattern }) => pattern.test(path));
    return route === undefined ? unknownPath(path) : wrongMethod(method, route.methods);
  };
  app.addHook("onRequest", (request, _reply, done) => {
    done(request.is404 ? toError(request) : undefined);
  });
  // For `OPTIONS`, which has a route for all paths.
  app.setNotFoundHandler((request, reply) => sendError(reply, toError(request)));
}

/** The route of preflights, which says nothing about the paths that exist. */
const ANY_PATH = "*";

const DISJUNCTION = new Intl.ListFormat("en-GB", { type: "disjunction" });

function wrongMethod(method: string, allowed: ReadonlySet<string>): HttpError {
  const message = `This path does not support ${method}: use ${DISJUNCTION.format(allowed)}`;
  return new HttpError(405, message, { headers: { allow: [...allowed].join(", ") } });
}

/** The path of a URL, without repeated slashes and a trailing one. */
export function canonicalPath(url: string): string {
  const path = url.split("?", 1)[0] ?? "";
  return withoutTrailingSlash(path.replaceAll(/\/{2,}/g, "/"));
}

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}
