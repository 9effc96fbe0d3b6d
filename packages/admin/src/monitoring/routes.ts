import type { TypedApp } from "flags-server-kit/http";
import type { Registry } from "prom-client";
import { Type } from "typebox";
import { ApiError } from "../errors.ts";
import { sendFailure } from "../http/failures.ts";
import { errorResponses } from "../http/schemas.ts";
import type { Storage } from "../storage/storage.ts";
import { isDiskFull } from "../storage/errors.ts";
import { toApiError } from "../to-api-error.ts";
import { within } from "./within.ts";

const tags = ["Operations"];

const HealthResponse = Type.Object(
  { health: Type.Literal("GOOD") },
  { title: "healthCheckSchema" },
);
const HEALTHY = { health: "GOOD" } as const;

interface OperationsParts {
  readonly storage: Storage;
  readonly registry: Registry;
}

/** What those who run the service ask it. None of it needs a token. */
export function registerOperations(app: TypedApp, { storage, registry }: OperationsParts): void {
  registerHealth(app);
  registerReadiness(app, storage);
  registerPrometheus(app, registry);
}

function registerHealth(app: TypedApp): void {
  const schema = {
    summary: "Tells that the process answers, whatever the database does",
    tags,
    response: { 200: HealthResponse },
  };
  app.get("/health", { schema }, (_request, reply) =>
    reply.header("cache-control", "no-store").send(HEALTHY),
  );
}

function notReadyForWrites(): ApiError {
  return new ApiError(
    "InsufficientStorageError",
    "Not ready for writes: there is not enough disk space. Reads are still served",
    { headers: { "retry-after": "10" } },
  );
}

/** Shorter than the usual timeout of a probe, so that it gets a response. */
const PATIENCE_MS = 2000;

function registerReadiness(app: TypedApp, storage: Storage): void {
  const schema = {
    summary: "Tells whether all requests can be served: the database is there and has disk space",
    tags,
    response: { 200: HealthResponse, ...errorResponses(503) },
  };
  app.get("/ready", { schema }, async (_request, reply) => {
    await within(PATIENCE_MS, storage.ping()).catch((cause: unknown) => {
      const headers = { "retry-after": "1" };
      throw new ApiError("ServiceUnavailableError", "The database is away", { headers, cause });
    });
    try {
      storage.assertWritable();
    } catch (error) {
      // NOTE: not thrown, as it would count as a request that failed.
      return sendFailure(reply, isDiskFull(error) ? notReadyForWrites() : toApiError(error));
    }
    return reply.header("cache-control", "no-store").send(HEALTHY);
  });
}

function registerPrometheus(app: TypedApp, registry: Registry): void {
  const schema = {
    summary: "Metrics of the service, for Prometheus",
    tags,
    response: {
      200: { content: { "text/plain": { schema: Type.String() } }, description: "The metrics" },
    },
  };
  app.get("/internal-backstage/prometheus", { schema }, async (_request, reply) =>
    reply
      .type(registry.contentType)
      .header("cache-control", "no-store")
      .serializer(String)
      .send(await registry.metrics()),
  );
}
