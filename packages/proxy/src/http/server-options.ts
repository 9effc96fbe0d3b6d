import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { FastifyServerFactory, FastifyServerOptions } from "fastify";
import type { FlagSource } from "flags-sdk";
import type { ProxyConfig } from "../config/config.ts";
import { BODY_LIMIT_BYTES, notReady, toHttpError } from "../errors.ts";
import { isReady } from "../readiness/readiness.ts";
import { answerClientError } from "./client-error.ts";
import { sendFailure } from "./failures.ts";

/** How the HTTP server behaves, whatever it serves. */
export function serverOptions({ trustProxy }: ProxyConfig, sources: readonly FlagSource[]) {
  return {
    bodyLimit: BODY_LIMIT_BYTES,
    trustProxy: typeof trustProxy === "boolean" ? trustProxy : [...trustProxy],
    routerOptions: {
      ignoreTrailingSlash: true,
      // Flutter's client joins its base URL and path without looking at slashes.
      ignoreDuplicateSlashes: true,
      maxParamLength: 1024,
    },
    // Keys such as `__proto__` are ordinary names here; nothing is ever merged by them.
    onProtoPoisoning: "ignore",
    onConstructorPoisoning: "ignore",
    forceCloseConnections: "idle",
    // A request that still arrives on an open connection during shutdown is answered.
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    // Paths that cannot even be routed pass by all hooks, the readiness gate among them.
    frameworkErrors: (error, _request, reply) => {
      sendFailure(reply, isReady(sources) ? toHttpError(error) : notReady());
    },
  } as const satisfies FastifyServerOptions;
}

/** Answers a request, or leaves it and returns false. */
export type Shortcut = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Makes the HTTP server: every request is offered to the shortcut before the framework gets it. */
export function serverFactory(shortcut: Shortcut): FastifyServerFactory {
  return (handle) => {
    const server = createServer((request, response) => {
      if (!shortcut(request, response)) handle(request, response);
    });
    // Longer than the 60 s after which the usual load balancers drop an idle connection, or one
    // would send a request just as we hang up.
    server.keepAliveTimeout = 72_000;
    server.requestTimeout = 30_000;
    return server;
  };
}
