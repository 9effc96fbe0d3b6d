import { badData } from "../errors.ts";
import type { LenientTimestamp } from "./lenient-values.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Reports of earlier hours are counted in the oldest of these. Usage is kept at least as long. */
const MAX_DELAY_HOURS = 48;

const DEFAULT_HOURS = 24;

/** Returns the start of the hour that contains a date, in UTC. */
export function startOfHour(date: Date): Date {
  return new Date(Math.floor(date.getTime() / HOUR_MS) * HOUR_MS);
}

/** Returns the start of the last `count` hours, oldest first. The last one is the current hour. */
export function lastHours(count: number, now: Date): readonly Date[] {
  const current = startOfHour(now).getTime();
  return Array.from({ length: count }, (_, index) => {
    return new Date(current - (count - 1 - index) * HOUR_MS);
  });
}

/** Returns the start of the last `count` days in UTC, oldest first. The last one is the current day. */
export function lastDays(count: number, now: Date): readonly Date[] {
  const current = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  return Array.from({ length: count }, (_, index) => {
    return new Date(current - (count - 1 - index) * DAY_MS);
  });
}

/**
 * Parses the query parameter `hoursBack`, an integer from 1 to the hours for which usage is kept.
 *
 * @returns 24 for anything else
 */
export function parseHoursBack(text: string | undefined, maxHours: number): number {
  const hours = Number(text ?? DEFAULT_HOURS);
  const isInRange = Number.isInteger(hours) && hours >= 1 && hours <= maxHours;
  return isInRange ? hours : DEFAULT_HOURS;
}

/**
 * Parses the query parameter `daysBack`.
 *
 * @returns undefined without the parameter
 * @throws {ApiError} unless it is an integer from 1 to the days for which usage is kept
 */
export function parseDaysBack(text: string | undefined, maxDays: number): number | undefined {
  if (text === undefined) return undefined;
  const days = Number(text);
  if (!/^\d{1,4}$/.test(text) || days < 1 || days > maxDays) {
    throw badData("/query/daysBack", `must be an integer from 1 to ${maxDays}`);
  }
  return days;
}

/**
 * Parses the time of a report and returns the start of its hour. Clocks of applications can be wrong: a
 * time in the future counts as now, and one more than 48 hours ago as the oldest of these hours.
 *
 * @param sent a date as a string, or milliseconds since 1970; anything else counts as now
 */
export function parseHour(sent: LenientTimestamp | undefined, now: Date): Date {
  const oldest = now.getTime() - (MAX_DELAY_HOURS - 1) * HOUR_MS;
  const timestamp = parseTimestamp(sent) ?? now.getTime();
  return startOfHour(new Date(Math.min(Math.max(timestamp, oldest), now.getTime())));
}

function parseTimestamp(sent: LenientTimestamp | undefined): number | undefined {
  if (sent === null || sent === undefined) return undefined;
  const timestamp = new Date(sent).getTime();
  return Number.isNaN(timestamp) ? undefined : timestamp;
}
