import type { FastifyRequest, onRequestHookHandler } from "fastify";
import type { TypedApp } from "flags-server-kit/http";
import { Type } from "typebox";
import { grantOf } from "../authenticate.ts";
import { quotaIdOf } from "../../access/grant.ts";
import { acceptUsage, type UsageRules } from "../../usage/accept-usage.ts";
import { readImpactMetrics } from "../../usage/impact-metrics.ts";
import { forwardRegistration, type RegistrationOrigin } from "../../usage/registrations.ts";
import { checkUsage, readBulkUsage, readUsage } from "../../usage/read-usage.ts";
import { BulkUsageBody, RegistrationBody, UsageBody } from "../../usage/schemas.ts";
import { errorResponses } from "../schemas.ts";
import { SERVER_SDK } from "./schemas.ts";

interface ServerUsageOptions extends UsageRules {
  /** Accepts only server tokens. */
  readonly authenticate: onRequestHookHandler;
}

/** Registers the endpoints for usage reports and registrations. They respond as the upstream does. */
export function registerServerUsage(app: TypedApp, options: ServerUsageOptions): void {
  const { metrics, metricsIntervalMs } = options;
  const onRequest = [options.authenticate];
  const originOf = (request: FastifyRequest): RegistrationOrigin => {
    return { grant: grantOf(request), headers: request.headers, metricsIntervalMs };
  };

  app.post(
    "/client/register",
    {
      onRequest,
      schema: { ...describe("Accepts the registration of an SDK"), body: RegistrationBody },
    },
    async (request, reply) => {
      await forwardRegistration(grantOf(request).source, request.body, originOf(request));
      return reply.code(202).send();
    },
  );

  app.post(
    "/client/metrics",
    { onRequest, schema: { ...describe("Accepts usage of flags"), body: UsageBody } },
    async (request, reply) => {
      const usage = readUsage(request.body, readingOf(request));
      checkUsage(usage, "bucket.toggles");
      await acceptUsage(grantOf(request).source, [usage], options);
      return reply.code(202).send();
    },
  );

  // What Edge reports about itself. Nothing here uses it, but a rejection would be logged there every minute.
  app.post(
    "/client/metrics/edge",
    { onRequest, schema: describe("Accepts data about an instance of Edge, and ignores it") },
    (_request, reply) => reply.code(202).send(),
  );

  app.post(
    "/client/metrics/bulk",
    {
      onRequest,
      schema: { ...describe("Accepts usage of many applications"), body: BulkUsageBody },
    },
    async (request, reply) => {
      const { source } = grantOf(request);
      const { body } = request;
      const reading = readingOf(request);
      const { usages, invalidCount } = readBulkUsage(body.metrics, reading);
      const impactMetrics = readImpactMetrics(body.impactMetrics);
      // The labels of impact metrics contain the names of their applications.
      const impact = { appName: "", startMs: reading.nowMs, features: {}, impactMetrics };
      await acceptUsage(
        source,
        impactMetrics.length === 0 ? usages : [...usages, { ...impact, quotaId: reading.quotaId }],
        options,
      );
      metrics.usageInvalid.inc(invalidCount);
      const applications = body.applications ?? [];
      await Promise.all(
        applications.map((one) => forwardRegistration(source, one, originOf(request))),
      );
      return reply.code(202).send();
    },
  );
}

function readingOf(request: FastifyRequest) {
  return { nowMs: Date.now(), quotaId: quotaIdOf(grantOf(request)) };
}

const RESPONSE = {
  202: Type.Null({ description: "Accepted" }),
  ...errorResponses(400, 401, 413, 415, 503),
};

function describe(summary: string) {
  return { ...SERVER_SDK, summary, response: RESPONSE };
}
