import { Type } from "typebox";
import { acceptUsage } from "../usage/accept-usage.ts";
import { parseImpactMetrics } from "../usage/impact-metrics.ts";
import { parseBulkUsage } from "../usage/parse-usage.ts";
import { forwardRegistration } from "../usage/registrations.ts";
import { BulkUsageBody } from "../usage/schemas.ts";
import type { RouteOptions } from "../routes/protocol.ts";
import { emptyReply, type Reply } from "../http/reply.ts";
import { FOR_SERVERS, type Route } from "../routing/route.ts";
import { errorResponses } from "../routes/schemas.ts";
import { originOf, parseOptionsOf, usageRoutesAt } from "../routes/usage-routes.ts";
import { SERVER_SDK } from "./schemas.ts";

const accepted = (): Reply => emptyReply(202);

/** They respond as the upstream does. */
export function serverUsageRoutes({
  usageRules,
  allow,
}: Pick<RouteOptions, "usageRules" | "allow">): readonly Route[] {
  const route = {
    ...SERVER_SDK,
    responses: {
      202: Type.Null({ description: "Accepted" }),
      ...errorResponses(400, 401, 413, 415, 503),
    },
    audience: FOR_SERVERS,
    authenticate: allow("server"),
  };
  return [
    ...usageRoutesAt("/client", {
      usageRules,
      subject: "flags",
      route,
      reply: accepted,
      registersReporters: false,
    }),
    // What Edge reports about itself. Nothing here uses it, but a rejection would be logged there every minute.
    {
      ...route,
      method: "POST",
      path: "/client/metrics/edge",
      summary: "Accepts data about an Edge instance, and ignores it",
      handle: accepted,
    },
    {
      ...route,
      method: "POST",
      path: "/client/metrics/bulk",
      summary: "Accepts usage of many applications",
      body: { schema: BulkUsageBody },
      handle: async (call) => {
        const body = call.parse(BulkUsageBody);
        const parseOptions = parseOptionsOf(call);
        const { nowMs, quotaId } = parseOptions;
        const { usages, invalidCount } = parseBulkUsage(body.metrics, parseOptions);
        const impactMetrics = parseImpactMetrics(body.impactMetrics);
        // The labels of impact metrics contain the names of their applications.
        const impact = { appName: "", startMs: nowMs, features: {}, impactMetrics, quotaId };
        await acceptUsage(
          call.grant.flags,
          impactMetrics.length === 0 ? usages : [...usages, impact],
          usageRules,
        );
        usageRules.metrics.invalid.inc(invalidCount);
        const origin = originOf(call, usageRules);
        await Promise.all(
          (body.applications ?? []).map((application) => forwardRegistration(application, origin)),
        );
        return accepted();
      },
    },
  ];
}
