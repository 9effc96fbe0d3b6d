import { sql, type SQL } from "drizzle-orm";
import type { Database } from "../storage/database.ts";
import { features } from "../storage/schema/features.ts";
import type { Storage } from "../storage/storage.ts";
import { grantsProject } from "../access/token.ts";
import { addEvaluations, addVariants, HOURS, LARGEST_SUM } from "./count-usage.ts";
import { putUnknownFlags } from "./unknown-flags.ts";
import type { InstanceKey } from "./write-applications.ts";

/** How often an application evaluated a flag in an hour. */
export interface UsageEntry {
  readonly feature: string;
  readonly appName: string;
  readonly environment: string;
  /** Start of the hour. */
  readonly hour: Date;
  readonly yes: number;
  readonly no: number;
  /** Number of evaluations that resulted in each variant. */
  readonly variants: ReadonlyMap<string, number>;
}

/** Usage reported with one token. */
export interface UsageReport {
  readonly entries: readonly UsageEntry[];
  /** Projects that the token grants access to. Usage of flags in other projects is ignored. */
  readonly projects: readonly string[];
  /** The application instance that sent the report, unless a proxy did. */
  readonly instance?: InstanceKey;
}

/**
 * Adds the counts of reports to the stored counts, in one transaction. Of flags that do not exist, only the names are stored. An
 * application that has evaluated nothing counts as seen, too.
 */
export async function writeUsage(
  storage: Pick<Storage, "transact">,
  reports: readonly UsageReport[],
): Promise<void> {
  const { known, unknown } = await addCounts(storage, reports);
  await markFeaturesSeen(storage, known);
  // The next report tries again.
  if (unknown.length > 0) {
    const asked = unknown.map(({ appName, environment, feature }) => {
      return { appName, environment, feature };
    });
    await storage.transact((db) => putUnknownFlags(db, asked)).catch(() => undefined);
  }
  const instances = reports.flatMap(({ instance }) => instance ?? []);
  await markApplicationsSeen(storage, [...reports.flatMap(({ entries }) => entries), ...instances]);
  await markInstancesSeen(storage, instances);
}

interface Sorted {
  /** The entries that were counted. Some may be for archived flags. */
  readonly known: readonly UsageEntry[];
  /** The entries for flags that were archived, or do not exist. */
  readonly unknown: readonly UsageEntry[];
}

async function addCounts(
  storage: Pick<Storage, "transact">,
  reports: readonly UsageReport[],
): Promise<Sorted> {
  const names = new Set(reports.flatMap(({ entries }) => entries.map(({ feature }) => feature)));
  if (names.size === 0) return { known: [], unknown: [] };

  return storage.transact(async (transaction) => {
    const flags = await readFlags(transaction, names);
    const known = reports.flatMap(({ entries, projects }) =>
      entries.filter(({ feature }) => {
        const project = flags.get(feature)?.project;
        return project !== undefined && grantsProject({ projects }, project);
      }),
    );
    await addFeatureCounts(transaction, known);
    await addVariantCounts(transaction, known);
    const nowhere = reports.flatMap(({ entries }) =>
      entries.filter(({ feature }) => !flags.has(feature)),
    );
    const archived = known.filter(({ feature }) => flags.get(feature)?.isArchived);
    return { known, unknown: [...nowhere, ...archived] };
  });
}

interface ReportedFlag {
  readonly project: string;
  readonly isArchived: boolean;
}

