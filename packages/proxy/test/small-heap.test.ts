import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const MODULE = new URL("../dist/small-heap.js", import.meta.url).href;

/**
 * Allocates many objects that survive for a while, and prints the median size of the young generation
 * in MiB. On Node 24 it exceeds the median for short times.
 */
const SCRIPT = `
  import { getHeapSpaceStatistics } from "node:v8";
  import { keepHeapSmall } from ${JSON.stringify(MODULE)};
  keepHeapSmall(process.execArgv);
  const sizes = [];
  for (let kept = [], i = 0; i < 3e6; i++) {
    if (i % 1e5 === 0) {
      kept = [];
      const spaces = getHeapSpaceStatistics();
      sizes.push(spaces.find((one) => one.space_name === "new_space").space_size);
    }
    kept.push({ i });
  }
  console.log(sizes.sort((a, b) => a - b)[sizes.length / 2] / 2 ** 20);
`;

async function measureYoungGeneration(...options: readonly string[]): Promise<number> {
  const args = [...options, "--input-type=module", "--eval", SCRIPT];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return Number(stdout);
}

test("keepHeapSmall() keeps the young generation from growing", async () => {
  expect(await measureYoungGeneration()).toBeLessThanOrEqual(4);
});

test("keepHeapSmall() does nothing if an option of Node sets the size", async () => {
  expect(await measureYoungGeneration("--max-semi-space-size=16")).toBeGreaterThanOrEqual(16);
});
