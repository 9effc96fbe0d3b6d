import { badData } from "../errors.ts";
import { readHour } from "./hours.ts";
import { readCount, readText, type SentCount, type SentText } from "./lenient.ts";
import type { BulkMetrics, Metrics } from "./schemas.ts";
import type { UsageEntry } from "./usage-entry.ts";

/** Where and when a report was made. */
interface Reporting {
  readonly environment: string;
  readonly now: Date;
}

/** What one application counted, in the environment of its token. Flags nobody asked for are left out. */
export function readMetrics(
  { appName: sentName, bucket }: Metrics,
  { environment, now }: Reporting,
): readonly UsageEntry[] {
  const appName = readAppName(sentName, "/body/appName");
  if (bucket === null || bucket === undefined) return [];

  const hour = readHour(bucket.stop, now);
  return Object.entries(bucket.toggles)
    .map(([feature, counts]) => ({
      ...readCounts(counts),
      feature: readText(feature),
      appName,
      environment,
      hour,
    }))
    .filter(isUsed);
}

/**
 * What a proxy counted for many applications. Entries without the name of an application are left out:
 * the proxy cannot do anything about what one of its clients sent.
 *
 * @throws {ApiError} if some of it is of another environment than that of its token: none of it is
 * accepted then, so that nothing is lost unnoticed
 */
export function readBulkMetrics(
  { metrics }: BulkMetrics,
  { environment, now }: Reporting,
): readonly UsageEntry[] {
  const entries = metrics.map((metric, index) => {
    if (metric.environment !== environment) {
      throw badData(
        `/body/metrics/${index}/environment`,
        `must be ${JSON.stringify(environment)}, the environment of the token`,
      );
    }
    return {
      ...readCounts(metric),
      feature: readText(metric.featureName),
      appName: readText(metric.appName),
      environment,
      hour: readHour(metric.timestamp, now),
    };
  });
  return entries.filter((entry) => entry.appName !== "" && isUsed(entry));
}

/**
 * @throws {ApiError} when it is empty
 */
export function readAppName(sent: SentText, path: string): string {
  const appName = readText(sent);
  if (appName === "") throw badData(path, "must not be empty");
  return appName;
}

interface SentCounts {
  readonly yes?: SentCount;
  readonly no?: SentCount;
  readonly variants?: Readonly<Record<string, SentCount>> | null;
}

function readCounts({ yes, no, variants }: SentCounts) {
  const counted = Object.entries(variants ?? {}).map(
    ([name, count]) => [readText(name), readCount(count)] as const,
  );
  return {
    yes: readCount(yes),
    no: readCount(no),
    variants: new Map(counted.filter(([, count]) => count > 0)),
  };
}

function isUsed({ yes, no }: UsageEntry): boolean {
  return yes > 0 || no > 0;
}
