import { and, eq, isNotNull, isNull, ne, sql, type SQL } from "drizzle-orm";
import { type Database, rowsOf } from "../storage/database.ts";
import { addons, notifications } from "../storage/schema/notifications.ts";
import { nextAttempt } from "./backoff.ts";
import type { Outcome } from "./send.ts";

/** A replica that has not finished a notification after this time has died. */
const LEASE_MS = 30_000;

/** How many notifications of one addon a replica sends at a time, so that a slow receiver delays no other one. */
const MAX_PER_ADDON = 4;

/** A notification that this replica sends now, and no other one. */
export interface Claimed {
  readonly addon: number;
  readonly event: number;
  readonly messageId: string;
  readonly attempts: number;
  readonly createdAt: Date;
}

/** Whether anything is to be sent now. */
export async function hasDue(db: Database, now: Date): Promise<boolean> {
  const rows = await db.execute(sql`
    select from addons
    where enabled and (
      exists (select from notifications where addon = addons.id and ${isDue(now, true)})
      or exists (select from notifications where addon = addons.id and ${isDue(now, false)})
    ) limit 1`);
  return rowsOf(rows).length > 0;
}

/** NOTE: a condition for both could not use the indexes of what was never attempted and of retries. */
function isDue(now: Date, isFirst: boolean): SQL {
  const time = now.toISOString();
  const isTime = isFirst
    ? sql`attempts = 0`
    : sql`attempts > 0 and next_at <= ${time}::timestamptz`;
  return sql`state = 'pending' and ${isTime}
    and (locked_until is null or locked_until <= ${time}::timestamptz)`;
}

/**
 * Claims notifications for this replica: first those that were never attempted, in the order of the events, and none of a flag
 * before the earlier ones of the flag were attempted.
 *
 * @param running how many notifications of each addon this replica is sending
 */
export async function claimDue(
  db: Database,
  now: Date,
  running: ReadonlyMap<number, number>,
): Promise<readonly Claimed[]> {
  const taken = new Map(running);
  const claim = async (isFirst: boolean): Promise<readonly Claimed[]> => {
    const claimed = await claimKind(db, { now, taken, isFirst });
    for (const { addon } of claimed) taken.set(addon, (taken.get(addon) ?? 0) + 1);
    return claimed;
  };
  const first = await claim(true);
  return [...first, ...(await claim(false))];
}

interface ClaimKind {
  readonly now: Date;
  readonly taken: ReadonlyMap<number, number>;
  /** Whether to claim first attempts, or others. */
  readonly isFirst: boolean;
}

async function claimKind(
  db: Database,
  { now, taken, isFirst }: ClaimKind,
): Promise<readonly Claimed[]> {
  const isEarliest = sql`not exists (
    select from notifications as earlier
    where earlier.addon = notifications.addon and earlier.feature = notifications.feature
      and earlier.event < notifications.event and earlier.state = 'pending' and earlier.attempts = 0)`;
  const lockedUntil = new Date(now.getTime() + LEASE_MS).toISOString();
  const result = await db.execute(sql`
    with due as (
      select next.addon, next.event
      from addons cross join lateral (
        select notifications.addon, notifications.event from notifications
        where addon = addons.id and ${isDue(now, isFirst)}${isFirst ? sql` and ${isEarliest}` : sql``}
        order by ${isFirst ? sql`event` : sql`next_at`}
        limit greatest(0, ${MAX_PER_ADDON} - coalesce(
          (${JSON.stringify(Object.fromEntries(taken))}::jsonb ->> addons.id::text)::int, 0))
        for update skip locked
      ) as next
      where addons.enabled
    )
    update notifications set locked_until = ${lockedUntil}::timestamptz
    from due where notifications.addon = due.addon and notifications.event = due.event
    returning notifications.addon, notifications.event::text, message_id, attempts, created_at::text`);
  return rowsOf(result)
    .map((row) => ({
      addon: Number(row["addon"]),
      event: Number(row["event"]),
      messageId: String(row["message_id"]),
      attempts: Number(row["attempts"]),
      createdAt: new Date(String(row["created_at"])),
    }))
    .toSorted((one, other) => one.event - other.event);
}

/** Lets other replicas send what this one has claimed. */
export async function release(db: Database, { addon, event }: Claimed): Promise<void> {
  await db
    .update(notifications)
    .set({ lockedUntil: null })
    .where(and(isNotification({ addon, event }), eq(notifications.state, "pending")));
}

function isNotification({ addon, event }: Pick<Claimed, "addon" | "event">): SQL | undefined {
  return and(eq(notifications.addon, addon), eq(notifications.event, event));
}

/** Since when every attempt of an addon has failed. */
export interface Failing {
  readonly since: Date;
  /** Whether this attempt is the first of them. */
  readonly isFirst: boolean;
}

/** Records what became of an attempt. Returns undefined if it succeeded, or if the addon has been deleted. */
export async function recordOutcome(
  db: Database,
  claimed: Claimed,
  outcome: Outcome,
  now: Date,
): Promise<Failing | undefined> {
  const { isSuccess, isGone, status, durationMs, reason, retryAfterMs } = outcome;
  const attempts = claimed.attempts + 1;
  const next =
    isSuccess || isGone
      ? undefined
      : nextAttempt({ attempts, createdAt: claimed.createdAt, now, retryAfterMs });
  await db
    .update(notifications)
    .set({
      state: isSuccess ? "success" : next === undefined ? "failed" : "pending",
      attempts,
      attemptedAt: now,
      nextAt: next ?? null,
      lockedUntil: null,
      status,
      durationMs,
      reason,
    })
    // Somebody may have disabled the addon meanwhile, so that it is not tried again.
    .where(and(isNotification(claimed), isSuccess ? undefined : ne(notifications.state, "failed")));
  const isAddon = eq(addons.id, claimed.addon);
  if (isSuccess) {
    await db
      .update(addons)
      .set({ failingSince: null })
      .where(and(isAddon, isNotNull(addons.failingSince)));
    return undefined;
  }
  const marked = await db
    .update(addons)
    .set({ failingSince: now })
    .where(and(isAddon, isNull(addons.failingSince)))
    .returning({ id: addons.id });
  const [addon] = await db.select({ since: addons.failingSince }).from(addons).where(isAddon);
  const since = addon?.since ?? undefined;
  return since && { since, isFirst: marked.length > 0 };
}
