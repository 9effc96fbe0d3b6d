import { randomUUID } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "flags-server-kit";
import { ApiError } from "../errors.ts";
import { withoutQueryValues } from "../storage/errors.ts";
import { toApiError } from "../to-api-error.ts";

/** Answers a request with a failure. Every answer that is not a success goes through here. */
export function sendFailure(
  reply: FastifyReply,
  failure: ApiError,
  id: string = randomUUID(),
): FastifyReply {
  return reply
    .code(failure.statusCode)
    .headers({ "cache-control": "no-store", ...failure.headers })
    .type("application/json; charset=utf-8")
    .serializer(JSON.stringify)
    .send(toFailureBody(failure, id));
}

/** The body of every answer that is not a success. */
export function toFailureBody({ name, message, details }: ApiError, id: string = randomUUID()) {
  return { id, name, message, details };
}

/** Makes every failure of the app a JSON answer, and logs the ones that are our fault. */
export function handleFailures(
  app: FastifyInstance,
  logger: Logger,
  observe: (failure: ApiError) => void,
): void {
  app.setErrorHandler((error, request, reply) => {
    const failure = toApiError(error);
    observe(failure);
    const id = randomUUID();
    // One without a cause is a rule that works, such as a limit.
    if (failure.statusCode >= 500 && failure.cause !== undefined) {
      report(failure, { id, request, logger });
    }
    return sendFailure(reply, failure, id);
  });
  app.setNotFoundHandler((_request, reply) =>
    sendFailure(reply, new ApiError("NotFoundError", "There is nothing at this path")),
  );
}

interface ReportParts {
  readonly id: string;
  readonly request: FastifyRequest;
  readonly logger: Logger;
}

function report(failure: ApiError, { id, request, logger }: ReportParts): void {
  if (request.socket.destroyed) return;
  const where = `${request.method} ${request.routeOptions.url ?? "an unknown path"}`;
  logger.error(`Cannot answer ${where} (answer ${id})`, withoutQueryValues(failure.cause));
}
