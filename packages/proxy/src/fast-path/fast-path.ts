import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { FastifyServerFactory } from "fastify";
import {
  type ConnectionGuard,
  createGuardedServer,
  findRepeatedHeader,
  type ObserveRequest,
  type TlsFiles,
} from "flags-server-kit/http";
import type { RequestTracer, TracedRequest } from "flags-server-kit/telemetry";
import type { Logger } from "flags-server-kit";
import { checkNesting, runToEnd, type Snapshot } from "flags-engine";
import {
  acceptUnsigned,
  cacheKeyOf,
  admitRequest,
  type Grant,
  isOriginRestricted,
  requiresSignature,
} from "../access/grant.ts";
import type { KeyRegistry } from "../access/key-registry.ts";
import type { KeyUses } from "../access/key-uses.ts";
import type { FlagRequest, Protocol, RequestBody } from "../api/protocol.ts";
import type { ProxyConfig } from "../config/config.ts";
import { buildContext, dependsOnSentAlone } from "../context/request-context.ts";
import { parseQueryContext } from "../context/sent-context.ts";
import { type CorsHeaders, createCorsHeaders, hasFixedOrigin } from "../http/cors.ts";
import { adoptForwarded } from "../http/forwarded-header.ts";
import { isValid } from "../http/validation.ts";
import { evaluateFlags, isShareable } from "../response/evaluate-flags.ts";
import {
  type FlagResponse,
  headersFor,
  type PreparedResponse,
} from "../response/prepare-response.ts";
import type { ResponseCache } from "../response/response-cache.ts";
import { isCommonGet, isCommonPost, readShortBody } from "./common-request.ts";

const CLIENT_KEYS = ["client"] as const;

interface FastPathDependencies {
  readonly keys: KeyRegistry;
  readonly uses: KeyUses;
  readonly protocols: readonly Protocol[];
  readonly observe: ObserveRequest;
  readonly cache: ResponseCache;
}

/**
 * Creates the fast paths of an app: one for each path of each protocol that allows it. None if the
 * configuration contains functions that may be asynchronous.
 */
export function createFastPaths(
  { cors, basePath, contextEnrichers, logger }: ProxyConfig,
  { keys, uses, protocols, observe, cache }: FastPathDependencies,
): readonly FastPath[] {
  if (contextEnrichers.length > 0 || !hasFixedOrigin(cors)) return [];
  const shared = {
    keys,
    uses,
    corsHeaders: createCorsHeaders(cors),
    logger,
    observe,
    // NOTE: cache keys contain the path, so all paths share one cache and one limit.
    cache,
  };
  return protocols.flatMap((protocol) => {
    const { fastPath, paths } = protocol.definition;
    if (fastPath === undefined) return [];
    const { body } = fastPath;
    return paths.map((path) => new FastPath({ ...shared, path: basePath + path, protocol, body }));
  });
}

interface ServerOptions {
  readonly guard: ConnectionGuard;
  /** Whether the proxy responds to requests yet. Not called again after it has returned true. */
  readonly isReady: () => boolean;
  /** Whether the caller of a request is allowed. Undefined: all are. */
  readonly isAllowed: ((request: IncomingMessage) => boolean) | undefined;
  /** Whether the headers of some peers are trusted. */
  readonly readsForwarded: boolean;
  /** Undefined: plain HTTP. */
  readonly tls: TlsFiles | undefined;
  /** Decides which requests are traced. Undefined: none. */
  readonly tracer: Pick<RequestTracer, "begin"> | undefined;
}

