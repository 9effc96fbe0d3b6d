import type { onRequestHookHandler } from "fastify";
import type { ApplicationUsage, FlagSource } from "flags-sdk";
import { Type } from "typebox";
import { grantOf } from "../auth/authenticate.ts";
import { tooMuchUsage } from "../errors.ts";
import type { UsageMetrics } from "../metrics/metrics.ts";
import { usageValidatorCompiler } from "../metrics/plain-usage.ts";
import { checkUsage, toApplicationUsage } from "../metrics/usage.ts";
import type { TypedApp } from "flags-service/http";
import { errorAnswers, RegistrationBody, UsageBody } from "./schemas.ts";

/** What taking in usage depends on. */
export interface UsageRules {
  readonly metrics: UsageMetrics;
  /** Between two reports to the upstream, each of which makes room. */
  readonly metricsIntervalMs: number;
}

interface UsageOptions extends UsageRules {
  /** Lets client keys and server tokens pass. */
  readonly authenticate: onRequestHookHandler;
  /** What comes before the paths. Not set: nothing. */
  readonly path?: string;
}

/** Takes in what SDKs report of themselves: what they counted, and that they exist. */
export function registerUsage(app: TypedApp, options: UsageOptions): void {
  const { authenticate, path = "" } = options;
  const onRequest = [authenticate];

  app.post(
    `${path}/client/metrics`,
    {
      onRequest,
      schema: { ...describe("Takes in usage of toggles"), body: UsageBody },
      validatorCompiler: usageValidatorCompiler,
    },
    async (request, reply) => {
      const usage = toApplicationUsage(request.body, Date.now());
      checkUsage(usage, "bucket.toggles");
      await takeIn(grantOf(request).source, [usage], options);
      return reply.type("text/plain; charset=utf-8").send("OK");
    },
  );

  app.post(
    `${path}/client/register`,
    {
      onRequest,
      schema: { ...describe("Accepts the registration of an SDK"), body: RegistrationBody },
    },
    (_request, reply) => reply.type("text/plain; charset=utf-8").send("OK"),
  );
}

/**
 * Has a source report usage. Of usages that are taken in together, the first may have been when a
 * later one finds no room; sent again, they count twice, which is better than not at all.
 *
 * @throws {HttpError} when there is no room
 */
export async function takeIn(
  source: FlagSource,
  usages: readonly ApplicationUsage[],
  { metrics, metricsIntervalMs }: UsageRules,
): Promise<void> {
  for (const usage of usages) {
    const count = Object.keys(usage.features).length;
    if (count === 0) continue;
    // NOTE: sources written in JavaScript may answer nothing, which is no refusal.
    // oxlint-disable-next-line no-await-in-loop -- none after one that finds no room
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
      ...errorAnswers(400, 401, 413, 415, 503),
    },
  };
}
