import { randomUUID } from "node:crypto";
import { BODY_LIMIT_BYTES, NO_ROUTE, NOT_JSON } from "flags-server-kit/neutral";
import { Call } from "./call.ts";
import type { Cors } from "./cors.ts";
import { addressNotAllowed, CLOSING, HttpError, notReady, toHttpError } from "../http/errors.ts";
import { jsonReply, type Reply } from "../http/reply.ts";
import type { ProxyRequest, ReadBody } from "../http/request.ts";
import type { Route } from "./route.ts";
import { canonicalPath, type Match, Router } from "./router.ts";

export interface ErrorFormat {
  /** The start of the paths, base path included. Not a route, because an unknown path has none. */
  readonly path: string;
  /** @param name the flag that the path names, if any */
  toBody(error: HttpError, name: string | undefined): object;
}

const ANY_PATH = "*";

export interface HandledReply extends Reply {
  readonly route: string;
  /** Whether the proxy has nothing to say about the request, so that a program that embeds it may handle it. */
  readonly isUnhandled: boolean;
  /** Whether such a program responds to a preflight, with the headers of this reply. */
  readonly isContinued: boolean;
}

interface Failure {
  readonly request: ProxyRequest;
  /** Says what failed, with the id that the client got. */
  readonly message: string;
  readonly cause: unknown;
}

export interface HandlerOptions {
  /** Empty, or with a leading and without a trailing slash. */
  readonly basePath: string;
  readonly routes: readonly Route[];
  readonly cors?: Cors | undefined;
  readonly errorFormats?: readonly ErrorFormat[];
  readonly isAllowed?: ((request: ProxyRequest) => boolean) | undefined;
  readonly isOwnHost: (request: ProxyRequest) => boolean;
  /** Whether the sources are ready. Not called again after it has returned true. */
  readonly isReady: () => boolean;
  readonly onFailure: (failure: Failure) => void;
  readonly onRoute?: ((request: ProxyRequest, route: string) => void) | undefined;
}

class RoutedCall extends Call {
  readonly match: Match;
  readonly route: Route | undefined;

  constructor(request: ProxyRequest, match: Match) {
    const route = match.found?.methods.get(request.method ?? "");
    super(request, match.params, route?.body);
    this.match = match;
    this.route = route;
  }
}

/**
 * The only way from a request to a response, for every protocol and every adapter. It checks a request in this
 * order: origin, address, path, `Host`, readiness, method, key, body.
 */
export class Handler {
  readonly #options: HandlerOptions;
  readonly #router: Router;
  #hasBeenReady = false;

  constructor(options: HandlerOptions) {
    this.#options = options;
    this.#router = new Router(options.basePath, options.routes);
  }

  /** Handles a request: synchronously unless something must wait, such as for the body. Never rejects. */
  handle(request: ProxyRequest, readBody: ReadBody): HandledReply | Promise<HandledReply> {
    const call = new RoutedCall(request, this.#router.find(request.url ?? ""));
    let reply: Reply | Promise<Reply>;
    try {
      reply = this.#respond(call, readBody);
    } catch (error) {
      return this.#fail(call, error);
    }
    if (!(reply instanceof Promise)) return this.#finish(call, reply);
    return reply.then(
      (ready) => this.#finish(call, ready),
      (error: unknown) => this.#fail(call, error),
    );
  }

  #respond(call: RoutedCall, readBody: ReadBody): Reply | Promise<Reply> {
    const { cors } = this.#options;
    if (cors === undefined || !hasCors(call)) return this.#check(call, readBody);
    const proceed = (origin: RoutedCall["allowedOrigin"]): Reply | Promise<Reply> => {
      call.allowedOrigin = origin;
      const isPreflight = call.request.method === "OPTIONS" && origin !== false;
      return isPreflight ? cors.preflight(call.request) : this.#check(call, readBody);
    };
    const allowed = cors.resolve(call.request.headers.origin);
    return allowed instanceof Promise ? allowed.then(proceed) : proceed(allowed);
  }

