import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import type { WatchdogData } from "./event-loop-watchdog.ts";

const { beats, intervalMs, stuckAfterMs } = workerData as WatchdogData;
const STANDARD_ERROR = 2;

let lastBeat = Atomics.load(beats, 0);
let blockedMs = 0;

// NOTE: counts intervals instead of reading a clock, so that time during which the whole process was
// suspended does not count.
setInterval(() => {
  const beat = Atomics.load(beats, 0);
  blockedMs = beat === lastBeat ? blockedMs + intervalMs : 0;
  lastBeat = beat;
  if (blockedMs < stuckAfterMs) return;
  writeSync(
    STANDARD_ERROR,
    `The process ends because it has not served requests for ${Math.round(stuckAfterMs / 1000)} s, probably because the embedded database does not return. All acknowledged writes are stored\n`,
  );
  // The main thread cannot handle a signal while it is blocked, and `exit` would end only this thread.
  process.kill(process.pid, "SIGKILL");
}, intervalMs);
