import { writeSync } from "node:fs";
import { workerData } from "node:worker_threads";
import type { WatchdogData } from "./event-loop-watchdog.ts";

const { beats, intervalMs, stuckAfterMs } = workerData as WatchdogData;
const STANDARD_ERROR = 2;

let lastBeat = Atomics.load(beats, 0);
let blockedMs = 0;

// NOTE: counts its own ticks instead of reading a clock, so that time in which the whole process was
// suspended does not count.
setInterval(() => {
  const beat = Atomics.load(beats, 0);
  blockedMs = beat === lastBeat ? blockedMs + intervalMs : 0;
  lastBeat = beat;
  if (blockedMs < stuckAfterMs) return;
  writeSync(
    STANDARD_ERROR,
    `The process served nothing for ${Math.round(stuckAfterMs / 1000)} s, probably because the embedded database does not return, and is ended. Everything that was acknowledged is stored\n`,
  );
  // The main thread does not get to handle a signal, and a thread can end only itself by `exit`.
  process.kill(process.pid, "SIGKILL");
}, intervalMs);
