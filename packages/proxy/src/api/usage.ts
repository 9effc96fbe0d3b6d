import type { onRequestHookHandler } from "fastify";
import { Type } from "typebox";
import type { TypedApp } from "flags-server-kit/http";
import { grantOf } from "./authenticate.ts";
import { quotaIdOf } from "../access/grant.ts";
import { acceptUsage, type UsageRules } from "../usage/accept-usage.ts";
import { checkUsage, readUsage } from "../usage/read-usage.ts";
import { forwardRegistration, forwardReporter } from "../usage/registrations.ts";
import { RegistrationBody, UsageBody } from "../usage/schemas.ts";
import { usageValidatorCompiler } from "../usage/validate-usage.ts";
import { errorResponses } from "./schemas.ts";

interface UsageOptions extends UsageRules {
  /** Accepts client keys and server tokens. */
  readonly authenticate: onRequestHookHandler;
}

/** Registers the routes that accept usage reports and registrations of SDKs. */
export function registerUsage(app: TypedApp, options: UsageOptions): void {
  registerUsageAt(app, "", options);
  // Clients report to paths below their URL, which may be that of `/all`, enabled or not.
  registerUsageAt(app, "/all", options);
}

function registerUsageAt(app: TypedApp, path: string, options: UsageOptions): void {
  const { authenticate, metricsIntervalMs } = options;
  const onRequest = [authenticate];

  app.post(
    `${path}/client/metrics`,
    {
      onRequest,
      schema: { ...describe("Accepts usage of toggles"), body: UsageBody },
      validatorCompiler: usageValidatorCompiler,
    },
    async (request, reply) => {
      const grant = grantOf(request);
      const { body, headers } = request;
      const usage = readUsage(body, { nowMs: Date.now(), quotaId: quotaIdOf(grant) });
      checkUsage(usage, "bucket.toggles");
      const origin = { grant, headers, metricsIntervalMs };
      // At the same time, so that one write to the spool covers both.
      await Promise.all([
        acceptUsage(grant.source, [usage], options),
        forwardReporter(grant.source, body, origin),
      ]);
      return reply.type("text/plain; charset=utf-8").send("OK");
    },
  );

  app.post(
    `${path}/client/register`,
    {
      onRequest,
      schema: { ...describe("Accepts the registration of an SDK"), body: RegistrationBody },
    },
    async (request, reply) => {
      const grant = grantOf(request);
      const { body, headers } = request;
      await forwardRegistration(grant.source, body, { grant, headers, metricsIntervalMs });
      return reply.type("text/plain; charset=utf-8").send("OK");
    },
  );
}

function describe(summary: string) {
  return {
    summary,
    tags: ["Usage"],
    security: [{ clientKey: [] }, { serverToken: [] }],
    response: {
      200: { content: { "text/plain": { schema: Type.String() } }, description: "Accepted" },
      ...errorResponses(400, 401, 413, 415, 503),
    },
  };
}
