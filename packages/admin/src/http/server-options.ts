import type { FastifyServerOptions } from "fastify";
import {
  type ConnectionGuard,
  createClientErrorHandler,
  createGuardedServer,
  SERVER_DEFAULTS,
} from "flags-server-kit/http";
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
    serverFactory: (handle) => createGuardedServer(guard, handle),
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
    clientErrorHandler: createClientErrorHandler({
      toBody: ({ statusCode, message }) =>
        toFailureBody(new ApiError(NAME_BY_CLIENT_FAULT[statusCode], message)),
      isResponding: (socket) => guard.isResponding(socket),
    }),
    frameworkErrors: (error, _request, reply) => {
      sendFailure(reply, toApiError(error));
    },
  } as const satisfies FastifyServerOptions;
}
