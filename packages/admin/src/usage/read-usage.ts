import { and, desc, eq, gte, ne, type SQL, sql, type SQLWrapper, sum } from "drizzle-orm";
import { type Database, firstRow, orderByText, sortDistinct } from "../storage/database.ts";
import { featureUsage, OTHER_APPLICATIONS } from "../storage/schema/usage.ts";
import { DAYS, HOURS, MAX_APPLICATIONS, START_OF_DAY, type UsageTables } from "./count-usage.ts";

/** How often an application evaluated a flag in an hour, or on a day. */
export interface TimedUsage {
  readonly featureName: string;
  readonly appName: string;
  readonly environment: string;
  /** Start of the hour, or of the day in UTC. */
  readonly timestamp: Date;
  readonly yes: number;
  readonly no: number;
  readonly variants?: Readonly<Record<string, number>>;
}

/** Largest number of entries of a response, which also limits how many applications are distinguished. */
const MAX_ENTRIES = 50_000;
const MAX_VARIANTS = 100;
const MAX_SEEN_APPLICATIONS = 1000;

/** Reads the usage of a flag in consecutive hours, oldest first. */
export function readUsageByHour(
  db: Database,
  feature: string,
  hours: readonly Date[],
): Promise<readonly TimedUsage[]> {
  const time = sql.identifier(HOURS.time);
  const rows = { feature, since: hours[0] ?? new Date() };
  return readUsage(db, {
    feature,
    spans: hours.length,
    evaluations: selectEvaluations(HOURS, time, rows),
    variants: selectVariants(HOURS, time, rows),
  });
}

/** Reads the usage of a flag on consecutive days, oldest first. The latest hours are not yet stored by day. */
export function readUsageByDay(
  db: Database,
  feature: string,
  days: readonly Date[],
): Promise<readonly TimedUsage[]> {
  const time = sql.identifier(DAYS.time);
  const rows = { feature, since: days[0] ?? new Date() };
  return readUsage(db, {
    feature,
    spans: days.length,
    evaluations: sql`${selectEvaluations(DAYS, time, rows)}
      union all ${selectEvaluations(HOURS, START_OF_DAY, rows)}`,
    variants: sql`${selectVariants(DAYS, time, rows)}
      union all ${selectVariants(HOURS, START_OF_DAY, rows)}`,
  });
}

interface UsageRows {
  readonly feature: string;
  readonly since: Date;
}

function selectEvaluations(tables: UsageTables, time: SQLWrapper, rows: UsageRows): SQL {
  return sql`select app_name, environment, ${time} as time, yes, no
    from ${sql.identifier(tables.features)} where ${isAmong(tables, rows)}`;
}

function selectVariants(tables: UsageTables, time: SQLWrapper, rows: UsageRows): SQL {
  return sql`select app_name, environment, ${time} as time, variant, count
    from ${sql.identifier(tables.variants)} where ${isAmong(tables, rows)}`;
}

function isAmong({ time }: UsageTables, { feature, since }: UsageRows): SQL {
  return sql`feature = ${feature} and ${sql.identifier(time)} >= ${since.toISOString()}::timestamptz`;
}

interface UsageSource {
  readonly feature: string;
  /** Number of hours or days. */
  readonly spans: number;
  /** Selects `app_name`, `environment`, `time`, `yes` and `no`. */
  readonly evaluations: SQL;
  /** Selects `app_name`, `environment`, `time`, `variant` and `count`. */
  readonly variants: SQL;
}

const TIME = sql`extract(epoch from time)`.mapWith((seconds) => new Date(Number(seconds) * 1000));

/**
 * Reads the usage of a flag, sorted by time.
 *
 * NOTE: clients can invent names of applications and variants. Only the most frequent ones are distinguished,
 * and the database sums up the others.
 */
