import type { FlagOrigin } from "flags-sdk";
import type { FlagSource } from "../upstream/flag-source.ts";

type DatedSource = Pick<FlagSource, "isLive" | "confirmedAtMs" | "lastFetchAtMs" | "origin">;

/** Origins whose flags are up to date while changes arrive as they happen. A source of the caller may have none. */
const WATCHED_ORIGINS: ReadonlySet<FlagOrigin | undefined> = new Set(["file", undefined]);

/** Returns the time since the flags were last confirmed; undefined if they never were, like those of a bootstrap. */
export function ageMsOf({
  isLive,
  confirmedAtMs,
  lastFetchAtMs,
  origin,
}: DatedSource): number | undefined {
  if (isLive === true && WATCHED_ORIGINS.has(origin)) return 0;
  if (confirmedAtMs !== undefined) return Math.max(0, performance.now() - confirmedAtMs);
  // NOTE: a source of the caller may not have a time that is independent of the system clock. Others have an origin, and
  // an upstream can respond without knowing how old its flags are.
  if (origin !== undefined || lastFetchAtMs === undefined) return undefined;
  return Math.max(0, Date.now() - lastFetchAtMs);
}

/** Whether flags of this age may be served by a replica that is ready. */
export function isFresh(ageMs: number | undefined, maxStalenessMs: number | undefined): boolean {
  return maxStalenessMs === undefined || (ageMs !== undefined && ageMs <= maxStalenessMs);
}