/** Creates the HTTP server. A request goes to the fast path that can handle it, or else to the framework. */
export function createServerFactory(
  fastPaths: readonly FastPath[],
  { guard, isReady, isAllowed, readsForwarded, tls, tracer }: ServerOptions,
): FastifyServerFactory {
  let hasBeenReady = false;
  return (handleInFramework) =>
    createGuardedServer(
      guard,
      (request, response) => {
        hasBeenReady ||= isReady();
        if (readsForwarded) adoptForwarded(request.headers);
        const fastPath = fastPaths.find((path) => path.canHandle(request));
        const traced = tracer?.begin(request, response);
        // The framework responds to requests that come too early or are not allowed.
        if (fastPath === undefined || !hasBeenReady || isAllowed?.(request) === false) {
          handleInFramework(request, response);
        } else {
          fastPath.handle(request, response, { handleInFramework, traced });
        }
      },
      tls,
    );
}

interface FastPathOptions {
  /** The path of the list of flags, base path included. */
  readonly path: string;
  readonly keys: KeyRegistry;
  readonly uses: KeyUses;
  readonly protocol: Protocol;
  readonly body: RequestBody;
  readonly corsHeaders: CorsHeaders;
  readonly logger: Logger;
  readonly observe: ObserveRequest;
  readonly cache: ResponseCache;
}

/** A request with a valid key. */
interface AuthenticatedRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly grant: Grant;
  readonly startMs: number;
  /** Undefined: the request is not traced. */
  readonly traced: TracedRequest | undefined;
}

interface Handling {
  readonly handleInFramework: RequestListener;
  /** Undefined: the request is not traced. */
  readonly traced: TracedRequest | undefined;
}

/**
 * A hot path: `GET` and `POST` of one list of flags, with a valid key and a valid context. It sends the
 * same bytes as the routes do (fast-path*.test.ts compare them) without the framework's overhead. Every
 * other request, and every one that ends in an error, is passed on to the framework.
 */
class FastPath {
  readonly #options: FastPathOptions;
  #isClosed = false;

  constructor(options: FastPathOptions) {
    this.#options = options;
  }

  /** Passes on all requests from now on: the framework drains connections. */
  close(): void {
    this.#isClosed = true;
  }

  /** Whether a request looks like one that can be handled here; `handle()` may still pass it on. */
  canHandle(request: IncomingMessage): boolean {
    const { path } = this.#options;
    return !this.#isClosed && (isCommonGet(request, path) || isCommonPost(request, path));
  }

  /** Handles a request, or passes it on to the framework, immediately or later. */
  handle(
    request: IncomingMessage,
    response: ServerResponse,
    { handleInFramework, traced }: Handling,
  ): void {
    const startMs = performance.now();
    const grant = this.#grantFor(request);
    // NOTE: the framework finds the same error (see `admit()`), and responds with its message. It also
    // verifies signatures: no cached response may be sent before that.
    if (
      grant?.flags.snapshot === undefined ||
      requiresSignature(grant) ||
      admitRequest(grant, request) !== undefined
    ) {
      handleInFramework(request, response);
      return;
    }
    const { url = "" } = request;
    const { definition } = this.#options.protocol;
    const authenticated = { request, response, grant, startMs, traced };
    const passOn = (): void => handleInFramework(request, response);
    if (request.method === "POST") {
      // NOTE: no URL contains a line break, so this text never equals that of a GET.
      const respond = (body: string): boolean =>
        this.#respond(authenticated, `${url}\n${body}`, () => this.#parseBody(body));
      readShortBody(request, respond, passOn);
    } else if (
      !this.#respond(authenticated, url, () => ({ sent: parseQueryContext(url, definition) }))
    ) {
      passOn();
    }
  }