  #check(call: RoutedCall, readBody: ReadBody): Reply | Promise<Reply> {
    const { request, match } = call;
    const { isAllowed, onRoute } = this.#options;
    if (isAllowed?.(request) === false) throw addressNotAllowed();
    this.#checkTarget(call);
    if (match.error !== undefined) throw match.error;
    const { route } = call;
    if (route === undefined) throw this.#missing(call);
    onRoute?.(request, match.found?.path ?? NO_ROUTE);
    const checked = route.authenticate?.(call);
    return checked instanceof Promise
      ? checked.then(() => handleRoute(route, call, readBody))
      : handleRoute(route, call, readBody);
  }

  #checkTarget({ request, route, match: { isMisspelled, isLenient } }: RoutedCall): void {
    const { isOwnHost, isReady } = this.#options;
    const isExact = route?.audience.pathForm === "exact";
    if (isMisspelled === true || (isLenient === true && isExact)) throw unknownPath();
    if (route?.audience.checksHost === true && !isOwnHost(request)) {
      throw new HttpError(
        421,
        "The `Host` of this request is not a name of this proxy: add it to `allowedHosts` (ALLOWED_HOSTS), without its port",
      );
    }
    if (route?.isAlwaysAvailable === true) return;
    this.#hasBeenReady ||= isReady();
    if (!this.#hasBeenReady) throw notReady();
  }

  #missing({ request: { method = "" }, match: { path, found } }: RoutedCall): HttpError {
    if (found === undefined) return unknownPath(path);
    const allowed = [...found.methods.keys()];
    const list = new Intl.ListFormat("en-GB", { type: "disjunction" }).format(allowed);
    const message = `This path does not support ${method}: use ${list}`;
    return new HttpError(405, message, { headers: { allow: allowed.join(", ") } });
  }

  #finish(call: RoutedCall, reply: Reply, hasRetryAfter = false): HandledReply {
    const { request, match } = call;
    const { cors } = this.#options;
    const { headers } = reply;
    if (cors !== undefined && hasCors(call)) {
      const { allowedOrigin, isOriginRestricted } = call;
      const subject = { allowedOrigin, isOriginRestricted, hasRetryAfter };
      cors.addHeaders(headers, request.headers.origin, subject);
    }
    const isPreflight = request.method === "OPTIONS" && call.allowedOrigin !== false;
    // NOTE: not spread, because every request comes here.
    const { status, body, isShareable, stream } = reply;
    const isContinued = isPreflight && cors?.continuesPreflights === true;
    return {
      status,
      headers,
      body,
      isShareable,
      stream,
      route: this.#labelOf(call, isPreflight),
      isUnhandled: isContinued || match.found === undefined,
      isContinued,
    };
  }

  #labelOf({ route, match: { found } }: RoutedCall, isPreflight: boolean): string {
    if (isPreflight) return ANY_PATH;
    return route === undefined ? NO_ROUTE : (found?.path ?? NO_ROUTE);
  }

  #fail(call: RoutedCall, thrown: unknown): HandledReply {
    const error = this.#identify(call, toHttpError(thrown));
    const { request, route, match } = call;
    const path = canonicalPath(request.url?.split("?", 1)[0] ?? "");
    const format = this.#options.errorFormats?.find((candidate) => path.startsWith(candidate.path));
    const name = route && (match.params["key"] ?? match.params["*"]);
    const body = format?.toBody(error, name) ?? error.toBody();
    const headers = { "cache-control": "no-store", ...error.headers };
    const hasRetryAfter = error.headers["retry-after"] !== undefined;
    return this.#finish(call, jsonReply(body, headers, error.statusCode), hasRetryAfter);
  }

  /** Logs an internal error under an id. The client learns only the id. */
  #identify({ request, route, match }: RoutedCall, error: HttpError): HttpError {
    if (error.statusCode !== 500 || request.socket.destroyed === true) return error;
    const id = randomUUID();
    const where = `${request.method} ${route === undefined ? "an unknown path" : match.found?.path}`;
    const message = `${where} failed (request ${id})`;
    this.#options.onFailure({ request, message, cause: error.cause });
    return new HttpError(
      500,
      `${error.message}: search the log of the proxy for the request ${id}`,
    );
  }
}

function unknownPath(path?: string): HttpError {
  // Where the upstream serves all of its APIs.
  const hint =
    path?.endsWith("/api") === true
      ? "client SDKs use `/api/frontend` or `/proxy`"
      : "check the path and the base path";
  return new HttpError(404, `No such path: ${hint}`);
}

/** Whether pages of other origins may read the response. A path that cannot be decoded belongs to nobody. */
function hasCors({ match: { found, error } }: RoutedCall): boolean {
  return error === undefined && (found?.hasCors ?? true);
}

function handleRoute(route: Route, call: Call, readBody: ReadBody): Reply | Promise<Reply> {
  const error = route.check?.(call.grant);
  if (error !== undefined) throw error;
  if (route.body === undefined) return route.handle(call);
  if (!isJson(call.request.headers["content-type"])) {
    throw new HttpError(415, NOT_JSON, { headers: CLOSING });
  }
  const { limitBytes = BODY_LIMIT_BYTES } = route.body;
  const text = readBody({ limitBytes, key: call.key });
  const proceed = (body: string): Reply | Promise<Reply> => {
    call.text = body;
    return route.handle(call);
  };
  return typeof text === "string" ? proceed(text) : text.then(proceed);
}

function isJson(contentType = ""): boolean {
  if (contentType === "application/json" || contentType.trim() === "") return true;
  return contentType.split(";", 1)[0]?.trim().toLowerCase() === "application/json";
}
