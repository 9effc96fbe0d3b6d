import { tokenOf } from "../access/request-identity.ts";
import { errorResponses, NoBody } from "../http/schemas.ts";
import type { TypedApp } from "flags-server-kit/http";
import { version } from "../version.ts";
import {
  parseBulkApplications,
  parseRegistration,
  parseBulkMetrics,
  parseInstance,
  parseMetrics,
} from "./parse-reports.ts";
import { BulkMetricsBody, MetricsBody, RegistrationBody } from "./schemas.ts";
import type { UsageIngestion } from "./ingestion.ts";

const tags = ["Server SDKs"];
const response = { 202: NoBody, ...errorResponses(400, 401, 403, 413, 415, 503) };

/** Accepts registrations and usage reports. A report is in the database before the 202 is sent. */
export function registerUsageIngestion(app: TypedApp, ingestion: UsageIngestion): void {
  app.post(
    "/register",
    {
      schema: {
        summary: "Registers an application",
        tags,
        body: RegistrationBody,
        response,
      },
    },
    async (request, reply) => {
      const { environment } = tokenOf(request);
      await ingestion.addApplications([parseRegistration(request.body, environment, "/body")]);
      return reply.code(202).header("x-flags-version", version).send();
    },
  );

  app.post(
    "/metrics",
    {
      schema: {
        summary: "Accepts the usage report of an application",
        tags,
        body: MetricsBody,
        response,
      },
    },
    async (request, reply) => {
      const { environment, projects } = tokenOf(request);
      const entries = parseMetrics(request.body, { environment, now: new Date() });
      const instance = parseInstance(request.body, environment);
      await ingestion.addUsage({ entries, projects, instance });
      return reply.code(202).send();
    },
  );

  registerBulkIngestion(app, ingestion);
}

function registerBulkIngestion(app: TypedApp, ingestion: UsageIngestion): void {
  app.post(
    "/metrics/bulk",
    {
      schema: {
        summary: "Accepts the usage report of a proxy for many applications",
        description:
          "All metrics must be for the environment of the token, otherwise all of them are rejected. " +
          "Entries without the name of an application are ignored",
        tags,
        body: BulkMetricsBody,
        response,
      },
    },
    async (request, reply) => {
      const { environment, projects } = tokenOf(request);
      const entries = parseBulkMetrics(request.body, { environment, now: new Date() });
      const applications = parseBulkApplications(request.body, environment);
      // Applications first, because storing them twice is harmless if the client sends the report again.
      await ingestion.addApplications(applications);
      await ingestion.addUsage({ entries, projects });
      return reply.code(202).send();
    },
  );
}
