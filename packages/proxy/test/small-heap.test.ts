import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const MODULE = new URL("../dist/small-heap.js", import.meta.url).href;

/** Makes many objects that live for a while, and prints how many mebibytes new ones then have. */
const SCRIPT = `
  import { getHeapSpaceStatistics } from "node:v8";
  import { keepHeapSmall } from ${JSON.stringify(MODULE)};
  keepHeapSmall(process.execArgv);
  for (let kept = [], i = 0; i < 3e6; i++) {
    if (i % 1e5 === 0) kept = [];
    kept.push({ i });
  }
  const { space_size } = getHeapSpaceStatistics().find((one) => one.space_name === "new_space");
  console.log(space_size / 2 ** 20);
`;

async function sizeOfYoungGeneration(...options: readonly string[]): Promise<number> {
  const args = [...options, "--input-type=module", "--eval", SCRIPT];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return Number(stdout);
}

test("keepHeapSmall() keeps it from growing", async () => {
  // Without it 32 or more; with it 2, and on Node 24 at times up to 6.
  expect(await sizeOfYoungGeneration()).toBeLessThanOrEqual(8);
});

test("keepHeapSmall() leaves a size that an option of Node sets", async () => {
  expect(await sizeOfYoungGeneration("--max-semi-space-size=16")).toBeGreaterThanOrEqual(16);
});
