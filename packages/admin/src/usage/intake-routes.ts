import { tokenOf } from "../access/request-token.ts";
import { errorResponses, NoBody } from "../http/schemas.ts";
import type { TypedApp } from "flags-server-kit/http";
import { version } from "../version.ts";
import { readApplication, readBulkApplications } from "./applications.ts";
import { readBulkMetrics, readMetrics } from "./read-usage.ts";
import { BulkMetricsBody, MetricsBody, RegistrationBody } from "./schemas.ts";
import type { UsageIntake } from "./usage-intake.ts";

const tags = ["Server SDKs"];
const response = { 202: NoBody, ...errorResponses(400, 401, 403, 413, 415, 503) };

/** Takes in what SDKs and proxies report. What is answered with 202 is in the database. */
export function registerUsageIntake(app: TypedApp, intake: UsageIntake): void {
  app.post(
    "/register",
    {
      schema: {
        summary: "Takes in that an application is there",
        tags,
        body: RegistrationBody,
        response,
      },
    },
    async (request, reply) => {
      const { environment } = tokenOf(request);
      await intake.addApplications([readApplication(request.body, environment, "/body")]);
      return reply.code(202).header("x-flags-version", version).send();
    },
  );

  app.post(
    "/metrics",
    {
      schema: {
        summary: "Takes in how often an application asked for flags",
        tags,
        body: MetricsBody,
        response,
      },
    },
    async (request, reply) => {
      const { environment, projects } = tokenOf(request);
      const entries = readMetrics(request.body, { environment, now: new Date() });
      await intake.addUsage({ entries, projects });
      return reply.code(202).send();
    },
  );

  registerBulkIntake(app, intake);
}

function registerBulkIntake(app: TypedApp, intake: UsageIntake): void {
  app.post(
    "/metrics/bulk",
    {
      schema: {
        summary: "Takes in how often many applications asked for flags, from a proxy",
        description:
          "All metrics must be of the environment of the token, or none of them is accepted. " +
          "Entries without the name of an application are left out",
        tags,
        body: BulkMetricsBody,
        response,
      },
    },
    async (request, reply) => {
      const { environment, projects } = tokenOf(request);
      const entries = readBulkMetrics(request.body, { environment, now: new Date() });
      const applications = readBulkApplications(request.body, environment);
      // Applications first: to remember one twice does no harm when the rest is sent again.
      await intake.addApplications(applications);
      await intake.addUsage({ entries, projects });
      return reply.code(202).send();
    },
  );
}
