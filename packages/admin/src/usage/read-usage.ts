import { and, eq, gte } from "drizzle-orm";
import { type Database, orderByText } from "../storage/database.ts";
import { featureUsage, variantUsage } from "../storage/schema/usage.ts";

/** How often an application evaluated a flag in an hour. */
export interface HourlyUsage {
  readonly featureName: string;
  readonly appName: string;
  readonly environment: string;
  readonly timestamp: Date;
  readonly yes: number;
  readonly no: number;
  readonly variants?: Readonly<Record<string, number>>;
}

/** Reads the usage of a flag since the start of an hour, oldest first. */
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

/** Largest number of applications for which hours without usage are added. */
const MAX_FILLED_APPLICATIONS = 100;

/**
 * Adds entries with counts of 0, so that every application in the usage has an entry for every hour and
 * environment. Sorts the entries by hour.
 */
export function fillHours(
  feature: string,
  usage: readonly HourlyUsage[],
  hours: readonly Date[],
): readonly HourlyUsage[] {
  const appNames = distinct(usage.map(({ appName }) => appName)).slice(0, MAX_FILLED_APPLICATIONS);
  const environments = distinct(usage.map(({ environment }) => environment));
  const empty = hours.flatMap((timestamp) =>
    environments.flatMap((environment) =>
      appNames.map((appName): HourlyUsage => {
        return { featureName: feature, appName, environment, timestamp, yes: 0, no: 0 };
      }),
    ),
  );
  const byKey = new Map(
    [...empty, ...usage].map((entry) => [keyOf({ ...entry, hour: entry.timestamp }), entry]),
  );
  return [...byKey.values()].toSorted((a, b) => a.timestamp.getTime() - b.timestamp.getTime());
}

/** Sums up the usage of one hour by environment. */
export function sumByEnvironment(usage: readonly HourlyUsage[], hour: Date) {
  const inHour = usage.filter(({ timestamp }) => timestamp.getTime() === hour.getTime());
  return distinct(inHour.map(({ environment }) => environment)).map((environment) => {
    const entries = inHour.filter((entry) => entry.environment === environment);
    return {
      environment,
      timestamp: hour,
      yes: sum(entries.map(({ yes }) => yes)),
      no: sum(entries.map(({ no }) => no)),
    };
  });
}

/** Returns the sorted names of the applications in the usage. */
export function namesOfApplications(usage: readonly HourlyUsage[]): readonly string[] {
  return distinct(usage.map(({ appName }) => appName));
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)].toSorted();
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

interface Key {
  readonly appName: string;
  readonly environment: string;
  readonly hour: Date;
}

function keyOf({ appName, environment, hour }: Key): string {
  return JSON.stringify([appName, environment, hour]);
}
