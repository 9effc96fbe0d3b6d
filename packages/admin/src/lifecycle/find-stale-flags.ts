import { setTimeout as delay } from "node:timers/promises";
import { eq, isNotNull, isNull, or, sql } from "drizzle-orm";
import { readLifetimes } from "../domain/feature-types.ts";
import { STARTED_AT } from "../domain/lifecycle/read-lifecycles.ts";
import {
  batchesOf,
  type Database,
  excluded,
  groupBy,
  isEqualJson,
  isOneOf,
} from "../storage/database.ts";
import { type NewEvent, SYSTEM_ACTOR } from "../storage/events.ts";
import { features } from "../storage/schema/features.ts";
import { lifecycles, type StaleReason } from "../storage/schema/lifecycles.ts";
import { AdaptiveBatches } from "../scheduling/adaptive-batches.ts";
import type { Storage, WriteTransaction } from "../storage/storage.ts";
import { type Evidence, firstDayOf, listReportingEnvironments, readEvidence } from "./evidence.ts";
import { judge } from "./judge.ts";

/** How long other work can go on between two batches. */
const PAUSE_MS = 20;

const DAY_MS = 86_400_000;

interface Examination {
  readonly now: Date;
  readonly lifetimes: ReadonlyMap<string, number | null>;
  readonly reporting: ReadonlySet<string>;
}

/**
 * Finds the flags that can probably be removed: they are past the lifetime of their type, and were used and then not for 30 days, or
 * gave one result for 30 days. Stores the reasons, and records what has changed.
 *
 * @returns how many flags have changed
 */
export async function findStaleFlags(
  storage: Pick<Storage, "db" | "write">,
  now: Date,
  signal?: AbortSignal,
): Promise<number> {
  const examination: Examination = {
    now,
    lifetimes: await readLifetimes(storage.db),
    reporting: await listReportingEnvironments(storage.db, now),
  };
  const batches = new AdaptiveBatches();
  const remaining = new Set(await listCandidates(storage.db, examination));
  let count = 0;
  while (remaining.size > 0) {
    if (signal?.aborted === true) break;
    // oxlint-disable no-await-in-loop -- one batch after the other
    const changes = await batches.runNext(remaining, (names) =>
      findChanges(storage.db, names, examination),
    );
    if (changes.length > 0) {
      const names = changes.map(({ name }) => name);
      await storage.write(SYSTEM_ACTOR, (transaction) => change(transaction, names, examination));
    }
    count += changes.length;
    await delay(PAUSE_MS, undefined, { ref: false });
    // oxlint-enable no-await-in-loop
  }
  return count;
}

/** Lists the flags that can be stale, and those that were. */
async function listCandidates(db: Database, examination: Examination): Promise<readonly string[]> {
  const rows = await selectFlags(db).where(or(isNull(features.archivedAt), WAS_FOUND));
  return rows.flatMap((row) =>
    row.wasStale || row.reason !== null || mayBeStale(row, examination) ? row.name : [],
  );
}

const WAS_FOUND = or(lifecycles.potentiallyStale, isNotNull(lifecycles.staleReason));

function selectFlags(db: Database) {
  return db
    .select({
      name: features.name,
      project: features.project,
      type: features.type,
      isMarked: features.stale,
      isArchived: sql<boolean>`${features.archivedAt} is not null`,
      startedAt: sql`extract(epoch from ${STARTED_AT}) * 1000`.mapWith(Number),
      isCompleted: sql<boolean>`${lifecycles.completedAt} is not null`,
      isPermanent: sql<boolean>`coalesce(${lifecycles.isPermanent}, false)`,
      snoozedUntil: lifecycles.snoozedUntil,
      wasStale: sql<boolean>`coalesce(${lifecycles.potentiallyStale}, false)`,
      reason: lifecycles.staleReason,
    })
    .from(features)
    .leftJoin(lifecycles, eq(lifecycles.feature, features.name))
    .$dynamic();
}

type Flag = Awaited<ReturnType<typeof selectFlags>>[number];

