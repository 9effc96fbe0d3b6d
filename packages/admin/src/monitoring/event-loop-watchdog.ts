import { Worker } from "node:worker_threads";
import type { Logger } from "flags-server-kit";

/** What the thread gets to know. */
export interface WatchdogData {
  /** One number, which grows while the event loop runs. */
  readonly beats: Int32Array<SharedArrayBuffer>;
  readonly intervalMs: number;
  readonly stuckAfterMs: number;
}

interface WatchdogOptions {
  readonly logger: Pick<Logger, "warn">;
  /** How long the event loop may be blocked. @default 60000 */
  readonly stuckAfterMs?: number;
}

/**
 * Ends the process when its event loop is blocked for too long. The embedded database runs on the
 * main thread: if it never returns, the process serves nothing and ignores SIGTERM, and nothing but
 * another thread can end it. Acknowledged writes are on disk, so ending the process loses nothing.
 *
 * @returns how to stop watching
 */
export function watchEventLoop({ logger, stuckAfterMs = 60_000 }: WatchdogOptions): () => void {
  const intervalMs = Math.min(1000, stuckAfterMs / 4);
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const timer = setInterval(() => Atomics.add(beats, 0, 1), intervalMs);
  timer.unref();
  const workerData: WatchdogData = { beats, intervalMs, stuckAfterMs };
  const worker = new Worker(new URL("./watchdog-thread.js", import.meta.url), {
    workerData,
    // Flags such as --input-type are for the main program.
    execArgv: [],
  });
  worker.unref();
  worker.on("error", (error) => logger.warn("The event loop is not watched", error));
  return () => {
    clearInterval(timer);
    void worker.terminate();
  };
}
