import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const MODULE = new URL("../dist/small-heap.js", import.meta.url).href;

/**
 * Makes many objects that live for a while, and prints how many mebibytes new ones had meanwhile: the
 * median, as on Node 24 it is more for timestamps.
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

async function sizeOfYoungGeneration(...options: readonly string[]): Promise<number> {
  const args = [...options, "--input-type=module", "--eval", SCRIPT];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return Number(stdout);
}

test("keepHeapSmall() keeps it from growing", async () => {
  expect(await sizeOfYoungGeneration()).toBeLessThanOrEqual(4);
});

test("keepHeapSmall() leaves a size that an option of Node sets", async () => {
  expect(await sizeOfYoungGeneration("--max-semi-space-size=16")).toBeGreaterThanOrEqual(16);
});
