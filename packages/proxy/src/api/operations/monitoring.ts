import type { FastifyReply } from "fastify";
import { sendConditional, type TypedApp } from "flags-server-kit/http";
import { Type } from "typebox";
import type { Metrics } from "../../metrics/metrics.ts";
import {
  ALWAYS_AVAILABLE_TO_ALL,
  findReadinessError,
  type ReadinessRules,
} from "../../http/readiness.ts";
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
  const config = { hasCors: true, checksHost: false };
  app.get("/health", { config, schema }, (request, reply) =>
    sendConditional(request, reply, HEALTHY),
  );
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

const Ok = Type.Object({ status: Type.Literal("ok") }, { title: "probeSchema" });

const OK = { status: "ok" } as const;

const TAGS = { tags: ["Operations"] };

/** Registers `GET /live` and `GET /ready`. Neither needs a key. */
export function registerProbes(app: TypedApp, rules: ReadinessRules): void {
  const liveSchema = {
    ...TAGS,
    summary: "Reports that the process responds, regardless of its flags",
    response: { 200: Ok },
  };
  app.get("/live", { ...ALWAYS_AVAILABLE_TO_ALL, schema: liveSchema }, (_request, reply) =>
    reply.header("cache-control", "no-store").send(OK),
  );

  const readySchema = {
    ...TAGS,
    summary:
      "Reports whether the proxy should receive requests: whether it has flags that are not too old",
    response: { 200: Ok, ...errorResponses(503) },
  };
  app.get("/ready", { ...ALWAYS_AVAILABLE_TO_ALL, schema: readySchema }, (_request, reply) => {
    reply.header("cache-control", "no-store");
    const problem = findReadinessError(rules);
    if (problem !== undefined) throw problem;
    return reply.send(OK);
  });
}
