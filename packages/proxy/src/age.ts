import type { FlagSource } from "flags-sdk";

type DatedSource = Pick<FlagSource, "isLive" | "confirmedAtMs" | "lastFetchAtMs">;

/**
 * Returns how many milliseconds ago the flags of a source were last confirmed; undefined if they never
 * were, like those of a bootstrap.
 */
export function ageMsOf({ isLive, confirmedAtMs, lastFetchAtMs }: DatedSource): number | undefined {
  if (isLive === true) return 0;
  if (confirmedAtMs !== undefined) return Math.max(0, performance.now() - confirmedAtMs);
  // NOTE: a source of the caller may not have a time that is independent of the system clock.
  return lastFetchAtMs === undefined ? undefined : Math.max(0, Date.now() - lastFetchAtMs);
}

/** Whether flags of this age may be served by a replica that is ready. */
export function isFresh(ageMs: number | undefined, maxStalenessMs: number | undefined): boolean {
  return maxStalenessMs === undefined || (ageMs !== undefined && ageMs <= maxStalenessMs);
}

/** The header with the age of the flags. NOTE: not `Age`, which caches interpret. */
export const AGE_HEADER = "X-Flags-Age-Seconds";
