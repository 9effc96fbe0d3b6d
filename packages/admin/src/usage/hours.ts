import type { SentMoment } from "./lenient.ts";

export const HOUR_MS = 3_600_000;

/** How far back usage is kept. */
export const RETENTION_HOURS = 48;

/** When the hour of a moment begins. */
export function startOfHour(date: Date): Date {
  return new Date(Math.floor(date.getTime() / HOUR_MS) * HOUR_MS);
}

/**
 * The hour that a report is about. Clocks of applications may be wrong: what would be in the future
 * counts as now, and what would be too old as the oldest that is kept.
 */
export function readHour(sent: SentMoment | undefined, now: Date): Date {
  const oldest = now.getTime() - (RETENTION_HOURS - 1) * HOUR_MS;
  const moment = readMoment(sent) ?? now.getTime();
  return startOfHour(new Date(Math.min(Math.max(moment, oldest), now.getTime())));
}

function readMoment(sent: SentMoment | undefined): number | undefined {
  if (sent === null || sent === undefined) return undefined;
  const moment = new Date(sent).getTime();
  return Number.isNaN(moment) ? undefined : moment;
}
