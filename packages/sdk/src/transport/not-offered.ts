import { UpstreamError } from "./upstream-error.ts";

const NOT_OFFERED: ReadonlySet<number | undefined> = new Set([404, 405, 501]);
const INTERVALS_TO_NEXT_CHECK = 60;
const DEFAULT_CHECK_MS = 300_000;

/** Whether a status says that the upstream does not have a path, or not with this method. */
export function isNotOffered(status: number | undefined): boolean {
  return NOT_OFFERED.has(status);
}

/**
 * The error for a way of synchronizing that the upstream does not have, and of which it is asked
 * again now and then; undefined for other faults.
 */
export function toNotOffered(thrown: unknown, intervalMs: number): UpstreamError | undefined {
  if (!(thrown instanceof UpstreamError)) return undefined;
  const { status, code, message, retryAfterMs = 0 } = thrown;
  if (code !== "NOT_OFFERED" && !isNotOffered(status)) return undefined;
  return new UpstreamError(`${message}; polling instead`, {
    code: "NOT_OFFERED",
    ...(status !== undefined && { status }),
    retryAfterMs: Math.max(nextCheckMs(intervalMs), retryAfterMs),
    cause: thrown,
  });
}

/** When to try again what the upstream does not offer: beside polling, one more request in sixty costs little. */
export function nextCheckMs(intervalMs: number): number {
  return intervalMs * INTERVALS_TO_NEXT_CHECK || DEFAULT_CHECK_MS;
}
