import type { TypedApp } from "../http/typed-app.ts";
import { Type } from "typebox";
import { FeatureNameParams } from "../domain/schemas.ts";
import { findFeature } from "../domain/feature.ts";
import { type Caller, callerOf } from "../access/request-identity.ts";
import { operation } from "../access/operation.ts";
import type { Retention } from "../retention.ts";
import type { Storage } from "../storage/storage.ts";
import { lastDays, lastHours, parseDaysBack, parseHoursBack, startOfHour } from "./hours.ts";
import {
  fillTimes,
  readSeenApplications,
  readUsageByDay,
  readUsageByHour,
  sumByEnvironment,
} from "./read-usage.ts";

const RawUsageQuery = Type.Object({
  hoursBack: Type.Optional(
    Type.String({
      description: "Number of hours, from 1 to USAGE_RETENTION_HOURS; anything else means 24",
    }),
  ),
  daysBack: Type.Optional(
    Type.String({
      description:
        "Number of days in UTC, from 1 to USAGE_RETENTION_DAYS. With it, each entry is for a day, and `hoursBack` is ignored",
    }),
  ),
});

const Start = Type.String({
  format: "date-time",
  description: "Start of the hour, or with `daysBack` of the day",
});
const HourStart = Type.String({ format: "date-time", description: "Start of the hour" });
const Count = Type.Integer({ minimum: 0 });

const RawUsageResponse = Type.Object(
  {
    version: Type.Integer(),
    maturity: Type.String(),
    hoursKept: Type.Integer({
      description: "Hours for which usage is kept by hour: the largest value of `hoursBack`",
    }),
    daysKept: Type.Integer({
      description: "Days for which usage is kept by day: the largest value of `daysBack`",
    }),
    data: Type.Array(
      Type.Object(
        {
          featureName: Type.String(),
          appName: Type.String(),
          environment: Type.String(),
          timestamp: Start,
          yes: Count,
          no: Count,
          variants: Type.Optional(Type.Record(Type.String(), Count)),
        },
        { title: "featureEnvironmentMetricsSchema" },
      ),
    ),
  },
  { title: "featureMetricsSchema" },
);

const UsageResponse = Type.Object(
  {
    version: Type.Integer(),
    maturity: Type.String(),
    featureName: Type.String(),
    lastHourUsage: Type.Array(
      Type.Object(
        { environment: Type.String(), timestamp: HourStart, yes: Count, no: Count },
        { title: "lastHourUsageSchema" },
      ),
    ),
    seenApplications: Type.Array(Type.String()),
  },
  { title: "featureUsageSchema" },
);

const tag = "Usage";
const ENVELOPE = { version: 1, maturity: "stable" } as const;
const SEEN_HOURS = 24;

interface UsageQueriesOptions {
  readonly storage: Storage;
  readonly retention: Pick<Retention, "usageDays" | "usageHours">;
}

/** Serves the reported usage of flags to administrators. */
export function registerUsageQueries(
  app: TypedApp,
  { storage, retention: { usageHours, usageDays } }: UsageQueriesOptions,
): void {
  app.get(
    "/client-metrics/features/:feature/raw",
    operation({
      id: "getRawFeatureMetrics",
      role: "viewer",
      tag,
      summary:
        "Returns how often a flag was evaluated, by hour or day, application and environment",
      returns: RawUsageResponse,
      alsoFailsWith: [400],
      findsNothing: true,
      params: FeatureNameParams,
      querystring: RawUsageQuery,
    }),
    async (request) => {
      const { feature } = request.params;
      const now = new Date();
      const days = parseDaysBack(request.query.daysBack, usageDays);
      const data = await storage.read(async (db) => {
        const found = await findFeature(db, feature);
        if (isHidden(found, callerOf(request))) return [];
        if (days === undefined) {
          const hours = lastHours(parseHoursBack(request.query.hoursBack, usageHours), now);
          return fillTimes(feature, await readUsageByHour(db, feature, hours), hours);
        }
        // A deleted flag of the same name may have been used before.
        const [created] = lastDays(1, found?.createdAt ?? new Date(0));
        const times = lastDays(days, now);
        const since = times.filter((day) => created === undefined || day >= created);
        return fillTimes(feature, await readUsageByDay(db, feature, since), times);
      });
      return { ...ENVELOPE, hoursKept: usageHours, daysKept: usageDays, data };
    },
  );

  app.get(
    "/client-metrics/features/:feature",
    operation({
      id: "getFeatureUsageSummary",
      role: "viewer",
      tag,
      summary:
        "Returns how often a flag was evaluated this hour, and by which applications in the last 24 hours",
      returns: UsageResponse,
      findsNothing: true,
      params: FeatureNameParams,
    }),
    async (request) => {
      const { feature } = request.params;
      const now = new Date();
      const [since = now] = lastHours(SEEN_HOURS, now);
      return storage.read(async (db) => {
        const head = { ...ENVELOPE, featureName: feature };
        if (isHidden(await findFeature(db, feature), callerOf(request))) {
          return { ...head, lastHourUsage: [], seenApplications: [] };
        }
        return {
          ...head,
          lastHourUsage: await sumByEnvironment(db, feature, startOfHour(now)),
          seenApplications: await readSeenApplications(db, feature, since),
        };
      });
    },
  );
}

/** Whether a flag belongs to a project that the caller cannot see. Then it has no usage, as if it did not exist. */
function isHidden(
  feature: { readonly project: string } | undefined,
  { projects }: Caller,
): boolean {
  return projects.hidden.length > 0 && !projects.sees(feature?.project ?? null);
}
