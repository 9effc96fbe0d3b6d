import type { FastifyReply } from "fastify";
import { sendConditional, type TypedApp } from "flags-server-kit/http";
import { Type } from "typebox";
import type { Metrics } from "../../metrics/metrics.ts";
import { errorResponses } from "../schemas.ts";

const HEALTHY = {
  entityTag: 'W/"2-ok"',
  contentType: "text/html; charset=utf-8",
  body: () => "ok",
} as const;

/**
 * Registers the health check and the metrics. Neither needs a key.
 *
 * @param metrics undefined: another port serves them
 */
export function registerMonitoring(app: TypedApp, metrics: Metrics | undefined): void {
  registerHealth(app);
  if (metrics !== undefined) registerPrometheus(app, metrics);
}

/** Always responds with 200: until the proxy has flags, another hook responds with 503. */
function registerHealth(app: TypedApp): void {
  const schema = {
    summary: "Reports whether the proxy has flags",
    tags: ["Operations"],
    response: {
      200: {
        content: { "text/html": { schema: Type.Literal("ok") } },
        description: "It has flags",
      },
      ...errorResponses(503),
    },
  };
  app.get("/health", { schema }, (request, reply) => sendConditional(request, reply, HEALTHY));
}

/** Metrics in the text format of Prometheus. */
function registerPrometheus(app: TypedApp, metrics: Metrics): void {
  const schema = {
    summary: "Metrics of the proxy, for Prometheus",
    tags: ["Operations"],
    response: {
      200: { content: { "text/plain": { schema: Type.String() } }, description: "The metrics" },
      ...errorResponses(503),
    },
  };
  app.get("/internal-backstage/prometheus", { schema }, (_request, reply) =>
    sendMetrics(reply, metrics),
  );
}

/** Sends the metrics in the text format of Prometheus. */
export async function sendMetrics(
  reply: FastifyReply,
  { registry, read }: Metrics,
): Promise<FastifyReply> {
  return reply
    .type(registry.contentType)
    .header("cache-control", "no-store")
    .send(await read());
}
