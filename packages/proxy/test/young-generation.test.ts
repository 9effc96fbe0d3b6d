import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const MODULE = new URL("../dist/young-generation.js", import.meta.url).href;
const MIB = 1024 * 1024;

/** Fills the young generation with objects that survive for a while, and prints its largest size in bytes. */
const PROGRAM = `
  import { getHeapSpaceStatistics } from "node:v8";
  const recent = [];
  let largest = 0;
  for (let round = 0; round < 1000; round++) {
    for (let index = 0; index < 2000; index++) {
      recent[(round * 2000 + index) % 20_000] = { text: \`text \${index}\`, list: [round, index] };
    }
    await new Promise(setImmediate);
    const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    largest = Math.max(largest, space.space_size);
  }
  console.log(largest);
`;

/** Runs the program in a process of its own, because the options of V8 belong to a process. */
async function measureLargest(setup: string): Promise<number> {
  const args = ["--input-type=module", "--eval", setup + PROGRAM];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return Number(stdout);
}

test("the young generation stops growing at 16 MiB", async () => {
  const limit = `import { limitYoungGeneration } from "${MODULE}"; limitYoungGeneration();`;
  const [byDefault, limited] = await Promise.all([measureLargest(""), measureLargest(limit)]);
  expect(byDefault).toBeGreaterThanOrEqual(32 * MIB);
  expect(limited).toBeGreaterThanOrEqual(8 * MIB);
  expect(limited).toBeLessThan(20 * MIB);
});
