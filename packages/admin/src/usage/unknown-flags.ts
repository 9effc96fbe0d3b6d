// Flags that applications evaluate although they do not exist: nobody created them, or they were archived or deleted.

import { and, eq, isNotNull, isNull, notInArray, or, sql } from "drizzle-orm";
import type { ProjectAccess } from "../access/project-access.ts";
import { type Database, groupBy, isOneOf, orderByText, sortDistinct } from "../storage/database.ts";
import { features } from "../storage/schema/features.ts";
import { unknownFlags } from "../storage/schema/usage.ts";

/** A flag that an application has evaluated in an environment. */
export interface AskedFlag {
  readonly appName: string;
  readonly environment: string;
  readonly feature: string;
}

/** How many unknown flags are stored for an application in an environment. Any others are ignored. */
const MAX_PER_APPLICATION = 100;

/** How many are stored in total. NOTE: clients can invent names of applications and flags. */
const MAX_ROWS = 10_000;

/** Stores which flags applications have asked for. Those that were stored less than an hour ago are not written again. */
export async function putUnknownFlags(db: Database, asked: readonly AskedFlag[]): Promise<void> {
  const byApplication = groupBy(asked, ({ appName, environment }) =>
    JSON.stringify([appName, environment]),
  );
  const distinct = [...byApplication.values()].flatMap(([one, ...others]) =>
    one === undefined
      ? []
      : sortDistinct([one, ...others].map(({ feature }) => feature))
          .slice(0, MAX_PER_APPLICATION)
          .map((feature) => ({ ...one, feature })),
  );
  if (distinct.length === 0) return;
  // NOTE: rows are written in the order of their keys, so that concurrent writes of two replicas cannot deadlock.
  await db.execute(sql`
    with sent as (
      select "appName" as app_name, "environment" as environment, "feature" as feature
      from jsonb_to_recordset(${JSON.stringify(distinct)}::jsonb) as sent (
        "appName" text, "environment" text, "feature" text
      )
    ), outdated as (
      select sent.*, stored.feature is not null as is_known
      from sent left join unknown_flags as stored using (app_name, environment, feature)
      where stored.feature is null or stored.last_seen_at < now() - interval '1 hour'
    ), numbered as (
      select outdated.*,
        row_number() over (
          partition by app_name, environment, is_known order by feature collate "C"
        ) + (
          select count(*) from unknown_flags as stored
          where stored.app_name = outdated.app_name and stored.environment = outdated.environment
        ) as of_application,
        row_number() over (
          partition by is_known order by app_name, environment, feature collate "C"
        ) + (select count(*) from unknown_flags) as of_all
      from outdated
    )
    insert into unknown_flags (app_name, environment, feature)
    select app_name, environment, feature from numbered
    where is_known or (of_application <= ${MAX_PER_APPLICATION} and of_all <= ${MAX_ROWS})
    order by 1, 2, 3
    on conflict (app_name, environment, feature) do update set last_seen_at = now()`);
}

/** A flag that does not exist, and which applications ask for it. */
interface UnknownFlag {
  readonly name: string;
  readonly lastSeenAt: Date;
  /** When a flag of this name was archived, and in which project it is; absent if there is none. */
  readonly archivedAt?: Date;
  readonly project?: string;
  readonly reports: readonly {
    readonly appName: string;
    readonly environments: readonly { readonly environment: string; readonly seenAt: Date }[];
  }[];
}

/**
 * Lists the flags that applications ask for although they do not exist, by name. A name that no flag has may be that of a deleted
 * flag of any project, and so is not visible if any project is hidden.
 *
 * @param appNames only what these ask for. @default all applications
 */
export async function listUnknownFlags(
  db: Database,
  access: ProjectAccess,
  appNames?: readonly string[],
): Promise<readonly UnknownFlag[]> {
  const rows = await db
    .select({
      name: unknownFlags.feature,
      appName: unknownFlags.appName,
      environment: unknownFlags.environment,
      seenAt: unknownFlags.lastSeenAt,
      archivedAt: features.archivedAt,
      project: features.project,
    })
    .from(unknownFlags)
    .leftJoin(features, eq(features.name, unknownFlags.feature))
    .where(
      and(
        appNames === undefined ? undefined : isOneOf(unknownFlags.appName, appNames),
        or(isNull(features.name), isNotNull(features.archivedAt)),
        access.hidden.length === 0 ? undefined : notInArray(features.project, [...access.hidden]),
      ),
    )
    .orderBy(
      orderByText(unknownFlags.feature),
      orderByText(unknownFlags.appName),
      orderByText(unknownFlags.environment),
    );
  return [...groupBy(rows, ({ name }) => name)].map(([name, ofFlag]) => {
    const [{ archivedAt, project } = {}] = ofFlag;
    return {
      name,
      lastSeenAt: new Date(Math.max(...ofFlag.map(({ seenAt }) => seenAt.getTime()))),
      ...(archivedAt && { archivedAt }),
      ...(project && { project }),
      reports: [...groupBy(ofFlag, ({ appName }) => appName)].map(([appName, ofApplication]) => ({
        appName,
        environments: ofApplication.map(({ environment, seenAt }) => ({ environment, seenAt })),
      })),
    };
  });
}
