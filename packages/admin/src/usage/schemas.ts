import { Type } from "typebox";
import { openObject } from "../http/schemas.ts";
import {
  LenientCountSchema,
  LenientTimestampSchema,
  LenientTextSchema,
  recordOf,
} from "./lenient-values.ts";

const MAX_ENTRIES = 10_000;
const MAX_VARIANTS = 1000;

const Variants = Type.Optional(
  Type.Union([recordOf(LenientCountSchema, MAX_VARIANTS), Type.Null()]),
);

const ToggleUsage = openObject("toggleUsageSchema", {
  yes: Type.Optional(LenientCountSchema),
  no: Type.Optional(LenientCountSchema),
  variants: Variants,
});

/** Usage report of one application. */
export const MetricsBody = openObject("clientMetricsSchema", {
  appName: LenientTextSchema,
  instanceId: Type.Optional(LenientTextSchema),
  bucket: Type.Optional(
    Type.Union([
      openObject("clientMetricsBucketSchema", {
        start: Type.Optional(LenientTimestampSchema),
        stop: Type.Optional(LenientTimestampSchema),
        toggles: recordOf(ToggleUsage, MAX_ENTRIES),
      }),
      Type.Null(),
    ]),
  ),
});

const BulkApplication = openObject("clientApplicationSchema", {
  appName: LenientTextSchema,
  instanceId: Type.Optional(LenientTextSchema),
  sdkType: Type.Optional(LenientTextSchema),
  sdkVersion: Type.Optional(LenientTextSchema),
  strategies: Type.Optional(Type.Union([Type.Array(LenientTextSchema), Type.Null()])),
});

const BulkMetric = openObject("clientMetricsEnvSchema", {
  featureName: LenientTextSchema,
  appName: LenientTextSchema,
  environment: LenientTextSchema,
  timestamp: Type.Optional(LenientTimestampSchema),
  yes: Type.Optional(LenientCountSchema),
  no: Type.Optional(LenientCountSchema),
  variants: Variants,
});

/** Usage report of a proxy for many applications. */
export const BulkMetricsBody = openObject("bulkMetricsSchema", {
  applications: Type.Array(BulkApplication, { maxItems: MAX_ENTRIES }),
  metrics: Type.Array(BulkMetric, { maxItems: MAX_ENTRIES }),
});

/** Registration of an application. */
export const RegistrationBody = BulkApplication;

export type Metrics = Type.Static<typeof MetricsBody>;
export type BulkMetrics = Type.Static<typeof BulkMetricsBody>;
export type Registration = Type.Static<typeof RegistrationBody>;

export const HoursQuery = Type.Object({
  hoursBack: Type.Optional(
    Type.String({
      description: "Number of hours, from 1 to USAGE_RETENTION_HOURS; anything else means 24",
    }),
  ),
});

const HourStart = Type.String({ format: "date-time", description: "Start of the hour" });
const Count = Type.Integer({ minimum: 0 });

export const RawUsageResponse = Type.Object(
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

export const UsageResponse = Type.Object(
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
