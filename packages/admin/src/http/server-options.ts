import type { FastifyServerOptions } from "fastify";
import {
  createClientErrorHandler,
  KEEP_ALIVE_TIMEOUT_MS,
  REQUEST_TIMEOUT_MS,
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

const answerClientError = createClientErrorHandler({
  toBody: ({ statusCode, message }) =>
    toFailureBody(new ApiError(NAME_BY_CLIENT_FAULT[statusCode], message)),
});

/** How the HTTP server behaves, whatever it serves. */
export const SERVER_OPTIONS = {
  ...SERVER_DEFAULTS,
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
  keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  clientErrorHandler: answerClientError,
  frameworkErrors: (error, _request, reply) => {
    sendFailure(reply, toApiError(error));
  },
} as const satisfies FastifyServerOptions;
