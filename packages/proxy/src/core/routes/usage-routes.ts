import { Type } from "typebox";
import { quotaIdOf } from "../access/grant.ts";
import { acceptUsage, type UsageRules } from "../usage/accept-usage.ts";
import { type ParseOptions, parseUsage } from "../usage/parse-usage.ts";
import {
  forwardRegistration,
  forwardReporter,
  type RegistrationOrigin,
} from "../usage/registrations.ts";
import { RegistrationBody, UsageBody } from "../usage/schemas.ts";
import type { Call } from "../routing/call.ts";
import type { RouteOptions } from "./protocol.ts";
import { type Reply, textReply } from "../http/reply.ts";
import { FOR_CLIENTS, type Route } from "../routing/route.ts";
import { errorResponses } from "./schemas.ts";

interface UsageApi {
  readonly usageRules: UsageRules;
  /** What an API calls flags, in descriptions. */
  readonly subject: "flags" | "toggles";
  readonly route: Pick<Route, "tags" | "security" | "responses" | "audience" | "authenticate">;
  readonly reply: () => Reply;
  /** Whether a usage report registers its sender, because SDKs of this API do not register. */
  readonly registersReporters: boolean;
}

export function usageRoutes({
  allow,
  usageRules,
}: Pick<RouteOptions, "allow" | "usageRules">): readonly Route[] {
  const api: UsageApi = {
    usageRules,
    subject: "toggles",
    route: {
      tags: ["Usage"],
      security: [{ clientKey: [] }, { serverToken: [] }],
      responses: {
        200: { content: { "text/plain": { schema: Type.String() } }, description: "Accepted" },
        ...errorResponses(400, 401, 413, 415, 503),
      },
      audience: FOR_CLIENTS,
      authenticate: allow("client", "server"),
    },
    reply: () => textReply("text/plain; charset=utf-8", "OK"),
    registersReporters: true,
  };
  // Clients report to paths below their URL, which may be that of `/all`, enabled or not.
  return [...usageRoutesAt("/client", api), ...usageRoutesAt("/all/client", api)];
}

export function usageRoutesAt(
  path: string,
  { usageRules, subject, route, reply, registersReporters }: UsageApi,
): readonly Route[] {
  return [
    {
      ...route,
      method: "POST",
      path: `${path}/metrics`,
      summary: `Accepts usage of ${subject}`,
      body: { schema: UsageBody },
      handle: async (call) => {
        const body = call.parseUnchecked();
        const { usage, invalidCount } = parseUsage(body, parseOptionsOf(call));
        // At the same time, so that one write to the spool covers both.
        await Promise.all([
          acceptUsage(call.grant.flags, [usage], usageRules),
          registersReporters && forwardReporter(body, originOf(call, usageRules)),
        ]);
        usageRules.metrics.invalid.inc(invalidCount);
        return reply();
      },
    },
    {
      ...route,
      method: "POST",
      path: `${path}/register`,
      summary: "Accepts the registration of an SDK",
      body: { schema: RegistrationBody },
      handle: async (call) => {
        await forwardRegistration(call.parse(RegistrationBody), originOf(call, usageRules));
        return reply();
      },
    },
  ];
}

export function parseOptionsOf({ grant }: Call): ParseOptions {
  return { nowMs: Date.now(), quotaId: quotaIdOf(grant), keyKind: grant.kind };
}

export function originOf(
  { grant, request: { headers } }: Call,
  { metricsIntervalMs }: Pick<UsageRules, "metricsIntervalMs">,
): RegistrationOrigin {
  return { grant, headers, metricsIntervalMs };
}
