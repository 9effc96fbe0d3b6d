import type { FastifyServerOptions } from "fastify";
import { BODY_LIMIT_BYTES, toApiError } from "../to-api-error.ts";
import { sendFailure } from "./failures.ts";

/** How the HTTP server behaves, whatever it serves. */
export const SERVER_OPTIONS = {
  bodyLimit: BODY_LIMIT_BYTES,
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
  routerOptions: {
    ignoreTrailingSlash: true,
    ignoreDuplicateSlashes: true,
    maxParamLength: 1024,
  },
  // Longer than the 60 s after which the usual load balancers drop an idle connection.
  keepAliveTimeout: 72_000,
  requestTimeout: 30_000,
  forceCloseConnections: "idle",
  return503OnClosing: false,
  frameworkErrors: (error, _request, reply) => {
    sendFailure(reply, toApiError(error));
  },
} as const satisfies FastifyServerOptions;
