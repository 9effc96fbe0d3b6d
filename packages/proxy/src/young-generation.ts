// Limits V8's young generation, all of which is resident under load. See docs/decisions/0023-limit-the-young-generation.md.

import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** The size of both halves together. By default, V8 doubles it up to 32 MiB on Node 20 and 22, and up to 128 MiB on Node 24. */
const MAX_YOUNG_GENERATION_BYTES = 8 * 1024 * 1024;

/**
 * How often to check whether V8 has shrunk a young generation that had reached the limit. Until then, it cannot grow, and more
 * garbage moves to the old generation.
 */
const CHECK_INTERVAL_MS = 20;

/**
 * Stops the growth of the young generation of this process at 8 MiB.
 *
 * NOTE: call this after the bundle is loaded. V8 rejects a code cache that was created under other options.
 */
export function limitYoungGeneration(): void {
  // NOTE: not used at the limit, because Node leaves several kB in the old generation for each collection that it reports.
  const observer = new PerformanceObserver(() => {
    if (!isAtLimit()) return;
    observer.disconnect();
    setGrowthFactor(1);
    // V8 shrinks the young generation of an idle process, and does not report it.
    const timer = setInterval(() => {
      if (isAtLimit()) return;
      clearInterval(timer);
      allowGrowth();
    }, CHECK_INTERVAL_MS);
    timer.unref();
  });
  const allowGrowth = (): void => {
    setGrowthFactor(2);
    observer.observe({ type: "gc" });
  };
  allowGrowth();
}

function setGrowthFactor(factor: 1 | 2): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

function isAtLimit(): boolean {
  const youngGeneration = getHeapSpaceStatistics().find(
    ({ space_name: name }) => name === "new_space",
  );
  return (youngGeneration?.space_size ?? 0) >= MAX_YOUNG_GENERATION_BYTES;
}
