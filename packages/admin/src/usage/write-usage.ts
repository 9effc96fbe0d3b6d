import { sql, type SQL } from "drizzle-orm";
import type { Database } from "../storage/database.ts";
import { features } from "../storage/schema/features.ts";
import type { Storage } from "../storage/storage.ts";
import { grantsProject } from "../access/token.ts";
import type { UsageEntry } from "./usage-entry.ts";

/** What was counted under one token. */
export interface UsageReport {
  readonly entries: readonly UsageEntry[];
  /** Projects that the token opens: flags of others are none of its business. */
  readonly projects: readonly string[];
}

/** Adds what was counted to what is stored, all or nothing. Unknown flags are left out. */
export async function writeUsage(
  storage: Pick<Storage, "transact">,
  reports: readonly UsageReport[],
): Promise<void> {
  const names = new Set(reports.flatMap(({ entries }) => entries.map(({ feature }) => feature)));
  if (names.size === 0) return;

  const entries = await storage.transact(async (transaction) => {
    const projectOf = await readProjects(transaction, names);
    const known = reports.flatMap(({ entries, projects }) =>
      entries.filter(({ feature }) => {
        const project = projectOf.get(feature);
        return project !== undefined && grantsProject({ projects }, project);
      }),
    );
    await addFeatureCounts(transaction, known);
    await addVariantCounts(transaction, known);
    return known;
  });
  await markSeen(storage, entries);
}

async function readProjects(
  db: Database,
  names: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const wanted = sql`(select jsonb_array_elements_text(${JSON.stringify([...names])}::jsonb))`;
  const rows = await db
    .select({ name: features.name, project: features.project })
    .from(features)
    .where(sql`${features.name} in ${wanted}`);
  return new Map(rows.map(({ name, project }) => [name, project]));
}

// NOTE: lists travel as one JSON parameter each, as the number of parameters is limited. Rows are
// written in the order of their keys, so that two replicas never wait for each other in a circle.

async function addFeatureCounts(db: Database, entries: readonly UsageEntry[]): Promise<void> {
  const counts = new Map<string, FeatureCount>();
  for (const { variants: _, ...entry } of entries) {
    const key = keyOf(entry);
    const { yes = 0, no = 0 } = counts.get(key) ?? {};
    counts.set(key, { ...entry, yes: yes + entry.yes, no: no + entry.no });
  }
  if (counts.size === 0) return;
  await db.execute(sql`
    insert into feature_usage (feature, app_name, environment, hour, yes, no)
    select * from jsonb_to_recordset(${toJson(counts.values())}) as counted (
      "feature" text, "appName" text, "environment" text, "hour" timestamptz,
      "yes" bigint, "no" bigint
    )
    order by 1, 2, 3, 4
    on conflict (feature, app_name, environment, hour) do update set
      yes = feature_usage.yes + excluded.yes,
      no = feature_usage.no + excluded.no`);
}

async function addVariantCounts(db: Database, entries: readonly UsageEntry[]): Promise<void> {
  const counts = new Map<string, VariantCount>();
  for (const { variants, feature, appName, environment, hour } of entries) {
    for (const [variant, count] of variants) {
      const entry = { feature, appName, environment, hour, variant };
      const key = keyOf(entry);
      counts.set(key, { ...entry, count: (counts.get(key)?.count ?? 0) + count });
    }
  }
  if (counts.size === 0) return;
  await db.execute(sql`
    insert into variant_usage (feature, app_name, environment, hour, variant, count)
    select * from jsonb_to_recordset(${toJson(counts.values())}) as counted (
      "feature" text, "appName" text, "environment" text, "hour" timestamptz,
      "variant" text, "count" bigint
    )
    order by 1, 2, 3, 4, 5
    on conflict (feature, app_name, environment, hour, variant) do update set
      count = variant_usage.count + excluded.count`);
}

type FeatureCount = Omit<UsageEntry, "variants">;
type VariantCount = Omit<FeatureCount, "no" | "yes"> & {
  readonly variant: string;
  readonly count: number;
};
type Key = Omit<VariantCount, "count" | "variant"> & { readonly variant?: string };

function keyOf({ feature, appName, environment, hour, variant }: Key): string {
  return JSON.stringify([feature, appName, environment, hour, variant]);
}

/** How much newer a flag must have been seen for that to be written: usage comes all the time. */
const SEEN_PRECISION = "1 minute";

/** Notes that flags were asked for just now. Nothing is lost when that fails: it comes again. */
async function markSeen(
  storage: Pick<Storage, "transact">,
  entries: readonly UsageEntry[],
): Promise<void> {
  const seen = new Map(
    entries.map(({ feature, environment }) => [
      JSON.stringify([feature, environment]),
      { feature, environment },
    ]),
  );
  if (seen.size === 0) return;
  // NOTE: rows that somebody else is writing are passed over. Who never waits for a row cannot be
  // part of a deadlock, which could cost an administrator a change.
  const statement = sql`
    with seen as (
      select feature, environment from feature_environments
      where (feature, environment) in (
        select "feature", "environment"
        from jsonb_to_recordset(${toJson(seen.values())}) as counted ("feature" text, "environment" text)
      ) and (last_seen_at is null or last_seen_at < now() - ${SEEN_PRECISION}::interval)
      for no key update skip locked
    )
    update feature_environments as stored set last_seen_at = now()
    from seen where (stored.feature, stored.environment) = (seen.feature, seen.environment)`;
  await storage.transact((db) => db.execute(statement)).catch(() => undefined);
}

function toJson(rows: Iterable<unknown>): SQL {
  return sql`${JSON.stringify([...rows])}::jsonb`;
}
