import { FeatureNameParams } from "../domain/schemas.ts";
import { errorResponses } from "../http/schemas.ts";
import type { TypedApp } from "flags-server-kit/http";
import type { Storage } from "../storage/storage.ts";
import { listApplications } from "./applications.ts";
import { lastHours, parseHoursBack, startOfHour } from "./hours.ts";
import {
  fillHours,
  namesOfApplications,
  readFeatureUsage,
  sumByEnvironment,
} from "./read-usage.ts";
import { ApplicationsResponse, HoursQuery, RawUsageResponse, UsageResponse } from "./schemas.ts";

const tags = ["Usage"];
const ENVELOPE = { version: 1, maturity: "stable" } as const;
const SEEN_HOURS = 24;

interface UsageQueriesOptions {
  readonly storage: Storage;
  /** Hours for which usage is kept. */
  readonly usageHours: number;
}

/** Serves the reported usage to administrators. */
export function registerUsageQueries(app: TypedApp, options: UsageQueriesOptions): void {
  const { storage } = options;
  registerFeatureUsage(app, options);
  app.get(
    "/metrics/applications",
    {
      schema: {
        summary: "Lists the applications that have registered",
        tags,
        response: { 200: ApplicationsResponse, ...errorResponses(401, 403, 503) },
      },
    },
    async () => ({ applications: await listApplications(storage.db) }),
  );
}

function registerFeatureUsage(app: TypedApp, { storage, usageHours }: UsageQueriesOptions): void {
  app.get(
    "/client-metrics/features/:feature/raw",
    {
      schema: {
        summary: "Returns how often a flag was evaluated, by hour, application and environment",
        tags,
        params: FeatureNameParams,
        querystring: HoursQuery,
        response: { 200: RawUsageResponse, ...errorResponses(401, 403, 503) },
      },
    },
    async (request) => {
      const { feature } = request.params;
      const hours = lastHours(parseHoursBack(request.query.hoursBack, usageHours), new Date());
      return { ...ENVELOPE, data: fillHours(feature, await usageIn(hours, feature), hours) };
    },
  );

  app.get(
    "/client-metrics/features/:feature",
    {
      schema: {
        summary:
          "Returns how often a flag was evaluated this hour, and by which applications in the last 24 hours",
        tags,
        params: FeatureNameParams,
        response: { 200: UsageResponse, ...errorResponses(401, 403, 503) },
      },
    },
    async (request) => {
      const { feature } = request.params;
      const now = new Date();
      const usage = await usageIn(lastHours(SEEN_HOURS, now), feature);
      return {
        ...ENVELOPE,
        featureName: feature,
        lastHourUsage: sumByEnvironment(usage, startOfHour(now)),
        seenApplications: namesOfApplications(usage),
      };
    },
  );

  function usageIn(hours: readonly Date[], feature: string) {
    const since = hours[0] ?? new Date();
    return storage.read((db) => readFeatureUsage(db, feature, since));
  }
}
