import { errorResponses } from "../http/schemas.ts";
import type { TypedApp } from "flags-server-kit/http";
import type { Storage } from "../storage/storage.ts";
import { listApplications } from "./applications.ts";
import { startOfHour } from "./hours.ts";
import { lastHours, readFeatureUsage, readHoursBack } from "./read-feature-usage.ts";
import {
  ApplicationsResponse,
  FeatureParams,
  HoursQuery,
  RawUsageResponse,
  UsageResponse,
} from "./schemas.ts";
import { fillHours, namesOfApplications, sumByEnvironment } from "./summarize-usage.ts";

const tags = ["Usage"];
const FRAME = { version: 1, maturity: "stable" } as const;
const SEEN_HOURS = 24;

/** What SDKs have reported, for administrators. */
export function registerUsageReports(app: TypedApp, storage: Storage): void {
  registerFeatureUsage(app, storage);
  app.get(
    "/metrics/applications",
    {
      schema: {
        summary: "Lists the applications that have registered themselves",
        tags,
        response: { 200: ApplicationsResponse, ...errorResponses(401, 403, 503) },
      },
    },
    async () => ({ applications: await listApplications(storage.db) }),
  );
}

function registerFeatureUsage(app: TypedApp, storage: Storage): void {
  app.get(
    "/client-metrics/features/:feature/raw",
    {
      schema: {
        summary: "Tells how often a flag was asked for, by hour, application and environment",
        tags,
        params: FeatureParams,
        querystring: HoursQuery,
        response: { 200: RawUsageResponse, ...errorResponses(401, 403, 503) },
      },
    },
    async (request) => {
      const { feature } = request.params;
      const hours = lastHours(readHoursBack(request.query.hoursBack), new Date());
      return { ...FRAME, data: fillHours(feature, await usageIn(hours, feature), hours) };
    },
  );

  app.get(
    "/client-metrics/features/:feature",
    {
      schema: {
        summary: "Tells how often a flag was asked for this hour, and by whom in the last day",
        tags,
        params: FeatureParams,
        response: { 200: UsageResponse, ...errorResponses(401, 403, 503) },
      },
    },
    async (request) => {
      const { feature } = request.params;
      const now = new Date();
      const usage = await usageIn(lastHours(SEEN_HOURS, now), feature);
      return {
        ...FRAME,
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
