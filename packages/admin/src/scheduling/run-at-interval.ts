import { setTimeout as delay } from "node:timers/promises";

interface Options {
  /** From one end of the work to its next start, with up to half of it more or less, so that replicas differ. */
  readonly intervalMs: number;
  readonly onError: (error: unknown) => void;
}

/** Does something at an interval. Resolves once the last run has ended after the signal. Keeps no process alive. */
export async function runAtInterval(
  work: (signal: AbortSignal) => Promise<unknown>,
  { intervalMs, onError }: Options,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    // oxlint-disable-next-line no-await-in-loop -- at an interval
    await delay(intervalMs * (0.5 + Math.random()), undefined, { signal, ref: false }).catch(
      () => undefined,
    );
    if (signal.aborted) return;
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await work(signal).catch(onError);
  }
}