async function readUsage(
  db: Database,
  { feature, spans, evaluations, variants }: UsageSource,
): Promise<readonly TimedUsage[]> {
  const source = sql`(${evaluations}) as evaluations`;
  const { environments } = firstRow(
    await db.select({ environments: sql<number>`count(distinct environment)::int` }).from(source),
  );
  const largest = await db
    .select({ appName: sql<string>`app_name` })
    .from(source)
    .groupBy(sql`app_name`)
    .orderBy(sql`sum(yes + no) desc`, sql`app_name collate "C"`)
    .limit(countDistinguished(spans * environments));
  const appName = nameOrOther(largest.map((one) => one.appName));
  const variantsOf = await readVariants(db, variants, appName);
  const rows = await db
    .select({
      appName,
      environment: sql<string>`environment`,
      timestamp: TIME,
      yes: sql`sum(yes)`.mapWith(Number),
      no: sql`sum(no)`.mapWith(Number),
    })
    .from(source)
    .groupBy(sql`1`, sql`environment`, sql`time`)
    .orderBy(sql`time`, sql`environment collate "C"`, sql`1`);
  return rows.map((row) => {
    const counts = variantsOf.get(keyOf(row));
    return {
      featureName: feature,
      ...row,
      ...(counts !== undefined && { variants: Object.fromEntries(counts) }),
    };
  });
}

/** Returns how many applications can have entries of their own. One more entry is for all others. */
function countDistinguished(entriesPerApplication: number): number {
  const count = Math.floor(MAX_ENTRIES / Math.max(entriesPerApplication, 1)) - 1;
  return Math.min(Math.max(count, 1), MAX_APPLICATIONS);
}

function nameOrOther(names: readonly string[]): SQL<string> {
  return sql<string>`case when app_name = any(array(
    select jsonb_array_elements_text(${JSON.stringify(names)}::jsonb)
  )) then app_name else ${OTHER_APPLICATIONS} end`;
}

async function readVariants(db: Database, variants: SQL, appName: SQL<string>) {
  const source = sql`(${variants}) as variants`;
  const largest = db
    .select({ variant: sql`variant` })
    .from(source)
    .groupBy(sql`variant`)
    .orderBy(sql`sum(count) desc`, sql`variant collate "C"`)
    .limit(MAX_VARIANTS);
  const rows = await db
    .select({
      appName,
      environment: sql<string>`environment`,
      timestamp: TIME,
      variant: sql<string>`variant`,
      count: sql`sum(count)`.mapWith(Number),
    })
    .from(source)
    .where(sql`variant in ${largest}`)
    .groupBy(sql`1`, sql`environment`, sql`time`, sql`variant`)
    .orderBy(sql`variant collate "C"`);
  const byKey = new Map<string, Map<string, number>>();
  for (const row of rows) {
    const counts = byKey.get(keyOf(row)) ?? new Map<string, number>();
    byKey.set(keyOf(row), counts.set(row.variant, row.count));
  }
  return byKey;
}

/**
 * Adds entries with counts of 0, so that every application in the usage has an entry for every time and
 * environment. Sorts the entries by time.
 */
export function fillTimes(
  feature: string,
  usage: readonly TimedUsage[],
  times: readonly Date[],
): readonly TimedUsage[] {
  const appNames = sortDistinct(usage.map(({ appName }) => appName));
  const environments = sortDistinct(usage.map(({ environment }) => environment));
  const empty = times.flatMap((timestamp) =>
    environments.flatMap((environment) =>
      appNames.map((appName): TimedUsage => {
        return { featureName: feature, appName, environment, timestamp, yes: 0, no: 0 };
      }),
    ),
  );
  const byKey = new Map([...empty, ...usage].map((entry) => [keyOf(entry), entry]));
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
  const rows = await db
    .select({ appName: featureUsage.appName })
    .from(featureUsage)
    .where(
      and(
        eq(featureUsage.feature, feature),
        gte(featureUsage.hour, since),
        ne(featureUsage.appName, OTHER_APPLICATIONS),
      ),
    )
    .groupBy(featureUsage.appName)
    .orderBy(
      desc(sql`sum(${featureUsage.yes} + ${featureUsage.no})`),
      orderByText(featureUsage.appName),
    )
    .limit(MAX_SEEN_APPLICATIONS);
  return rows.map(({ appName }) => appName).toSorted();
}

type Key = Pick<TimedUsage, "appName" | "environment" | "timestamp">;

function keyOf({ appName, environment, timestamp }: Key): string {
  return JSON.stringify([appName, environment, timestamp]);
}
