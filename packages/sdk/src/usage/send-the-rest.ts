import { setTimeout as delay } from "node:timers/promises";
import { nextDelayMs } from "../scheduling/backoff.ts";
import type { Loop } from "../scheduling/loop.ts";
import type { UpstreamError } from "../transport/upstream-error.ts";

/** A shutdown has other steps too, and container runtimes limit the time of all together. */
const TIMEOUT_MS = 2000;
const RETRY_MS = 250;

interface Sending {
  readonly loop: Loop;
  readonly abort: AbortController;
  readonly sendAll: () => Promise<UpstreamError | undefined>;
}

/** Sends everything for the last time, within two seconds; retries transient failures until then. */
export async function sendTheRest({ loop, abort, sendAll }: Sending): Promise<void> {
  const deadlineMs = performance.now() + TIMEOUT_MS;
  const timer = setTimeout(() => abort.abort(), TIMEOUT_MS);
  // NOTE: does not abort pending requests before the timeout: they may have been processed already.
  await loop.stop();
  for (let failures = 1; !abort.signal.aborted; failures += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one attempt at a time
    const error = await sendAll();
    if (error === undefined || !error.isTransient) break;
    const { retryAfterMs } = error;
    const delayMs = nextDelayMs({ intervalMs: RETRY_MS, failures, retryAfterMs });
    if (performance.now() + delayMs >= deadlineMs) break;
    // oxlint-disable-next-line no-await-in-loop -- between attempts
    await delay(delayMs);
  }
  clearTimeout(timer);
}
