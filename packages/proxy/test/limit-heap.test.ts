import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const MODULE = new URL("../dist/limit-heap.js", import.meta.url).href;
const LIMIT = `import { limitHeap } from "${MODULE}"; limitHeap();`;
const MIB = 1024 * 1024;

/** Replaces objects, of which the given number are in use, and prints the largest size in bytes of a space of the heap. */
const measureSpace = (space: string, objects: number): string => `
  import { getHeapSpaceStatistics } from "node:v8";
  const recent = [];
  let largest = 0;
  for (let round = 0; round < 400; round++) {
    for (let index = 0; index < 2000; index++) {
      recent[(round * 2000 + index) % ${objects}] = { text: \`text \${index}\`, list: [round, index] };
    }
    await new Promise(setImmediate);
    const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === "${space}");
    largest = Math.max(largest, space.space_size);
  }
  console.log(largest);
`;

/** Runs a program in a process of its own, because the options of V8 belong to a process. */
async function run(program: string): Promise<number> {
  const args = ["--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return Number(stdout);
}

test("the young generation stops growing at 16 MiB", async () => {
  const program = measureSpace("new_space", 20_000);
  const [byDefault, limited] = await Promise.all([run(program), run(LIMIT + program)]);
  expect(byDefault).toBeGreaterThanOrEqual(32 * MIB);
  expect(limited).toBeGreaterThanOrEqual(8 * MIB);
  expect(limited).toBeLessThan(20 * MIB);
});

test("the old generation contains less garbage than by default", async () => {
  const program = measureSpace("old_space", 100_000);
  const [byDefault, limited] = await Promise.all([run(program), run(LIMIT + program)]);
  expect(limited).toBeLessThan(0.8 * byDefault);
});
