import type { onRequestHookHandler } from "fastify";
import type { TypedApp } from "flags-service/http";
import { Type } from "typebox";
import { grantOf } from "../../auth/authenticate.ts";
import { checkUsage, toApplicationUsage } from "../../metrics/usage.ts";
import { toBulkUsage } from "../../metrics/bulk-usage.ts";
import { errorAnswers, RegistrationBody, UsageBody } from "../schemas.ts";
import { takeIn, type UsageRules } from "../usage.ts";
import { BulkUsageBody } from "./schemas.ts";
import { SERVER_SDK } from "./server-sdk-options.ts";

interface ServerUsageOptions extends UsageRules {
  /** Lets server tokens pass, and nothing else. */
  readonly authenticate: onRequestHookHandler;
}

/** Takes in what server SDKs and other proxies report; answers as the upstream does. */
export function registerServerUsage(app: TypedApp, options: ServerUsageOptions): void {
  const onRequest = [options.authenticate];

  app.post(
    "/client/register",
    {
      onRequest,
      schema: { ...describe("Accepts the registration of an SDK"), body: RegistrationBody },
    },
    (_request, reply) => reply.code(202).send(),
  );

  app.post(
    "/client/metrics",
    { onRequest, schema: { ...describe("Takes in usage of flags"), body: UsageBody } },
    async (request, reply) => {
      const usage = toApplicationUsage(request.body, Date.now());
      checkUsage(usage, "bucket.toggles");
      await takeIn(grantOf(request).source, [usage], options);
      return reply.code(202).send();
    },
  );

  app.post(
    "/client/metrics/bulk",
    {
      onRequest,
      schema: { ...describe("Takes in usage of many applications"), body: BulkUsageBody },
    },
    async (request, reply) => {
      const usages = toBulkUsage(request.body, Date.now());
      for (const usage of usages) checkUsage(usage, "metrics");
      await takeIn(grantOf(request).source, usages, options);
      return reply.code(202).send();
    },
  );
}

const RESPONSE = {
  202: Type.Null({ description: "Accepted" }),
  ...errorAnswers(400, 401, 413, 415, 503),
};

function describe(summary: string) {
  return { ...SERVER_SDK, summary, response: RESPONSE };
}
