import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "flags-server-kit";
import { isConnectionError } from "../storage/errors.ts";
import type { Storage } from "../storage/storage.ts";
import { deleteExpired } from "./delete-expired.ts";
import type { Retention } from "./retention.ts";

const MINUTE_MS = 60_000;

interface ScheduleOptions {
  readonly storage: Storage;
  readonly retention: Retention;
  readonly logger: Pick<Logger, "info" | "warn">;
  /** @default a minute */
  readonly firstRunMs?: number;
  /** @default an hour */
  readonly intervalMs?: number;
}

/** Deletes expired data at an interval. Resolves once the last run has ended after the signal. */
export async function deleteRegularly(
  { storage, retention, logger, ...intervals }: ScheduleOptions,
  signal: AbortSignal,
): Promise<void> {
  const { firstRunMs = MINUTE_MS, intervalMs = 60 * MINUTE_MS } = intervals;
  await pause(firstRunMs, signal);
  while (!signal.aborted) {
    try {
      const deleted = await deleteExpired(storage, retention, { signal });
      const parts = Object.entries(deleted).filter(([, count]) => count > 0);
      if (parts.length > 0) {
        logger.info(`Deleted expired data: ${parts.map((part) => part.join(" ")).join(", ")}`);
      }
    } catch (error) {
      // The next run deletes more. Requests already report an unavailable database.
      if (!isConnectionError(error)) logger.warn("Cannot delete expired data", error);
    }
    await pause(intervalMs, signal);
  }
}

/** Waits without keeping the process alive. */
async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  await delay(delayMs, undefined, { signal, ref: false }).catch(() => undefined);
}
