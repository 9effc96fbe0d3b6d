import type { Server } from "node:http";
import type { FastifyHttpOptions } from "fastify";
import {
  type ConnectionGuard,
  createClientErrorHandler,
  HTTP_SERVER_OPTIONS,
  SERVER_DEFAULTS,
} from "flags-service/http";
import { ApiError } from "../errors.ts";
import { toApiError } from "../to-api-error.ts";
import { sendFailure, toFailureBody } from "./failures.ts";

const NAME_BY_CLIENT_FAULT = {
  400: "BadDataError",
  408: "RequestTimeoutError",
  431: "HeadersTooLargeError",
} as const;

/** How the HTTP server behaves, whatever it serves. */
export function serverOptions(guard: ConnectionGuard) {
  return {
    ...SERVER_DEFAULTS,
    http: HTTP_SERVER_OPTIONS,
    ajv: {
      customOptions: {
        // What is sent is what is meant: nothing is converted, added or left out on the way.
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        allErrors: false,
        allowUnionTypes: true,
      },
    },
    // NOTE: the framework sets these two again.
    keepAliveTimeout: HTTP_SERVER_OPTIONS.keepAliveTimeout,
    requestTimeout: HTTP_SERVER_OPTIONS.requestTimeout,
    clientErrorHandler: createClientErrorHandler({
      toBody: ({ statusCode, message }) =>
        toFailureBody(new ApiError(NAME_BY_CLIENT_FAULT[statusCode], message)),
      isResponding: (socket) => guard.isResponding(socket),
    }),
    frameworkErrors: (error, _request, reply) => {
      sendFailure(reply, toApiError(error));
    },
  } as const satisfies FastifyHttpOptions<Server>;
}
