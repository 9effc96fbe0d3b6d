import type { TypedApp } from "../http/typed-app.ts";
import { tokenOf } from "../access/request-identity.ts";
import { errorResponses, NoBody } from "../http/schemas.ts";
import { Batcher } from "../scheduling/batcher.ts";
import type { Storage } from "../storage/storage.ts";
import { version } from "../version.ts";
import {
  BulkMetricsBody,
  MetricsBody,
  parseBulkApplications,
  parseRegistration,
  parseBulkMetrics,
  parseInstance,
  parseMetrics,
  RegistrationBody,
} from "./parse-reports.ts";
import { putApplications, type SeenApplication } from "./write-applications.ts";
import { type UsageEntry, type UsageReport, writeUsage } from "./write-usage.ts";

const tags = ["Server SDKs"];
const response = { 202: NoBody, ...errorResponses(400, 401, 403, 413, 415, 503) };

/** Accepts registrations and usage reports. A report is in the database before the 202 is sent. */
export function registerUsageIngestion(app: TypedApp, storage: Storage): void {
  const ingestion = createUsageIngestion(storage);
  app.post(
    "/register",
    {
      schema: {
        operationId: "registerClientApplication",
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
        operationId: "registerClientMetrics",
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
        operationId: "clientBulkMetrics",
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

/** Stores the reports of SDKs and proxies. The promises resolve when the report is in the database. */
interface UsageIngestion {
  addUsage(report: UsageReport): Promise<void>;
  addApplications(applications: readonly SeenApplication[]): Promise<void>;
}

const MAX_REPORTS = 200;

/**
 * Largest number of rows of a batch. Each batch is one transaction, whose log must fit into the reserved disk space,
 * and which blocks the process on the embedded database. A larger report is stored in parts.
 */
const MAX_ROWS = 10_000;

export function createUsageIngestion(storage: Storage): UsageIngestion {
  const usage = new Batcher<UsageReport, undefined>({
    run: async (reports) => {
      await writeUsage(storage, reports);
      return [];
    },
    maxItems: MAX_REPORTS,
    sizeOf: countRows,
    maxSize: MAX_ROWS,
  });
  const registrations = new Batcher<readonly SeenApplication[], undefined>({
    run: async (lists) => {
      await storage.transact((db) => putApplications(db, lists.flat()));
      return [];
    },
    maxItems: MAX_REPORTS,
    sizeOf: (applications) => applications.length,
    maxSize: MAX_ROWS,
  });
  return {
    addUsage: async (report) => {
      // oxlint-disable-next-line no-await-in-loop -- if a part fails, the following ones are not stored
      for (const part of partsOf(report)) await usage.add(part);
    },
    addApplications: async (applications) => {
      if (applications.length > 0) await registrations.add(applications);
    },
  };
}

function partsOf(report: UsageReport): readonly UsageReport[] {
  if (countRows(report) <= MAX_ROWS) {
    return report.entries.length > 0 || report.instance !== undefined ? [report] : [];
  }
  const parts: UsageEntry[][] = [];
  let rows = MAX_ROWS;
  for (const entry of report.entries) {
    rows += 1 + entry.variants.size;
    // One row is for the instance.
    if (rows >= MAX_ROWS) {
      parts.push([]);
      rows = 1 + entry.variants.size;
    }
    parts.at(-1)?.push(entry);
  }
  return parts.map((entries) => ({ ...report, entries }));
}

function countRows({ entries, instance }: UsageReport): number {
  const instances = instance === undefined ? 0 : 1;
  return entries.reduce((sum, { variants }) => sum + 1 + variants.size, instances);
}