async function readFlags(
  db: Database,
  names: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ReportedFlag>> {
  const wanted = sql`(select jsonb_array_elements_text(${JSON.stringify([...names])}::jsonb))`;
  const rows = await db
    .select({
      name: features.name,
      project: features.project,
      isArchived: sql<boolean>`${features.archivedAt} is not null`,
    })
    .from(features)
    .where(sql`${features.name} in ${wanted}`);
  return new Map(rows.map(({ name, ...flag }) => [name, flag]));
}

// NOTE: each list is sent as one JSON parameter, because the number of parameters is limited.

async function addFeatureCounts(db: Database, entries: readonly UsageEntry[]): Promise<void> {
  const counts = new Map<string, FeatureCount>();
  for (const { variants: _, ...entry } of entries) {
    const key = keyOf(entry);
    const { yes = 0, no = 0 } = counts.get(key) ?? {};
    counts.set(key, { ...entry, yes: add(yes, entry.yes), no: add(no, entry.no) });
  }
  if (counts.size === 0) return;
  await db.execute(sql`
    with counted as (
      select "feature" as feature, "environment" as environment, "hour" as time,
        "appName" as app_name, "yes" as yes, "no" as no
      from jsonb_to_recordset(${toJson(counts.values())}) as sent (
        "feature" text, "appName" text, "environment" text, "hour" timestamptz,
        "yes" bigint, "no" bigint
      )
    ) ${addEvaluations(HOURS)}`);
}

async function addVariantCounts(db: Database, entries: readonly UsageEntry[]): Promise<void> {
  const counts = new Map<string, VariantCount>();
  for (const { variants, feature, appName, environment, hour } of entries) {
    for (const [variant, count] of variants) {
      const entry = { feature, appName, environment, hour, variant };
      const key = keyOf(entry);
      counts.set(key, { ...entry, count: add(counts.get(key)?.count ?? 0, count) });
    }
  }
  if (counts.size === 0) return;
  await db.execute(sql`
    with counted as (
      select "feature" as feature, "environment" as environment, "hour" as time,
        "appName" as app_name, "variant" as variant, "count" as count
      from jsonb_to_recordset(${toJson(counts.values())}) as sent (
        "feature" text, "appName" text, "environment" text, "hour" timestamptz,
        "variant" text, "count" bigint
      )
    ) ${addVariants(HOURS)}`);
}

function add(a: number, b: number): number {
  return Math.min(a + b, LARGEST_SUM);
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

/** Updates when flags were last seen. */
function markFeaturesSeen(storage: Pick<Storage, "transact">, entries: readonly UsageEntry[]) {
  const rows = entries.map(({ feature, environment }) => ({ feature, environment }));
  return markSeen(storage, {
    table: "feature_environments",
    key: ["feature", "environment"],
    rows,
    precision: "1 minute",
  });
}

/**
 * Updates when applications were last seen. Most of them register only when they start, and would otherwise
 * expire while they run.
 */
function markApplicationsSeen(
  storage: Pick<Storage, "transact">,
  seen: readonly Pick<InstanceKey, "appName" | "environment">[],
) {
  const rows = seen.map(({ appName, environment }) => ({ app_name: appName, environment }));
  return markSeen(storage, {
    table: "applications",
    key: ["app_name", "environment"],
    rows,
    precision: "1 hour",
  });
}

function markInstancesSeen(storage: Pick<Storage, "transact">, instances: readonly InstanceKey[]) {
  const rows = instances.map(({ appName, environment, instanceId }) => ({
    app_name: appName,
    environment,
    instance_id: instanceId,
  }));
  return markSeen(storage, {
    table: "application_instances",
    key: ["app_name", "environment", "instance_id"],
    rows,
    precision: "1 hour",
  });
}

interface SeenRows {
  readonly table: string;
  /** The columns that identify a row. */
  readonly key: readonly string[];
  /** The values of these columns. */
  readonly rows: readonly Readonly<Record<string, string>>[];
  /** Rows that were seen within this interval are not updated, because usage is reported continually. */
  readonly precision: string;
}

/** Sets `last_seen_at` of rows. A failure is ignored, because the next report tries again. */
async function markSeen(
  storage: Pick<Storage, "transact">,
  { table: tableName, key, rows, precision }: SeenRows,
): Promise<void> {
  const distinct = new Map(rows.map((row) => [JSON.stringify(row), row]));
  if (distinct.size === 0) return;
  const table = sql.identifier(tableName);
  const columns = sql.join(key.map(sql.identifier), sql`, `);
  // NOTE: skips rows that another transaction has locked. A statement that never waits for a row cannot
  // take part in a deadlock, in which the change of an administrator could be rolled back.
  const statement = sql`
    with seen as (
      select ${columns} from ${table}
      where (${columns}) in (
        select ${columns} from jsonb_populate_recordset(null::${table}, ${toJson(distinct.values())})
      ) and (last_seen_at is null or last_seen_at < now() - ${precision}::interval)
      for no key update skip locked
    )
    update ${table} set last_seen_at = now() where (${columns}) in (select ${columns} from seen)`;
  await storage.transact((db) => db.execute(statement)).catch(() => undefined);
}

function toJson(rows: Iterable<unknown>): SQL {
  return sql`${JSON.stringify([...rows])}::jsonb`;
}
