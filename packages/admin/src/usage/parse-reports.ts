// The bodies of reports from SDKs and proxies, and their conversion to the form that is stored.

import { isReportedName } from "flags-engine";
import { Type } from "typebox";
import { badData } from "../errors.ts";
import { openObject } from "../http/schemas.ts";
import { parseHour } from "./hours.ts";
import {
  type LenientCount,
  LenientCountSchema,
  type LenientText,
  LenientTextSchema,
  LenientTimestampSchema,
  readCount,
  readText,
  recordOf,
} from "./lenient-values.ts";
import type { InstanceKey, SeenApplication } from "./write-applications.ts";
import type { UsageEntry } from "./write-usage.ts";

const MAX_ENTRIES = 10_000;
const MAX_SENT_VARIANTS = 1000;

const Variants = Type.Optional(
  Type.Union([recordOf(LenientCountSchema, MAX_SENT_VARIANTS), Type.Null()]),
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

type Metrics = Type.Static<typeof MetricsBody>;
type BulkMetrics = Type.Static<typeof BulkMetricsBody>;
type Registration = Type.Static<typeof RegistrationBody>;

interface ReportContext {
  /** Environment of the token. */
  readonly environment: string;
  /** Time of the request. */
  readonly now: Date;
}

/**
 * Parses the usage report of one application. Flags without evaluations are omitted, and those with an invalid name.
 *
 * @throws {ApiError} if the application has no name
 */
export function parseMetrics(
  { appName: sentName, bucket }: Metrics,
  { environment, now }: ReportContext,
): readonly UsageEntry[] {
  const appName = parseAppName(sentName, "/body/appName");
  if (bucket === null || bucket === undefined) return [];

  const hour = parseHour(bucket.stop, now);
  return Object.entries(bucket.toggles)
    .filter(([feature]) => isReportedName(feature))
    .map(([feature, counts]) => ({
      ...parseCounts(counts),
      feature: readText(feature),
      appName,
      environment,
      hour,
    }))
    .filter(hasEvaluations);
}

/**
 * Parses the usage report of a proxy for many applications. Entries without the name of an application, or
 * with an invalid name of a flag, are skipped, because the proxy cannot correct what one of its clients sent.
 *
 * @throws {ApiError} if an entry is for an environment other than the token's. Then the whole
 * report is rejected, so that the loss does not go unnoticed.
 */
export function parseBulkMetrics(
  { metrics }: BulkMetrics,
  { environment, now }: ReportContext,
): readonly UsageEntry[] {
  const foreign = metrics.findIndex((metric) => metric.environment !== environment);
  if (foreign !== -1) {
    throw badData(
      `/body/metrics/${foreign}/environment`,
      `must be ${JSON.stringify(environment)}, the environment of the token`,
    );
  }
  return metrics
    .filter((metric) => isReportedName(String(metric.featureName ?? "")) && hasAppName(metric))
    .map((metric) => ({
      ...parseCounts(metric),
      feature: readText(metric.featureName),
      appName: readText(metric.appName),
      environment,
      hour: parseHour(metric.timestamp, now),
    }))
    .filter(hasEvaluations);
}

interface SentCounts {
  readonly yes?: LenientCount;
  readonly no?: LenientCount;
  readonly variants?: Readonly<Record<string, LenientCount>> | null;
}

/** As many as queries distinguish. A report can contain names that clients have invented. */
const MAX_VARIANTS = 100;

function parseCounts({ yes, no, variants }: SentCounts) {
  const counts = Object.entries(variants ?? {})
    .filter(([name]) => isReportedName(name))
    .map(([name, count]) => [readText(name), readCount(count)] as const)
    .filter(([, count]) => count > 0)
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, MAX_VARIANTS);
  return {
    yes: readCount(yes),
    no: readCount(no),
    variants: new Map(counts),
  };
}

function hasEvaluations({ yes, no }: UsageEntry): boolean {
  return yes > 0 || no > 0;
}

const MAX_STRATEGIES = 100;

/** Some SDKs send no id. */
const DEFAULT_INSTANCE = "default";

/** Identifies the application instance that sent a usage report, or registered. */
export function parseInstance(
  { appName, instanceId }: Pick<Registration, "appName" | "instanceId">,
  environment: string,
): InstanceKey {
  return {
    appName: readText(appName),
    environment,
    instanceId: readText(instanceId) || DEFAULT_INSTANCE,
  };
}

/**
 * Parses the registration of an application.
 *
 * @throws {ApiError} if the application has no name
 */
export function parseRegistration(
  registration: Registration,
  environment: string,
  path: string,
): SeenApplication {
  const { appName, sdkType, sdkVersion, strategies } = registration;
  parseAppName(appName, `${path}/appName`);
  const names = (strategies ?? []).slice(0, MAX_STRATEGIES).map(readText);
  return {
    ...parseInstance(registration, environment),
    sdkType: sdkType === "frontend" ? "frontend" : "backend",
    sdkVersion: readText(sdkVersion) || null,
    strategies: [...new Set(names)],
  };
}

/**
 * Parses the applications of a bulk report. Those without a name are skipped.
 *
 * @throws {ApiError} if the report contains entries, but no entry names an application
 */
export function parseBulkApplications(
  { applications, metrics }: BulkMetrics,
  environment: string,
): readonly SeenApplication[] {
  const named = applications.filter(hasAppName);
  const [application] = applications;
  const [metric] = metrics;
  if (named.length === 0 && !metrics.some(hasAppName)) {
    if (application !== undefined) {
      parseAppName(application.appName, "/body/applications/0/appName");
    }
    if (metric !== undefined) parseAppName(metric.appName, "/body/metrics/0/appName");
  }
  return named.map((one) => parseRegistration(one, environment, "/body/applications"));
}

function hasAppName({ appName }: Pick<Registration, "appName">): boolean {
  return readText(appName) !== "";
}

function parseAppName(sent: LenientText, path: string): string {
  const appName = readText(sent);
  if (appName === "") throw badData(path, "must not be empty");
  return appName;
}
