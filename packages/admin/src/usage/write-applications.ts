import { sql } from "drizzle-orm";
import { notFound } from "../errors.ts";
import { type Database, rowsOf } from "../storage/database.ts";
import type { WriteTransaction } from "../storage/storage.ts";

/** Identifies a running instance of an application. */
export interface InstanceKey {
  readonly appName: string;
  readonly environment: string;
  readonly instanceId: string;
}

/** An application that has registered or reported usage. */
export interface SeenApplication extends InstanceKey {
  readonly sdkType: "backend" | "frontend";
  readonly sdkVersion: string | null;
  readonly strategies: readonly string[];
}

/** Stores applications and their instances. A new registration replaces the previous one. */
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
  await putInstances(db, seen);
}

/** How many instances of an application are stored in each environment. Any others are ignored. */
const MAX_INSTANCES = 1000;

async function putInstances(db: Database, seen: readonly SeenApplication[]): Promise<void> {
  const distinct = new Map(seen.map((one) => [keyOf(one), one]));
  // NOTE: the number is limited, because proxies forward instance ids that clients may have invented. The
  // stored ones are counted once per application, because a report can contain thousands of instances of one.
  await db.execute(sql`
    with seen as (
      select "appName" as app_name, "environment" as environment, "instanceId" as instance_id,
        "sdkType" as sdk_type, "sdkVersion" as sdk_version
      from jsonb_to_recordset(${JSON.stringify([...distinct.values()])}::jsonb) as sent (
        "appName" text, "environment" text, "instanceId" text, "sdkType" text, "sdkVersion" text
      )
    ), totals as (
      select app_name, environment, count(*) as total from application_instances
      where (app_name, environment) in (select app_name, environment from seen)
      group by app_name, environment
    )
    insert into application_instances (app_name, environment, instance_id, sdk_type, sdk_version)
    select app_name, environment, instance_id, sdk_type, sdk_version from (
      select seen.*, stored.instance_id is not null as is_known, coalesce(totals.total, 0) as total,
        row_number() over (
          partition by seen.app_name, seen.environment, stored.instance_id is null
          order by seen.instance_id
        ) as position
      from seen
      left join application_instances as stored using (app_name, environment, instance_id)
      left join totals using (app_name, environment)
    ) as checked
    where is_known or total + position <= ${MAX_INSTANCES}
    order by 1, 2, 3
    on conflict (app_name, environment, instance_id) do update set
      sdk_type = excluded.sdk_type,
      sdk_version = excluded.sdk_version,
      last_seen_at = now()`);
}

function keyOf({ appName, environment, instanceId }: InstanceKey): string {
  return JSON.stringify([appName, environment, instanceId]);
}

/**
 * Deletes an application, its instances and the names of unknown flags, but not its usage.
 *
 * @throws {ApiError} if the application is unknown
 */
export async function deleteApplication(
  { db, record }: WriteTransaction,
  appName: string,
): Promise<void> {
  // NOTE: locks rows in the same order as registrations do, so that the two cannot deadlock.
  const [before] = rowsOf(
    await db.execute(sql`
      delete from applications where ctid = any(array(
        select ctid from applications where app_name = ${appName} order by environment for update
      ))
      returning app_name`),
  );
  if (before === undefined) throw notFound(`There is no application ${JSON.stringify(appName)}`);
  await db.execute(sql`
    delete from application_instances where ctid = any(array(
      select ctid from application_instances where app_name = ${appName}
      order by environment, instance_id for update
    ))`);
  await db.execute(sql`
    delete from unknown_flags where ctid = any(array(
      select ctid from unknown_flags where app_name = ${appName}
      order by environment, feature for update
    ))`);
  await record({ type: "application-deleted", before: { appName } });
}
