import { sql } from "drizzle-orm";
import { type Database, orderByText } from "../storage/database.ts";
import { applications } from "../storage/schema/usage.ts";

type Application = typeof applications.$inferSelect;

/** An application that has registered or reported usage. */
export interface SeenApplication {
  readonly appName: string;
  readonly environment: string;
  readonly sdkVersion: string | null;
  readonly strategies: readonly string[];
}

/** Stores applications. A new registration replaces the previous one. */
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

/** Lists all applications by name and environment. */
export function listApplications(db: Database): Promise<Application[]> {
  return db
    .select()
    .from(applications)
    .orderBy(orderByText(applications.appName), orderByText(applications.environment));
}
