import type { onRequestHookHandler } from "fastify";
import type { TypedApp } from "flags-server-kit/http";
import { Type } from "typebox";
import { grantOf } from "../authenticate.ts";
import { acceptUsage, type UsageRules } from "../../usage/accept-usage.ts";
import { parseImpactMetrics } from "../../usage/impact-metrics.ts";
import { parseBulkUsage } from "../../usage/parse-usage.ts";
import { forwardRegistration } from "../../usage/registrations.ts";
import { BulkUsageBody } from "../../usage/schemas.ts";
import { errorResponses } from "../schemas.ts";
import { originOf, parseOptionsOf, registerUsageAt } from "../usage-routes.ts";
import { SERVER_SDK } from "./schemas.ts";

interface ServerUsageOptions extends UsageRules {
  /** Accepts only server tokens. */
  readonly authenticate: onRequestHookHandler;
}

/** Registers the endpoints for usage reports and registrations. They respond as the upstream does. */
export function registerServerUsage(app: TypedApp, options: ServerUsageOptions): void {
  const { metrics } = options;
  const onRequest = [options.authenticate];

  registerUsageAt(app, "/client", {
    ...options,
    subject: "flags",
    describe,
    respond: (reply) => reply.code(202).send(),
    registersReporters: false,
  });

  // What Edge reports about itself. Nothing here uses it, but a rejection would be logged there every minute.
  app.post(
    "/client/metrics/edge",
    { onRequest, schema: describe("Accepts data about an Edge instance, and ignores it") },
    (_request, reply) => reply.code(202).send(),
  );

  app.post(
    "/client/metrics/bulk",
    {
      onRequest,
      schema: { ...describe("Accepts usage of many applications"), body: BulkUsageBody },
    },
    async (request, reply) => {
      const { body } = request;
      const parseOptions = parseOptionsOf(request);
      const { nowMs, quotaId } = parseOptions;
      const { usages, invalidCount } = parseBulkUsage(body.metrics, parseOptions);
      const impactMetrics = parseImpactMetrics(body.impactMetrics);
      // The labels of impact metrics contain the names of their applications.
      const impact = { appName: "", startMs: nowMs, features: {}, impactMetrics, quotaId };
      await acceptUsage(
        grantOf(request).flags,
        impactMetrics.length === 0 ? usages : [...usages, impact],
        options,
      );
      metrics.invalid.inc(invalidCount);
      const origin = originOf(request, options);
      await Promise.all(
        (body.applications ?? []).map((application) => forwardRegistration(application, origin)),
      );
      return reply.code(202).send();
    },
  );
}

function describe(summary: string) {
  return {
    ...SERVER_SDK,
    summary,
    response: {
      202: Type.Null({ description: "Accepted" }),
      ...errorResponses(400, 401, 413, 415, 503),
    },
  };
}