  #grantFor({ headers, rawHeaders }: IncomingMessage): Grant | undefined {
    const { keys, protocol } = this.#options;
    const { keyExtractor } = protocol;
    if (findRepeatedHeader(rawHeaders, keyExtractor.headers) !== undefined) return undefined;
    return keys.findFirst(keyExtractor.candidates(headers), CLIENT_KEYS);
  }

  /** @throws if the framework would reject the body */
  #parseBody(text: string): FlagRequest {
    const { body } = this.#options;
    runToEnd(checkNesting(text));
    const value: unknown = JSON.parse(text);
    if (!isValid(body.schema, value)) throw new TypeError("The body does not match its schema");
    return body.read(value);
  }

  /**
   * Computes and schedules the response; returns false if the framework has to respond.
   *
   * @param text everything the client sent that the response depends on, apart from its key
   */
  #respond(authenticated: AuthenticatedRequest, text: string, parse: () => FlagRequest): boolean {
    const { uses, path, protocol } = this.#options;
    const { request, grant, traced } = authenticated;
    const { snapshot } = grant.flags;
    if (snapshot === undefined) return false;
    let prepared: PreparedResponse | Promise<PreparedResponse>;
    try {
      const flags = this.#findFlags(authenticated, snapshot, { text, parse });
      prepared = protocol.preparer.prepare(request.headers, flags);
    } catch {
      // The framework finds the same error, and responds with its message.
      return false;
    }
    // Only now: the framework counts the requests that are passed on.
    uses.count(grant);
    traced?.setRoute(path);
    if (prepared instanceof Promise) {
      this.#writeWhenReady(authenticated, prepared);
    } else {
      // NOTE: responses are sent after all requests of this event-loop tick have been read. Sending wakes
      // the reader, which then competes for the processor with the requests that are still unread; this
      // can make them 50% more expensive. Node releases what was sent between two immediates.
      const ready = prepared;
      setImmediate(() => this.#write(authenticated, ready));
    }
    return true;
  }

  /**
   * Returns the cached response, or evaluates the flags.
   *
   * @throws if the request is invalid
   */
  #findFlags(
    authenticated: AuthenticatedRequest,
    snapshot: Snapshot,
    { text, parse }: { readonly text: string; readonly parse: () => FlagRequest },
  ): FlagResponse {
    const { cache, protocol } = this.#options;
    const { request, grant, traced } = authenticated;
    const cacheKey = cache.keyOf(snapshot, `${cacheKeyOf(grant)}\n${text}`);
    // The evaluations of a traced request are reported, and a cached response does not contain them.
    const cached = traced === undefined ? cache.get(cacheKey) : undefined;
    // A cached body keeps its compressed forms itself, so it need not be shared.
    if (cached !== undefined) {
      return { body: cached, isShareable: false, headers: headersFor(protocol, grant, true) };
    }
    const selection = parse();
    const sent = acceptUnsigned(grant, selection.sent);
    const context = buildContext({ request, sent, snapshot }, protocol.contextRules);
    const evaluated = evaluateFlags(protocol, snapshot, context, selection);
    const { body, outcomes } = evaluated;
    if (traced !== undefined) {
      const { source } = grant.flags;
      protocol.reporter?.report(request, { source, snapshot, selection, outcomes, context });
    }
    const isSame = dependsOnSentAlone(sent, evaluated);
    if (isSame && evaluated.isRepeatable) cache.offer(cacheKey, body);
    return {
      body,
      isShareable: isShareable(selection),
      headers: headersFor(protocol, grant, isSame),
    };
  }

  /** Handles a rejection immediately: one that is unhandled at the end of a tick ends the process. */
  #writeWhenReady(authenticated: AuthenticatedRequest, prepared: Promise<PreparedResponse>): void {
    prepared
      .then((ready) => this.#write(authenticated, ready))
      .catch((error: unknown) => {
        const { request, response } = authenticated;
        this.#options.logger.error(`${request.method} ${this.#options.path} failed`, error);
        // Not passed on: the body of a POST has been read.
        response.destroy();
      });
  }

  #write(
    { request, response, grant, startMs }: AuthenticatedRequest,
    { status, headers, bytes }: PreparedResponse,
  ): void {
    const { corsHeaders, observe, path } = this.#options;
    headers.push(...corsHeaders(request.headers.origin, isOriginRestricted(grant)));
    response.writeHead(status, headers);
    if (bytes === undefined) response.end();
    else response.end(bytes, "latin1");
    const seconds = (performance.now() - startMs) / 1000;
    observe({ method: request.method ?? "", route: path, status, seconds });
  }
}
