import { randomUUID } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "flags-server-kit/neutral";
import { runInTrace } from "flags-server-kit/http";
import type { RequestTracer } from "flags-server-kit/telemetry";
import { ApiError } from "../errors.ts";
import { innermostMessage, isTimeout, withoutQueryValues } from "../storage/errors.ts";
import { toApiError } from "./to-api-error.ts";

interface ErrorHandlerOptions {
  readonly logger: Logger;
  readonly observe: (error: ApiError) => void;
  /** Adds the ids of traces to errors in the log. @default none */
  readonly tracer?: Pick<RequestTracer, "find"> | undefined;
  /** Monotonic clock in milliseconds. @default `performance.now()` */
  readonly now?: () => number;
}

/** For a client that closed its connection before all of the body arrived. It counts in metrics only. */
const INCOMPLETE = new ApiError("BadDataError", "The body is incomplete");

/** Sends every error of the app as JSON, and logs those caused by the service or its database. */
export function handleErrors(
  app: FastifyInstance,
  { logger, observe, tracer, now = () => performance.now() }: ErrorHandlerOptions,
): void {
  const outages = new OutageLog("is unavailable", logger, now);
  const fullDisks = new OutageLog("has no disk space for changes", logger, now);
  app.setErrorHandler((thrown, request, reply) => {
    // NOTE: has the code of a lost connection, which would otherwise count as one to the database.
    if (thrown instanceof Error && thrown === request.raw.errored)
      return sendError(reply, INCOMPLETE);
    const error = toApiError(thrown, {
      bodyLimitBytes: request.routeOptions.bodyLimit,
    });
    observe(error);
    const id = randomUUID();
    // A 5xx without a cause is expected, for example a stream limit that was reached.
    if (error.statusCode >= 500 && error.cause !== undefined) {
      runInTrace(tracer, request.raw, () => {
        if (isOutage(error)) outages.failed(error.cause);
        else if (error.name === "InsufficientStorageError") fullDisks.failed(error.cause);
        else logError(error, { id, request, logger });
      });
    }
    return sendError(reply, error, id);
  });
}

/** Whether the database is unavailable for all requests, and not only too slow for one statement. */
function isOutage({ name, cause }: ApiError): boolean {
  return name === "ServiceUnavailableError" && !isTimeout(cause);
}

const OUTAGE_LOG_INTERVAL_MS = 60_000;

/** Logs a database problem at most once a minute, because every request or change fails until it is solved. */
class OutageLog {
  readonly #problem: string;
  readonly #logger: Logger;
  readonly #now: () => number;
  #loggedAtMs = Number.NEGATIVE_INFINITY;
  #failures = 0;

  /** @param problem completes "The database …" */
  constructor(problem: string, logger: Logger, now: () => number) {
    this.#problem = problem;
    this.#logger = logger;
    this.#now = now;
  }

  failed(cause: unknown): void {
    this.#failures++;
    const now = this.#now();
    if (now - this.#loggedAtMs < OUTAGE_LOG_INTERVAL_MS) return;
    const requests = this.#failures === 1 ? "1 request" : `${this.#failures} requests`;
    this.#logger.error(
      `The database ${this.#problem} (${requests} failed since this was last logged): ${innermostMessage(cause)}`,
    );
    this.#loggedAtMs = now;
    this.#failures = 0;
  }
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

/**
 * Returns the body of an error response.
 *
 * @param id identifies the response in the log
 */
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
