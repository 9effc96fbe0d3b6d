import { setFlagsFromString } from "node:v8";

/**
 * Keeps the part of the heap where objects begin at the size that it has by now: under load the
 * engine would let it grow to several times that, though nearly all that a request makes is gone
 * when it is answered. And has the rest collected when it has grown by a third: the little of each
 * request that ends up there would else add up to as much again. Whoever has set a size by an option
 * of Node keeps it; docs/operations.md says what it is worth.
 */
export function keepHeapSmall(nodeOptions: readonly (string | undefined)[]): void {
  if (nodeOptions.some((option) => option?.includes("semi-space"))) return;
  setFlagsFromString("--semi-space-growth-factor=1");
  // NOTE: it is so small that waking other threads takes longer than the collection they help with.
  setFlagsFromString("--no-parallel-scavenge");
  setFlagsFromString("--heap-growing-percent=30");
}
