import type { FastifyInstance, FastifyServerOptions } from "fastify";
import { checkNesting, runToEnd } from "flags-engine";
import { BODY_LIMIT_BYTES, toErrorMessage } from "flags-server-kit/neutral";
import type { TrustProxy } from "flags-server-kit";
import {
  type ConnectionGuard,
  createClientErrorHandler,
  createGuardedServer,
  hasBody,
  toTrustOption,
} from "flags-server-kit/http";
import type { RequestTracer } from "flags-server-kit/telemetry";
import { ApiError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { parseQuery } from "./parse-query.ts";
import { toApiError } from "./to-api-error.ts";
import { sendError, toErrorBody } from "./error-handler.ts";

const ERROR_NAMES = {
  400: "BadDataError",
  408: "RequestTimeoutError",
  431: "HeadersTooLargeError",
} as const;

/**
 * Options of the HTTP server, which do not depend on its routes.
 *
 * @param trustProxy whose `X-Forwarded-For` header is trusted @default false
 * @param tracer decides which requests are traced @default none
 */
export function serverOptions(
  guard: ConnectionGuard,
  trustProxy: TrustProxy = false,
  tracer?: Pick<RequestTracer, "begin">,
) {
  return {
    bodyLimit: BODY_LIMIT_BYTES,
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      maxParamLength: 1024,
      querystringParser: parseQuery,
    },
    forceCloseConnections: "idle",
    // Requests that arrive on open connections during shutdown are served.
    return503OnClosing: false,
    trustProxy: toTrustOption(trustProxy),
    serverFactory: (handle) =>
      createGuardedServer(
        guard,
        tracer === undefined
          ? handle
          : (request, response) => {
              tracer.begin(request, response);
              handle(request, response);
            },
      ),
    clientErrorHandler: createClientErrorHandler({
      toBody: ({ statusCode, message }) =>
        toErrorBody(new ApiError(ERROR_NAMES[statusCode], message)),
      isResponding: (socket) => guard.isResponding(socket),
    }),
    frameworkErrors: (error, _request, reply) => {
      sendError(reply, toApiError(error));
    },
  } as const satisfies FastifyServerOptions;
}

/**
 * Makes the app parse JSON bodies and reject others. A request without a body may have any
 * `Content-Type`, because many clients set one on every request.
 *
 * NOTE: keys such as `__proto__` are ordinary names, in particular of flags and variants: no object is ever merged by
 * its keys.
 */
export function readJsonBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser("ignore", "ignore");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/([\w.-]+\+)?json\b/i,
    { parseAs: "string" },
    (request, body, done) => {
      const text = body.toString();
      const problem = findCostly(text);
      if (problem !== undefined) done(problem);
      else if (text === "") done(null, undefined);
      else void parseJson(request, text, done);
    },
  );
  app.addHook("onRequest", (request, _reply, done) => {
    if (!hasBody(request)) delete request.headers["content-type"];
    done();
  });
}

/** How long a list or an object is at least, on average, including its name. Those of real files are longer. */
const CHARACTERS_PER_PART = 8;

/** Finds a body that would cost much more to parse than others of its length. */
function findCostly(body: string): ApiError | undefined {
  try {
    const { partsPerBody, partsPerShortBody } = LIMITS;
    const maxParts = Math.max(partsPerShortBody, body.length / CHARACTERS_PER_PART);
    runToEnd(checkNesting(body, Math.min(partsPerBody, Math.floor(maxParts))));
    return undefined;
  } catch (cause) {
    return new ApiError("BadDataError", toErrorMessage(cause), { cause });
  }
}

const SECURITY_HEADERS = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

/** Prevents browsers from treating responses as anything but data. */
export function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook("onRequest", (_request, reply, done) => {
    reply.headers(SECURITY_HEADERS);
    done();
  });
}

/** Prevents caches from storing the responses of the admin API, some of which contain secrets. */
export function forbidCaching(app: FastifyInstance): void {
  app.addHook("onRequest", (_request, reply, done) => {
    reply.header("cache-control", "no-store");
    done();
  });
}
