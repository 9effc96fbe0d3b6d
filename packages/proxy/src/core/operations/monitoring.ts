import { Type } from "typebox";
import { named } from "../http/named-schema.ts";
import { findReadinessError, type ReadinessRules } from "./readiness.ts";
import { conditionalReply, jsonReply, textReply } from "../http/reply.ts";
import { FOR_OPERATORS, type Route } from "../routing/route.ts";
import { errorResponses } from "../routes/schemas.ts";

export interface MetricsText {
  readonly read: () => Promise<string>;
  readonly registry: { readonly contentType: string };
}

const TAGS = ["Operations"];

const HEALTHY = {
  entityTag: 'W/"2-ok"',
  contentType: "text/html; charset=utf-8",
  body: "ok",
} as const;

export const HEALTH_ROUTE: Route = {
  method: "GET",
  path: "/proxy/health",
  summary: "Reports whether the proxy has flags",
  tags: TAGS,
  responses: {
    200: {
      content: { "text/html": { schema: Type.Literal("ok") } },
      description: "It has flags",
    },
    ...errorResponses(503),
  },
  audience: { ...FOR_OPERATORS, hasCors: true, checksHost: false },
  // Until the proxy has flags, the handler responds with 503.
  handle: ({ request }) => conditionalReply(request, {}, HEALTHY),
};

export const METRICS_RESPONSE = {
  content: { "text/plain": { schema: Type.String() } },
  description: "The metrics",
};

/** At the path of the Unleash proxy. */
export function metricsRoute({ registry, read }: MetricsText): Route {
  return {
    method: "GET",
    path: "/proxy/internal-backstage/prometheus",
    summary: "Metrics of the proxy, for Prometheus",
    tags: TAGS,
    responses: { 200: METRICS_RESPONSE, ...errorResponses(503) },
    audience: FOR_OPERATORS,
    handle: async () =>
      textReply(registry.contentType, await read(), { "cache-control": "no-store" }),
  };
}

export const PROBE = {
  method: "GET",
  tags: TAGS,
  audience: { ...FOR_OPERATORS, checksHost: false },
  isAlwaysAvailable: true,
} as const;

const Ok = named("probeSchema", { status: Type.Literal("ok") });

const OK = { status: "ok" } as const;

export function probeRoutes(rules: ReadinessRules): readonly Route[] {
  return [
    {
      ...PROBE,
      path: "/live",
      summary: "Reports that the process responds, regardless of its flags",
      responses: { 200: Ok },
      handle: () => jsonReply(OK),
    },
    {
      ...PROBE,
      path: "/ready",
      summary:
        "Reports whether the proxy should receive requests: whether it has flags that are not too old",
      responses: { 200: Ok, ...errorResponses(503) },
      handle: () => {
        const problem = findReadinessError(rules);
        if (problem !== undefined) throw problem;
        return jsonReply(OK);
      },
    },
  ];
}
