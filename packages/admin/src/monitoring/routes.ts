import { coalesceReadings } from "flags-server-kit/neutral";
import { onStopping } from "flags-server-kit/http";
import type { TypedApp } from "../http/typed-app.ts";
import type { Registry } from "prom-client";
import { Type } from "typebox";
import { ApiError } from "../errors.ts";
import { sendError } from "../http/error-handler.ts";
import { errorResponses } from "../http/schemas.ts";
import type { Storage } from "../storage/storage.ts";
import { isDiskFull } from "../storage/errors.ts";
import { DISK_FULL_RETRY_AFTER_SECONDS, toApiError } from "../http/to-api-error.ts";
import { withTimeout } from "./with-timeout.ts";

const tags = ["Operations"];

/** Probes come under any name. */
const config = { checksHost: false };

const HealthResponse = Type.Object(
  { health: Type.Literal("GOOD") },
  { title: "healthCheckSchema" },
);
const HEALTHY = { health: "GOOD" } as const;

interface MonitoringDependencies {
  readonly storage: Storage;
  readonly registry: Registry;
}

/** Serves health, readiness and metrics to operators. These routes require no token. */
export function registerMonitoring(
  app: TypedApp,
  { storage, registry }: MonitoringDependencies,
): void {
  registerHealth(app);
  registerReadiness(app, storage);
  registerPrometheus(app, registry);
}

function registerHealth(app: TypedApp): void {
  const schema = {
    operationId: "getHealth",
    summary: "Reports that the process serves requests, independently of the database",
    tags,
    response: { 200: HealthResponse },
  };
  app.get("/health", { config, schema }, (_request, reply) =>
    reply.header("cache-control", "no-store").send(HEALTHY),
  );
}

function notReadyForWrites(): ApiError {
  return new ApiError(
    "InsufficientStorageError",
    "Not ready for writes: there is not enough disk space. Reads are still served",
    { headers: { "retry-after": String(DISK_FULL_RETRY_AFTER_SECONDS) } },
  );
}

function shuttingDown(): ApiError {
  return new ApiError(
    "ServiceUnavailableError",
    "The service is shutting down: send requests to another replica",
  );
}

function registerReadiness(app: TypedApp, storage: Storage): void {
  const schema = {
    operationId: "getReady",
    summary:
      "Reports whether all requests can be served: the database is available and has disk space, and the service is not shutting down",
    tags,
    response: { 200: HealthResponse, ...errorResponses(503) },
  };
  let isStopping = false;
  onStopping(app.server, () => (isStopping = true));
  app.get("/ready", { config, schema }, async (_request, reply) => {
    // NOTE: not thrown, because the metrics would count it as a failed request.
    if (isStopping) return sendError(reply, shuttingDown());
    await withTimeout(storage.ping()).catch((cause: unknown) => {
      const headers = { "retry-after": "1" };
      throw new ApiError("ServiceUnavailableError", "The database is unavailable", {
        headers,
        cause,
      });
    });
    try {
      storage.assertWritable();
    } catch (error) {
      return sendError(reply, isDiskFull(error) ? notReadyForWrites() : toApiError(error));
    }
    return reply.header("cache-control", "no-store").send(HEALTHY);
  });
}

function registerPrometheus(app: TypedApp, registry: Registry): void {
  const schema = {
    operationId: "getMetrics",
    summary: "Returns the metrics in the text format of Prometheus",
    tags,
    response: {
      200: { content: { "text/plain": { schema: Type.String() } }, description: "Metrics" },
    },
  };
  const read = coalesceReadings(() => registry.metrics());
  app.get("/internal-backstage/prometheus", { schema }, async (_request, reply) =>
    reply
      .type(registry.contentType)
      .header("cache-control", "no-store")
      .serializer(String)
      .send(await read()),
  );
}
