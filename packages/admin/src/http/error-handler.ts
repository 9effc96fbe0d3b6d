import { randomUUID } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "flags-server-kit";
import { runInTrace } from "flags-server-kit/http";
import type { RequestTracer } from "flags-server-kit/telemetry";
import type { ApiError } from "../errors.ts";
import { withoutQueryValues } from "../storage/errors.ts";
import { toApiError } from "./to-api-error.ts";

interface ErrorHandlerOptions {
  readonly logger: Logger;
  readonly observe: (error: ApiError) => void;
  /** Adds the ids of traces to errors in the log. @default none */
  readonly tracer?: Pick<RequestTracer, "find"> | undefined;
}

/** Sends every error of the app as JSON, and logs those caused by the service or its database. */
export function handleErrors(
  app: FastifyInstance,
  { logger, observe, tracer }: ErrorHandlerOptions,
): void {
  app.setErrorHandler((thrown, request, reply) => {
    const error = toApiError(thrown, request.routeOptions.bodyLimit);
    observe(error);
    const id = randomUUID();
    // A 5xx without a cause is expected, for example a stream limit that was reached.
    if (error.statusCode >= 500 && error.cause !== undefined) {
      runInTrace(tracer, request.raw, () => logError(error, { id, request, logger }));
    }
    return sendError(reply, error, id);
  });
}

/** Sends an error response. All error responses go through this function or `toErrorBody()`. */
export function sendError(
  reply: FastifyReply,
  error: ApiError,
  id: string = randomUUID(),
): FastifyReply {
  return reply
    .code(error.statusCode)
    .headers({ "cache-control": "no-store", ...error.headers })
    .type("application/json; charset=utf-8")
    .serializer(JSON.stringify)
    .send(toErrorBody(error, id));
}

/** Returns the body of an error response. @param id identifies the response in the log */
export function toErrorBody({ name, message, details }: ApiError, id: string = randomUUID()) {
  return { id, name, message, details };
}

interface LogContext {
  readonly id: string;
  readonly request: FastifyRequest;
  readonly logger: Logger;
}

function logError(error: ApiError, { id, request, logger }: LogContext): void {
  if (request.socket.destroyed) return;
  const where = `${request.method} ${request.routeOptions.url ?? "an unknown path"}`;
  logger.error(`Cannot serve ${where} (response ${id})`, withoutQueryValues(error.cause));
}