/** Whether people have decided what happens to a flag. */
function isDecided(flag: Flag, { now }: Examination): boolean {
  const isSnoozed = flag.snoozedUntil !== null && flag.snoozedUntil > now;
  return flag.isArchived || flag.isMarked || flag.isCompleted || flag.isPermanent || isSnoozed;
}

/** Whether the reports about a flag matter: also for marked ones, to show which code to keep. */
function mayBeStale(flag: Flag, examination: Examination): boolean {
  if (flag.isMarked) return !flag.isArchived && !flag.isCompleted;
  return !isDecided(flag, examination) && isPastLifetime(flag, examination);
}

function isPastLifetime({ type, startedAt }: Flag, { now, lifetimes }: Examination): boolean {
  const days = lifetimes.get(type) ?? Infinity;
  return now.getTime() - startedAt > days * DAY_MS;
}

interface Change {
  readonly name: string;
  readonly flag: Flag;
  readonly potentiallyStale: boolean;
  readonly staleReason: StaleReason | null;
}

async function findChanges(
  db: Database,
  names: readonly string[],
  examination: Examination,
): Promise<readonly Change[]> {
  const flags = await selectFlags(db).where(isOneOf(features.name, names));
  const candidates = flags.filter((flag) => mayBeStale(flag, examination));
  const evidence = await readEvidence(
    db,
    candidates.map(({ name }) => name),
    examination.now,
  );
  const evidenceOf = groupBy(evidence, ({ feature }) => feature);
  const window = {
    firstDay: firstDayOf(examination.now).getTime(),
    reporting: examination.reporting,
  };
  return flags.flatMap((flag) => {
    const found = evidenceOf.get(flag.name) ?? [];
    const staleReason = keepSince(flag.reason, judge(found, window), found);
    const potentiallyStale = staleReason !== null && !flag.isMarked;
    const isUnchanged = potentiallyStale === flag.wasStale && isEqualJson(staleReason, flag.reason);
    return isUnchanged ? [] : { name: flag.name, flag, potentiallyStale, staleReason };
  });
}

/** Usage expires. While there was no other result, an earlier beginning is still known. */
function keepSince(
  before: StaleReason | null,
  after: StaleReason | null,
  evidence: readonly Evidence[],
): StaleReason | null {
  if (after?.kind !== "constant" || before === null || before.since >= after.since) return after;
  if (!isSameReason(before, after)) return after;
  const hasChanged = evidence.some(
    (one) => one.hasChanged && after.environments.includes(one.environment),
  );
  return hasChanged ? after : before;
}

async function change(
  { db, record }: WriteTransaction,
  names: readonly string[],
  examination: Examination,
): Promise<void> {
  // NOTE: again, because a person or another replica may have changed the flags.
  const changes = await findChanges(db, names, examination);
  for (const batch of batchesOf(changes)) {
    // oxlint-disable no-await-in-loop -- one batch after the other
    const rows = batch.map(({ name: feature, potentiallyStale, staleReason }) => {
      return { feature, potentiallyStale, staleReason };
    });
    await db
      .insert(lifecycles)
      .values(rows)
      .onConflictDoUpdate({
        target: lifecycles.feature,
        set: excluded(lifecycles, "potentiallyStale", "staleReason"),
      });
    await record(...batch.flatMap((one) => toEvent(one, examination)));
    // oxlint-enable no-await-in-loop
  }
}

function isSameReason(one: StaleReason | null, other: StaleReason | null): boolean {
  return one !== null && other !== null && isEqualJson({ ...one, since: other.since }, other);
}

/** What a person has decided has an event of its own. */
function toEvent(
  { name, flag, potentiallyStale, staleReason }: Change,
  examination: Examination,
): readonly NewEvent[] {
  if (isDecided(flag, examination) || !(potentiallyStale || flag.wasStale)) return [];
  const before = flag.wasStale ? flag.reason : null;
  if (isSameReason(before, staleReason)) return [];
  return [
    {
      type: potentiallyStale ? "feature-potentially-stale-on" : "feature-potentially-stale-off",
      project: flag.project,
      feature: name,
      before: { potentiallyStale: flag.wasStale, ...(before !== null && { reason: before }) },
      after: { potentiallyStale, ...(staleReason !== null && { reason: staleReason }) },
    },
  ];
}
