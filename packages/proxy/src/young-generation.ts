// Limits V8's young generation, all of which is resident under load. See docs/decisions/0023-limit-the-young-generation.md.

import { performance, PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** The size of both halves together. By default, V8 doubles it up to 32 MiB on Node 20 and 22, and up to 128 MiB on Node 24. */
const MAX_YOUNG_GENERATION_BYTES = 16 * 1024 * 1024;
const CHECK_INTERVAL_MS = 1000;
/** The share of the time below which the process counts as idle. */
const IDLE_UTILIZATION = 0.1;

/**
 * Stops the growth of the young generation of this process at 16 MiB.
 *
 * NOTE: call this after the bundle is loaded. V8 rejects a code cache that was created under other options.
 */
export function limitYoungGeneration(): void {
  const observer = new PerformanceObserver(stopAtLimit);

  // NOTE: each notification leaves about 5 kB in the old generation, so collections are not observed under load.
  function stopAtLimit(): void {
    if (readYoungGenerationBytes() < MAX_YOUNG_GENERATION_BYTES) return;
    observer.disconnect();
    setGrowthFactor(1);
    let before = performance.eventLoopUtilization();
    const timer = setInterval(() => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      // V8 shrinks the young generation of an idle process. If it could not grow as soon as load returns, the requests in
      // progress would fill the old generation.
      if (utilization >= IDLE_UTILIZATION) return;
      clearInterval(timer);
      allowGrowth();
    }, CHECK_INTERVAL_MS);
    timer.unref();
  }

  function allowGrowth(): void {
    setGrowthFactor(2);
    observer.observe({ type: "gc" });
  }

  allowGrowth();
}

function setGrowthFactor(factor: 1 | 2): void {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
}

function readYoungGenerationBytes(): number {
  const spaces = getHeapSpaceStatistics();
  return spaces.find(({ space_name: name }) => name === "new_space")?.space_size ?? 0;
}
