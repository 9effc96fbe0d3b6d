import type { TypedApp } from "flags-service/http";
import type { Registry } from "prom-client";
import { Type } from "typebox";
import { ApiError } from "../errors.ts";
import { errorAnswers } from "../http/schemas.ts";
import type { Storage } from "../storage/storage.ts";
import { within } from "./within.ts";

const tags = ["Operations"];

const HealthAnswer = Type.Object({ health: Type.Literal("GOOD") }, { title: "healthCheckSchema" });
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
    response: { 200: HealthAnswer },
  };
  app.get("/health", { schema }, (_request, reply) =>
    reply.header("cache-control", "no-store").send(HEALTHY),
  );
}

/** Who asks is told before it gives up by itself. */
const PATIENCE_MS = 2000;

function registerReadiness(app: TypedApp, storage: Storage): void {
  const schema = {
    summary: "Tells whether requests can be answered: the database is there",
    tags,
    response: { 200: HealthAnswer, ...errorAnswers(503) },
  };
  app.get("/ready", { schema }, async (_request, reply) => {
    await within(PATIENCE_MS, storage.ping()).catch((cause: unknown) => {
      const headers = { "retry-after": "1" };
      throw new ApiError("ServiceUnavailableError", "The database is away", { headers, cause });
    });
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
