import { sql } from "drizzle-orm";
import { type Database, orderByText } from "../storage/database.ts";
import { applications } from "../storage/schema/usage.ts";
import { readText } from "./lenient.ts";
import { readAppName } from "./read-usage.ts";
import type { BulkMetrics, Registration } from "./schemas.ts";

const MAX_STRATEGIES = 100;

/** An application as it is stored. */
export type Application = typeof applications.$inferSelect;

/** An application that says that it is there. */
export interface SeenApplication {
  readonly appName: string;
  readonly environment: string;
  readonly sdkVersion: string | null;
  readonly strategies: readonly string[];
}

/**
 * @throws {ApiError} when it has no name
 */
export function readApplication(
  { appName, sdkVersion, strategies }: Registration,
  environment: string,
  path: string,
): SeenApplication {
  const names = (strategies ?? []).slice(0, MAX_STRATEGIES).map(readText);
  return {
    appName: readAppName(appName, `${path}/appName`),
    environment,
    sdkVersion: readText(sdkVersion) || null,
    strategies: [...new Set(names)],
  };
}

/**
 * The applications of a bulk report. Those without a name are left out.
 *
 * @throws {ApiError} if no application and no metric of the report has a name
 */
export function readBulkApplications(
  { applications: sent, metrics }: BulkMetrics,
  environment: string,
): readonly SeenApplication[] {
  const named = sent.filter(isNamed);
  const [application] = sent;
  const [metric] = metrics;
  if (named.length === 0 && !metrics.some(isNamed)) {
    if (application !== undefined) readAppName(application.appName, "/body/applications/0/appName");
    if (metric !== undefined) readAppName(metric.appName, "/body/metrics/0/appName");
  }
  return named.map((one) => readApplication(one, environment, "/body/applications"));
}

/** Remembers applications. What one says of itself replaces what it said before. */
export async function putApplications(
  db: Database,
  seen: readonly SeenApplication[],
): Promise<void> {
  const distinct = new Map(
    seen.map((application) => [
      JSON.stringify([application.appName, application.environment]),
      application,
    ]),
  );
  if (distinct.size === 0) return;
  await db.execute(sql`
    insert into applications (app_name, environment, sdk_version, strategies)
    select * from jsonb_to_recordset(${JSON.stringify([...distinct.values()])}::jsonb) as seen (
      "appName" text, "environment" text, "sdkVersion" text, "strategies" jsonb
    )
    order by 1, 2
    on conflict (app_name, environment) do update set
      sdk_version = excluded.sdk_version,
      strategies = excluded.strategies,
      last_seen_at = now()`);
}

export function listApplications(db: Database): Promise<Application[]> {
  return db
    .select()
    .from(applications)
    .orderBy(orderByText(applications.appName), orderByText(applications.environment));
}

function isNamed({ appName }: Pick<Registration, "appName">): boolean {
  return readText(appName) !== "";
}
