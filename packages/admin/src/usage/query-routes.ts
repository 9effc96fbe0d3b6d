import type { TypedApp } from "../http/typed-app.ts";
import { Type } from "typebox";
import { FeatureNameParams } from "../domain/schemas.ts";
import { findFeature } from "../domain/feature.ts";
import { type Caller, callerOf } from "../access/request-identity.ts";
import { operation } from "../access/operation.ts";
import type { Database } from "../storage/database.ts";
import type { Storage } from "../storage/storage.ts";
import { lastHours, parseHoursBack, startOfHour } from "./hours.ts";
import {
  fillHours,
  readFeatureUsage,
  readSeenApplications,
  sumByEnvironment,
} from "./read-usage.ts";

const HoursQuery = Type.Object({
  hoursBack: Type.Optional(
    Type.String({
      description: "Number of hours, from 1 to USAGE_RETENTION_HOURS; anything else means 24",
    }),
  ),
});

const HourStart = Type.String({ format: "date-time", description: "Start of the hour" });
const Count = Type.Integer({ minimum: 0 });

const RawUsageResponse = Type.Object(
  {
    version: Type.Integer(),
    maturity: Type.String(),
    hoursKept: Type.Integer({
      description: "Hours for which usage is kept: the largest value of `hoursBack`",
    }),
    data: Type.Array(
      Type.Object(
        {
          featureName: Type.String(),
          appName: Type.String(),
          environment: Type.String(),
          timestamp: HourStart,
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
  /** Hours for which usage is kept. */
  readonly usageHours: number;
}

/** Serves the reported usage of flags to administrators. */
export function registerUsageQueries(
  app: TypedApp,
  { storage, usageHours }: UsageQueriesOptions,
): void {
  app.get(
    "/client-metrics/features/:feature/raw",
    operation({
      id: "getRawFeatureMetrics",
      role: "viewer",
      tag,
      summary: "Returns how often a flag was evaluated, by hour, application and environment",
      returns: RawUsageResponse,
      findsNothing: true,
      params: FeatureNameParams,
      querystring: HoursQuery,
    }),
    async (request) => {
      const { feature } = request.params;
      const hours = lastHours(parseHoursBack(request.query.hoursBack, usageHours), new Date());
      const usage = await storage.read(async (db) =>
        (await isHidden(db, feature, callerOf(request)))
          ? []
          : readFeatureUsage(db, feature, hours),
      );
      const data = fillHours(feature, usage, hours);
      return { ...ENVELOPE, hoursKept: usageHours, data };
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
        if (await isHidden(db, feature, callerOf(request))) {
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
async function isHidden(db: Database, name: string, { projects }: Caller): Promise<boolean> {
  if (projects.hidden.length === 0) return false;
  return !projects.sees((await findFeature(db, name))?.project ?? null);
}
