import { and, eq, gte } from "drizzle-orm";
import { type Database, orderByText } from "../storage/database.ts";
import { featureUsage, variantUsage } from "../storage/schema/usage.ts";
import { HOUR_MS, RETENTION_HOURS, startOfHour } from "./hours.ts";

const DEFAULT_HOURS = 24;

/** How many hours are asked for; what makes no sense is the default. */
export function readHoursBack(sent: string | undefined): number {
  const hours = Number(sent ?? DEFAULT_HOURS);
  const isInRange = Number.isInteger(hours) && hours >= 1 && hours <= RETENTION_HOURS;
  return isInRange ? hours : DEFAULT_HOURS;
}

/** The beginnings of the last hours, the one under way included, oldest first. */
export function lastHours(count: number, now: Date): readonly Date[] {
  const current = startOfHour(now).getTime();
  return Array.from({ length: count }, (_, index) => {
    return new Date(current - (count - 1 - index) * HOUR_MS);
  });
}

/** How often a flag was asked for by an application in an hour. */
export interface HourlyUsage {
  readonly featureName: string;
  readonly appName: string;
  readonly environment: string;
  readonly timestamp: Date;
  readonly yes: number;
  readonly no: number;
  readonly variants?: Readonly<Record<string, number>>;
}

/** What was counted for a flag since the beginning of an hour, oldest first. */
export async function readFeatureUsage(
  db: Database,
  feature: string,
  since: Date,
): Promise<readonly HourlyUsage[]> {
  const variantsOf = await readVariants(db, feature, since);
  const rows = await db
    .select()
    .from(featureUsage)
    .where(and(eq(featureUsage.feature, feature), gte(featureUsage.hour, since)))
    .orderBy(
      featureUsage.hour,
      orderByText(featureUsage.environment),
      orderByText(featureUsage.appName),
    );
  return rows.map(({ appName, environment, hour, yes, no }) => {
    const variants = variantsOf.get(keyOf({ appName, environment, hour }));
    return {
      featureName: feature,
      appName,
      environment,
      timestamp: hour,
      yes,
      no,
      ...(variants !== undefined && { variants: Object.fromEntries(variants) }),
    };
  });
}

async function readVariants(db: Database, feature: string, since: Date) {
  const rows = await db
    .select()
    .from(variantUsage)
    .where(and(eq(variantUsage.feature, feature), gte(variantUsage.hour, since)))
    .orderBy(orderByText(variantUsage.variant));
  const byKey = new Map<string, Map<string, number>>();
  for (const row of rows) {
    const counts = byKey.get(keyOf(row)) ?? new Map<string, number>();
    byKey.set(keyOf(row), counts.set(row.variant, row.count));
  }
  return byKey;
}

interface Key {
  readonly appName: string;
  readonly environment: string;
  readonly hour: Date;
}

function keyOf({ appName, environment, hour }: Key): string {
  return JSON.stringify([appName, environment, hour]);
}
