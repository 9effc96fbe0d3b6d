import type { onRequestHookHandler } from "fastify";
import type { ApplicationUsage, FlagSource } from "flags-sdk";
import { Type } from "typebox";
import { grantOf, quotaIdOf } from "../../access/authenticate.ts";
import { tooMuchUsage } from "../../errors.ts";
import type { UsageMetrics } from "../../metrics/metrics.ts";
import { usageValidatorCompiler } from "../../usage/plain-usage.ts";
import { RegistrationBody, UsageBody } from "../../usage/schemas.ts";
import { forwardRegistration, forwardReporter } from "../../usage/registrations.ts";
import { checkUsage, toApplicationUsage } from "../../usage/usage.ts";
import type { TypedApp } from "flags-server-kit/http";
import { errorResponses } from "../schemas.ts";

/** The dependencies of routes that accept usage. */
export interface UsageRules {
  readonly metrics: UsageMetrics;
  /** Time between two reports to the upstream, each of which empties the buffer. */
  readonly metricsIntervalMs: number;
}

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
      const usage = toApplicationUsage(body, { nowMs: Date.now(), quotaId: quotaIdOf(grant) });
      checkUsage(usage, "bucket.toggles");
      await acceptUsage(grant.source, [usage], options);
      forwardReporter(grant.source, body, { grant, headers, metricsIntervalMs });
      return reply.type("text/plain; charset=utf-8").send("OK");
    },
  );

  app.post(
    `${path}/client/register`,
    {
      onRequest,
      schema: { ...describe("Accepts the registration of an SDK"), body: RegistrationBody },
    },
    (request, reply) => {
      const grant = grantOf(request);
      const { body, headers } = request;
      forwardRegistration(grant.source, body, { grant, headers, metricsIntervalMs });
      return reply.type("text/plain; charset=utf-8").send("OK");
    },
  );
}

/**
 * Passes usage to a source. If a limit is exceeded, the first of several usages may have been counted
 * already. When the client sends them again they count twice, which is better than not at all.
 *
 * @throws {HttpError} a 503 if a limit is exceeded
 */
export async function acceptUsage(
  source: FlagSource,
  usages: readonly ApplicationUsage[],
  { metrics, metricsIntervalMs }: UsageRules,
): Promise<void> {
  for (const usage of usages) {
    const count = Object.keys(usage.features).length;
    if (count === 0 && usage.impactMetrics === undefined) continue;
    // NOTE: sources written in JavaScript may return undefined, which means accepted.
    // oxlint-disable-next-line no-await-in-loop -- a rejected usage must be the last one
    const isAccepted: unknown = await source.reportUsage(usage);
    if (isAccepted === false) {
      metrics.usageRefused.inc();
      throw tooMuchUsage(metricsIntervalMs);
    }
    metrics.usageEntries.inc(count);
  }
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
