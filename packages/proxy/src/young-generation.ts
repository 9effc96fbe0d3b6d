import { setFlagsFromString } from "node:v8";

/**
 * Keeps the part of the heap where objects begin at the size that it has by now. Under load the
 * engine would let it grow to several times that, though nearly all that a request makes is gone
 * when it is answered. Whoever has set a size by an option of Node keeps it; docs/operations.md says
 * what it is worth.
 */
export function keepYoungGenerationSmall(nodeOptions: readonly (string | undefined)[]): void {
  if (nodeOptions.some((option) => option?.includes("semi-space"))) return;
  setFlagsFromString("--semi-space-growth-factor=1");
  // NOTE: it is so small that waking other threads takes longer than the collection they help with.
  setFlagsFromString("--no-parallel-scavenge");
}
