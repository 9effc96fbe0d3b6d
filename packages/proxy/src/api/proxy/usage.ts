import type { onRequestHookHandler } from "fastify";
import type { ApplicationUsage, FlagSource } from "flags-sdk";
import { Type } from "typebox";
import { grantOf, quotaIdOf } from "../../access/authenticate.ts";
import { tooMuchUsage } from "../../errors.ts";
import type { UsageMetrics } from "../../metrics/metrics.ts";
import { usageValidatorCompiler } from "../../usage/plain-usage.ts";
import { forwardRegistration, forwardReporter } from "../../usage/registrations.ts";
import { checkUsage, toApplicationUsage } from "../../usage/usage.ts";
import type { TypedApp } from "flags-server-kit/http";
import { errorResponses, RegistrationBody, UsageBody } from "../schemas.ts";

/** What accepting usage depends on. */
export interface UsageRules {
  readonly metrics: UsageMetrics;
  /** Between two reports to the upstream, each of which empties the buffer. */
  readonly metricsIntervalMs: number;
}

interface UsageOptions extends UsageRules {
  /** Lets client keys and server tokens pass. */
  readonly authenticate: onRequestHookHandler;
  /** What comes before the paths. Not set: nothing. */
  readonly path?: string;
}

/** Accepts what SDKs report of themselves: usage and registrations. */
export function registerUsage(app: TypedApp, options: UsageOptions): void {
  const { authenticate, metricsIntervalMs, path = "" } = options;
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
 * Passes usage to a source. Of several usages, the first may have been counted when a later one exceeds
 * a limit; sent again, they count twice, which is better than not at all.
 *
 * @throws {HttpError} if a limit is exceeded
 */
export async function acceptUsage(
  source: FlagSource,
  usages: readonly ApplicationUsage[],
  { metrics, metricsIntervalMs }: UsageRules,
): Promise<void> {
  for (const usage of usages) {
    const count = Object.keys(usage.features).length;
    if (count === 0 && usage.impactMetrics === undefined) continue;
    // NOTE: sources written in JavaScript may return nothing, which is no refusal.
    // oxlint-disable-next-line no-await-in-loop -- none after one that is refused
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
