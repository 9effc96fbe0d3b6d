import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { Type } from "typebox";
import type { TypedApp } from "flags-server-kit/http";
import { grantOf } from "./authenticate.ts";
import { quotaIdOf } from "../access/grant.ts";
import { acceptUsage, type UsageRules } from "../usage/accept-usage.ts";
import { type ParseOptions, parseUsage } from "../usage/parse-usage.ts";
import {
  forwardRegistration,
  forwardReporter,
  type RegistrationOrigin,
} from "../usage/registrations.ts";
import { RegistrationBody, UsageBody, usageValidatorCompiler } from "../usage/schemas.ts";
import { errorResponses } from "./schemas.ts";

interface UsageOptions extends UsageRules {
  readonly authenticate: onRequestHookHandler;
}

/** How an API describes the routes for usage, and what they respond. */
interface UsageApi {
  /** What an API calls flags, in descriptions. */
  readonly subject: "flags" | "toggles";
  readonly describe: (summary: string) => object;
  readonly respond: (reply: FastifyReply) => FastifyReply;
  /** Whether a usage report registers its sender, because SDKs of this API do not register. */
  readonly registersReporters: boolean;
}

const CLIENT_API: UsageApi = {
  subject: "toggles",
  describe: (summary) => ({
    summary,
    tags: ["Usage"],
    security: [{ clientKey: [] }, { serverToken: [] }],
    response: {
      200: { content: { "text/plain": { schema: Type.String() } }, description: "Accepted" },
      ...errorResponses(400, 401, 413, 415, 503),
    },
  }),
  respond: (reply) => reply.type("text/plain; charset=utf-8").send("OK"),
  registersReporters: true,
};

/** Registers the routes that accept usage reports and registrations of client SDKs. */
export function registerUsage(app: TypedApp, options: UsageOptions): void {
  registerUsageAt(app, "/client", { ...options, ...CLIENT_API });
  // Clients report to paths below their URL, which may be that of `/all`, enabled or not.
  registerUsageAt(app, "/all/client", { ...options, ...CLIENT_API });
}

/** Registers the routes that accept usage reports and registrations below a path. */
export function registerUsageAt(
  app: TypedApp,
  path: string,
  options: UsageOptions & UsageApi,
): void {
  const { authenticate, subject, describe, respond, registersReporters } = options;
  const onRequest = [authenticate];

  app.post(
    `${path}/metrics`,
    {
      onRequest,
      schema: { ...describe(`Accepts usage of ${subject}`), body: UsageBody },
      validatorCompiler: usageValidatorCompiler,
    },
    async (request, reply) => {
      const { body } = request;
      const { usage, invalidCount } = parseUsage(body, parseOptionsOf(request));
      // At the same time, so that one write to the spool covers both.
      await Promise.all([
        acceptUsage(grantOf(request).flags, [usage], options),
        registersReporters && forwardReporter(body, originOf(request, options)),
      ]);
      options.metrics.invalid.inc(invalidCount);
      return respond(reply);
    },
  );

  app.post(
    `${path}/register`,
    {
      onRequest,
      schema: { ...describe("Accepts the registration of an SDK"), body: RegistrationBody },
    },
    async (request, reply) => {
      await forwardRegistration(request.body, originOf(request, options));
      return respond(reply);
    },
  );
}

/** Returns what parsing the usage in a request depends on apart from its body. */
export function parseOptionsOf(request: FastifyRequest): ParseOptions {
  const grant = grantOf(request);
  return { nowMs: Date.now(), quotaId: quotaIdOf(grant), keyKind: grant.kind };
}

/** Returns what a registration depends on apart from the body of its request. */
export function originOf(
  request: FastifyRequest,
  { metricsIntervalMs }: Pick<UsageRules, "metricsIntervalMs">,
): RegistrationOrigin {
  return { grant: grantOf(request), headers: request.headers, metricsIntervalMs };
}
