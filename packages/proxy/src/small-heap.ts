import { setFlagsFromString } from "node:v8";

/**
 * Tunes V8 for a small heap, unless an option of Node sets the size of the young generation.
 *
 * The young generation keeps its current size: under load V8 would grow it several times, although
 * nearly everything that a request allocates is garbage once the response is sent. The old generation
 * is collected when it has grown by a third: otherwise the few objects that each request promotes would
 * double it. docs/operations.md has measurements.
 *
 * @param nodeOptions the options that Node was started with, from the command line and environment
 */
export function keepHeapSmall(nodeOptions: readonly (string | undefined)[]): void {
  if (nodeOptions.some((option) => option?.includes("semi-space"))) return;
  setFlagsFromString("--semi-space-growth-factor=1");
  // NOTE: for so small a generation, waking other threads takes longer than the collection.
  setFlagsFromString("--no-parallel-scavenge");
  setFlagsFromString("--heap-growing-percent=30");
}
