import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { createStuckCheck, type WatchdogData } from "./event-loop-watchdog.ts";

const { beats, intervalMs, stuckAfterMs } = workerData as WatchdogData;
const STANDARD_ERROR = 2;

const isStuck = createStuckCheck(stuckAfterMs / intervalMs, Atomics.load(beats, 0));

setInterval(() => {
  if (!isStuck(Atomics.load(beats, 0))) return;
  writeSync(
    STANDARD_ERROR,
    `The process ends because it has not served requests for ${Math.round(stuckAfterMs / 1000)} s, probably because the embedded database does not return. All acknowledged writes are stored\n`,
  );
  // The main thread cannot handle a signal while it is blocked, and `exit` would end only this thread.
  process.kill(process.pid, "SIGKILL");
}, intervalMs);
