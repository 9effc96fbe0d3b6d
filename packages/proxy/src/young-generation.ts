// Limits V8's young generation, all of which is resident under load. See docs/decisions/0023-limit-the-young-generation.md.

import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** The size of both halves together. By default, V8 doubles it up to 32 MiB on Node 20 and 22, and up to 128 MiB on Node 24. */
const MAX_YOUNG_GENERATION_BYTES = 16 * 1024 * 1024;

/**
 * Stops the growth of the young generation of this process at 16 MiB.
 *
 * NOTE: call this after the bundle is loaded. V8 rejects a code cache that was created under other options.
 */
export function limitYoungGeneration(): void {
  let isLimited = false;
  const observer = new PerformanceObserver(() => {
    // NOTE: V8 shrinks the young generation of an idle process, which must then be able to grow again.
    const isLarge = readYoungGenerationBytes() >= MAX_YOUNG_GENERATION_BYTES;
    if (isLarge === isLimited) return;
    isLimited = isLarge;
    setFlagsFromString(`--semi-space-growth-factor=${isLarge ? 1 : 2}`);
  });
  observer.observe({ type: "gc" });
}

function readYoungGenerationBytes(): number {
  const spaces = getHeapSpaceStatistics();
  return spaces.find(({ space_name: name }) => name === "new_space")?.space_size ?? 0;
}
