import { Worker } from "node:worker_threads";
import type { Logger } from "flags-server-kit/neutral";

/** Data that the main thread passes to the watchdog thread. */
export interface WatchdogData {
  /** A counter that the event loop increments at each interval. */
  readonly beats: Int32Array<SharedArrayBuffer>;
  readonly intervalMs: number;
  readonly stuckAfterMs: number;
}

// NOTE: also correct when this runs from the bundle, which is in a folder of the same depth.
const WATCHDOG_PROGRAM = new URL("../monitoring/watchdog-thread.js", import.meta.url);

interface WatchdogOptions {
  readonly logger: Pick<Logger, "warn">;
  /** The process ends when the event loop is blocked for this long. @default 60000 */
  readonly stuckAfterMs?: number;
}

/**
 * Ends the process if its event loop is blocked for too long. The embedded database runs on the main
 * thread: if it never returns, the process serves nothing and ignores SIGTERM, and only another thread
 * can end it. Acknowledged writes are on disk, so ending the process loses nothing.
 *
 * @returns a function that stops the watchdog
 */
export function watchEventLoop({ logger, stuckAfterMs = 60_000 }: WatchdogOptions): () => void {
  const intervalMs = Math.min(1000, stuckAfterMs / 4);
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const timer = setInterval(() => Atomics.add(beats, 0, 1), intervalMs);
  timer.unref();
  const workerData: WatchdogData = { beats, intervalMs, stuckAfterMs };
  const worker = new Worker(WATCHDOG_PROGRAM, {
    workerData,
    // Options such as --input-type apply only to the main program.
    execArgv: [],
  });
  worker.unref();
  worker.on("error", (error) =>
    logger.warn("Cannot watch the event loop: a blocked process will not be ended", error),
  );
  return () => {
    clearInterval(timer);
    void worker.terminate();
  };
}

/**
 * Creates a function to call at each interval with the counter of the event loop. It returns whether the
 * counter has not changed for `maxIntervals` calls.
 *
 * NOTE: counts intervals instead of reading a clock, so that time during which the whole process was
 * suspended does not count.
 */
export function createStuckCheck(
  maxIntervals: number,
  firstBeat: number,
): (beat: number) => boolean {
  let lastBeat = firstBeat;
  let unchanged = 0;
  return (beat) => {
    unchanged = beat === lastBeat ? unchanged + 1 : 0;
    lastBeat = beat;
    return unchanged >= maxIntervals;
  };
}
