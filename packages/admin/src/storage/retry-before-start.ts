import { setTimeout as delay } from "node:timers/promises";
import { isConnectionFailure } from "./connection-failure.ts";

const PAUSES_MS = [50, 200, 500];

/**
 * Tries again while the connection fails before the work has `started`, since nothing can have been
 * written by then. What fails later fails for good: it might have been written.
 */
export async function retryBeforeStart<T>(
  attempt: (started: () => void) => Promise<T>,
  pausesMs: readonly number[] = PAUSES_MS,
): Promise<T> {
  for (const pauseMs of pausesMs) {
    let hasStarted = false;
    try {
      return await attempt(() => {
        hasStarted = true;
      });
    } catch (error) {
      if (hasStarted || !isConnectionFailure(error)) throw error;
    }
    await delay(pauseMs);
  }
  return attempt(() => undefined);
}
