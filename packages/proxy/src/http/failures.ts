import { randomUUID } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Logger } from "flags-server-kit";
import { HttpError, toHttpError } from "../errors.ts";
import { canonicalPath, withoutTrailingSlash } from "./canonical-path.ts";
import type { SendFailure } from "./send-failure.ts";

interface FailureOptions {
  readonly logger: Logger;
  readonly sendFailure: SendFailure;
}

/** Makes every failure of the app a JSON answer, and logs the ones that are our fault. */
export function handleFailures(
  app: FastifyInstance,
  { logger, sendFailure }: FailureOptions,
): void {
  app.setErrorHandler((error, request, reply) => {
    const failure = toHttpError(error);
    return sendFailure(
      reply,
      failure.statusCode < 500 ? failure : report(failure, request, logger),
    );
  });
  handleUnknownPaths(app, sendFailure);
}

/** Logs a failure under an id and names the id to the caller, who learns nothing else of it. */
function report(failure: HttpError, request: FastifyRequest, logger: Logger): HttpError {
  if (failure.statusCode !== 500 || request.socket.destroyed) return failure;

  const id = randomUUID();
  const where = `${request.method} ${request.routeOptions.url ?? "an unknown path"}`;
  logger.error(`Cannot answer ${where} (request ${id})`, failure.cause);
  return new HttpError(500, `${failure.message}. Its log says more under ${id}`);
}

function handleUnknownPaths(app: FastifyInstance, sendFailure: SendFailure): void {
  const methodsByPath = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    const methods = methodsByPath.get(withoutTrailingSlash(url)) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    methodsByPath.set(withoutTrailingSlash(url), methods);
  });

  app.setNotFoundHandler((request, reply) => {
    const methods = methodsByPath.get(canonicalPath(request.url));
    return sendFailure(
      reply,
      methods === undefined ? unknownPath() : wrongMethod(request.method, methods),
    );
  });
}

function unknownPath(): HttpError {
  return new HttpError(404, "There is nothing at this path: check it, and the base path");
}

function wrongMethod(method: string, allowed: ReadonlySet<string>): HttpError {
  const names = [...allowed].join(", ");
  return new HttpError(405, `${method} is not possible here: use one of ${names}`, {
    headers: { allow: names },
  });
}
