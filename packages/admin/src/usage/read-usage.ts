import { and, desc, eq, gte, inArray, type SQL, sql, sum } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import {
  type Database,
  firstRow,
  isOneOf,
  orderByText,
  sortDistinct,
} from "../storage/database.ts";
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

/** Largest number of entries of a response, which also limits how many applications are distinguished. */
const MAX_ENTRIES = 50_000;
const MAX_APPLICATIONS = 100;
const MAX_VARIANTS = 100;
const MAX_SEEN_APPLICATIONS = 1000;

/** Stands for all applications but those with the most evaluations. */
const OTHER_APPLICATIONS = "(other applications)";

/**
 * Reads the usage of a flag in consecutive hours, oldest first.
 *
 * NOTE: clients can invent names of applications and variants. Only the most frequent ones are distinguished,
 * and the database sums up the others.
 */
export async function readFeatureUsage(
  db: Database,
  feature: string,
  hours: readonly Date[],
): Promise<readonly HourlyUsage[]> {
  const since = hours[0] ?? new Date();
  const ofFeature = and(eq(featureUsage.feature, feature), gte(featureUsage.hour, since));
  const { environments } = firstRow(
    await db
      .select({ environments: sql<number>`count(distinct ${featureUsage.environment})::int` })
      .from(featureUsage)
      .where(ofFeature),
  );
  const count = countDistinguished(hours.length * environments);
  const largest = await selectLargest(db, ofFeature, count);
  const names = largest.map(({ appName }) => appName);
  const variantsOf = await readVariants(db, { feature, since, names });
  const appName = nameOrOther(featureUsage.appName, names);
  const rows = await db
    .select({
      appName,
      environment: featureUsage.environment,
      hour: featureUsage.hour,
      yes: sum(featureUsage.yes).mapWith(Number),
      no: sum(featureUsage.no).mapWith(Number),
    })
    .from(featureUsage)
    .where(ofFeature)
    .groupBy(sql`1`, featureUsage.environment, featureUsage.hour)
    .orderBy(featureUsage.hour, orderByText(featureUsage.environment), sql`1`);
  return rows.map(({ hour, ...row }) => {
    const variants = variantsOf.get(keyOf({ ...row, hour }));
    return {
      featureName: feature,
      ...row,
      timestamp: hour,
      ...(variants !== undefined && { variants: Object.fromEntries(variants) }),
    };
  });
}

/** Returns how many applications can have entries of their own. One more entry is for all others. */
function countDistinguished(entriesPerApplication: number): number {
  const count = Math.floor(MAX_ENTRIES / Math.max(entriesPerApplication, 1)) - 1;
  return Math.min(Math.max(count, 1), MAX_APPLICATIONS);
}

function nameOrOther(column: PgColumn, names: readonly string[]) {
  return sql<string>`case when ${isOneOf(column, names)} then ${column} else ${OTHER_APPLICATIONS} end`;
}

interface VariantQuery {
  readonly feature: string;
  readonly since: Date;
  /** Names of the distinguished applications. */
  readonly names: readonly string[];
}

async function readVariants(db: Database, { feature, since, names }: VariantQuery) {
  const ofFeature = and(eq(variantUsage.feature, feature), gte(variantUsage.hour, since));
  const largest = db
    .select({ variant: variantUsage.variant })
    .from(variantUsage)
    .where(ofFeature)
    .groupBy(variantUsage.variant)
    .orderBy(desc(sql`sum(${variantUsage.count})`), orderByText(variantUsage.variant))
    .limit(MAX_VARIANTS);
  const rows = await db
    .select({
      appName: nameOrOther(variantUsage.appName, names),
      environment: variantUsage.environment,
      hour: variantUsage.hour,
      variant: variantUsage.variant,
      count: sum(variantUsage.count).mapWith(Number),
    })
    .from(variantUsage)
    .where(and(ofFeature, inArray(variantUsage.variant, largest)))
    .groupBy(sql`1`, variantUsage.environment, variantUsage.hour, variantUsage.variant)
    .orderBy(orderByText(variantUsage.variant));
  const byKey = new Map<string, Map<string, number>>();
  for (const row of rows) {
    const counts = byKey.get(keyOf(row)) ?? new Map<string, number>();
    byKey.set(keyOf(row), counts.set(row.variant, row.count));
  }
  return byKey;
}

/**
 * Adds entries with counts of 0, so that every application in the usage has an entry for every hour and
 * environment. Sorts the entries by hour.
 */
export function fillHours(
  feature: string,
  usage: readonly HourlyUsage[],
  hours: readonly Date[],
): readonly HourlyUsage[] {
  const appNames = sortDistinct(usage.map(({ appName }) => appName));
  const environments = sortDistinct(usage.map(({ environment }) => environment));
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

/** Sums up how often all applications evaluated a flag in an hour, by environment. */
export async function sumByEnvironment(db: Database, feature: string, hour: Date) {
  const rows = await db
    .select({
      environment: featureUsage.environment,
      yes: sum(featureUsage.yes).mapWith(Number),
      no: sum(featureUsage.no).mapWith(Number),
    })
    .from(featureUsage)
    .where(and(eq(featureUsage.feature, feature), eq(featureUsage.hour, hour)))
    .groupBy(featureUsage.environment)
    .orderBy(orderByText(featureUsage.environment));
  return rows.map(({ environment, yes, no }) => ({ environment, timestamp: hour, yes, no }));
}

/** Returns the sorted names of the applications that evaluated a flag: at most 1,000, those that did so most often. */
export async function readSeenApplications(
  db: Database,
  feature: string,
  since: Date,
): Promise<readonly string[]> {
  const rows = await selectLargest(
    db,
    and(eq(featureUsage.feature, feature), gte(featureUsage.hour, since)),
    MAX_SEEN_APPLICATIONS,
  );
  return rows.map(({ appName }) => appName).toSorted();
}

/** Finds the applications with the most evaluations. */
function selectLargest(db: Database, condition: SQL | undefined, limit: number) {
  return db
    .select({ appName: featureUsage.appName })
    .from(featureUsage)
    .where(condition)
    .groupBy(featureUsage.appName)
    .orderBy(
      desc(sql`sum(${featureUsage.yes} + ${featureUsage.no})`),
      orderByText(featureUsage.appName),
    )
    .limit(limit);
}

interface Key {
  readonly appName: string;
  readonly environment: string;
  readonly hour: Date;
}

function keyOf({ appName, environment, hour }: Key): string {
  return JSON.stringify([appName, environment, hour]);
}
