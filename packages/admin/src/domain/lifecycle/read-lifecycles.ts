import { eq, sql, type SQL } from "drizzle-orm";
import { type Database, firstRow, isOneOf } from "../../storage/database.ts";
import { features } from "../../storage/schema/features.ts";
import {
  type CompletedStatus,
  lifecycles,
  type StaleReason,
} from "../../storage/schema/lifecycles.ts";
import { type StaleSnooze, toSnooze } from "./snooze.ts";

/** The stages of a flag, in their order. */
export const STAGES = ["initial", "pre-live", "live", "completed", "archived"] as const;

export type Stage = (typeof STAGES)[number];

/** A stage that a flag has reached. */
export interface ReachedStage {
  readonly stage: Stage;
  readonly enteredStageAt: Date;
  /** What became of a completed flag. */
  readonly status?: CompletedStatus;
}

/** How far a flag has come, and whether it can probably be removed. */
export interface LifecycleView {
  readonly lifecycle: ReachedStage;
  readonly potentiallyStale: boolean;
  /** Why it can be removed; null if nothing is known. */
  readonly staleReason: StaleReason | null;
  readonly staleSnooze: StaleSnooze | null;
}

// NOTE: the following conditions require a left join of `lifecycles` to `features`.

/** When the life of a flag began. */
export const STARTED_AT: SQL = sql`coalesce(${lifecycles.restartedAt}, ${features.createdAt})`;

export const STAGE: SQL = sql`case
  when ${features.archivedAt} is not null then 'archived'
  when ${lifecycles.completedAt} is not null then 'completed'
  when ${lifecycles.liveAt} is not null then 'live'
  when ${lifecycles.preLiveAt} is not null then 'pre-live'
  else 'initial' end`;

/** NOTE: what a person has decided counts at once, before flags are examined again. */
export const IS_POTENTIALLY_STALE: SQL = sql`(coalesce(${lifecycles.potentiallyStale}, false)
  and not ${features.stale} and ${features.archivedAt} is null)`;

const COLUMNS = {
  name: features.name,
  stale: features.stale,
  createdAt: features.createdAt,
  archivedAt: features.archivedAt,
  restartedAt: lifecycles.restartedAt,
  preLiveAt: lifecycles.preLiveAt,
  liveAt: lifecycles.liveAt,
  completedAt: lifecycles.completedAt,
  completedStatus: lifecycles.completedStatus,
  isPotentiallyStale: sql<boolean>`${IS_POTENTIALLY_STALE}`,
  staleReason: lifecycles.staleReason,
  snoozedUntil: lifecycles.snoozedUntil,
  isPermanent: lifecycles.isPermanent,
};

async function readRows(db: Database, names: readonly string[]) {
  return db
    .select(COLUMNS)
    .from(features)
    .leftJoin(lifecycles, eq(lifecycles.feature, features.name))
    .where(isOneOf(features.name, names));
}

type Row = Awaited<ReturnType<typeof readRows>>[number];

/** Reads the lifecycles of existing flags. Returns a function that returns that of one of them. */
export async function readLifecycles(
  db: Database,
  names: readonly string[],
): Promise<(name: string) => LifecycleView> {
  const rows = await readRows(db, names);
  const views = new Map(rows.map((row) => [row.name, toLifecycleView(row)]));
  return (name) => firstRow([views.get(name)].filter((view) => view !== undefined));
}

/** Reads the stages that a flag has reached, the first one first. */
export async function listStages(db: Database, name: string): Promise<readonly ReachedStage[]> {
  return (await readRows(db, [name])).flatMap(toStages);
}

function toStages(row: Row): readonly ReachedStage[] {
  const status = row.completedStatus;
  return [
    { stage: "initial", enteredStageAt: row.restartedAt ?? row.createdAt },
    ...(row.preLiveAt === null
      ? []
      : [{ stage: "pre-live" as const, enteredStageAt: row.preLiveAt }]),
    ...(row.liveAt === null ? [] : [{ stage: "live" as const, enteredStageAt: row.liveAt }]),
    ...(row.completedAt === null
      ? []
      : [
          {
            stage: "completed" as const,
            enteredStageAt: row.completedAt,
            ...(status !== null && { status }),
          },
        ]),
    ...(row.archivedAt === null
      ? []
      : [{ stage: "archived" as const, enteredStageAt: row.archivedAt }]),
  ];
}

function toLifecycleView(row: Row): LifecycleView {
  const { isPotentiallyStale, stale } = row;
  const isActive = row.archivedAt === null;
  return {
    lifecycle: toStages(row).at(-1) ?? { stage: "initial", enteredStageAt: row.createdAt },
    potentiallyStale: isPotentiallyStale,
    staleReason: isPotentiallyStale || (stale && isActive) ? row.staleReason : null,
    staleSnooze: toSnooze(row),
  };
}
