// What a start without load takes, with and without optimizing WebAssembly.

import { setTimeout as delay } from "node:timers/promises";
import { readPeakMiB, readUsage } from "../../lib/process-usage.mjs";
import { sampleStarts } from "../start.mjs";

const FLAG_COUNT = 100;
/** V8 optimizes within less than a second. Nothing announces it. */
const WAIT_MS = 1500;

/**
 * Starts each proxy once per round.
 *
 * @param starters functions like `startOurs()`, by name
 * @returns by name, medians of `peakMiB`, the most memory that was resident, and of `cpuMs`, both since the process started
 */
export function measureStartMemory(starters, { rounds }) {
  return sampleStarts(starters, {
    rounds,
    flagCount: FLAG_COUNT,
    read: async ({ child: { pid } }) => {
      await delay(WAIT_MS);
      return { peakMiB: readPeakMiB(pid), cpuMs: readUsage(pid).cpuMs };
    },
  });
}
