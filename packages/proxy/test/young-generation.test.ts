import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const MODULE = new URL("../dist/young-generation.js", import.meta.url).href;
const MIB = 1024 * 1024;

/** Defines `fill()`, which fills the young generation with objects that survive for a while. */
const FILL = `
  import { getHeapSpaceStatistics } from "node:v8";
  const recent = [];
  const readBytes = () => getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space").space_size;

  /** Returns the largest size of the young generation in bytes. */
  async function fill() {
    let largest = 0;
    for (let round = 0; round < 1000; round++) {
      for (let index = 0; index < 2000; index++) {
        recent[(round * 2000 + index) % 20_000] = { text: \`text \${index}\`, list: [round, index] };
      }
      await new Promise(setImmediate);
      largest = Math.max(largest, readBytes());
    }
    return largest;
  }
`;
const LIMIT = `import { limitYoungGeneration } from "${MODULE}"; limitYoungGeneration();`;

/** Runs a program in a process of its own, because the options of V8 belong to a process. Returns the numbers that it prints. */
async function run(program: string): Promise<readonly number[]> {
  const args = ["--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 240_000 });
  return stdout.trim().split("\n").map(Number);
}

test("the young generation stops growing at 8 MiB", async () => {
  const program = `${FILL} console.log(await fill());`;
  const [[byDefault], [limited]] = await Promise.all([run(program), run(LIMIT + program)]);
  expect(byDefault).toBeGreaterThanOrEqual(32 * MIB);
  expect(limited).toBeGreaterThanOrEqual(4 * MIB);
  expect(limited).toBeLessThan(10 * MIB);
});

test("after V8 has shrunk the young generation of an idle process, it grows again as soon as necessary", async () => {
  // NOTE: nothing announces it, so the program looks. V8 takes about 8 s.
  const [first, shrunk, again] = await run(`
    ${LIMIT} ${FILL}
    const first = await fill();
    while (readBytes() > ${4 * MIB}) await new Promise((resolve) => setTimeout(resolve, 100));
    console.log(first);
    console.log(readBytes());
    console.log(await fill());
  `);
  expect(shrunk).toBeLessThan(first ?? 0);
  // Node 24 shrinks to any size, so doubling it can end just below the limit or exceed it once.
  expect(again).toBeGreaterThanOrEqual(8 * MIB);
  expect(again).toBeLessThan(18 * MIB);
});

test("at the limit, a collection leaves nothing in the old generation", async () => {
  const [growthBytes] = await run(`
    ${LIMIT} ${FILL}
    import { setFlagsFromString } from "node:v8";
    import { runInNewContext } from "node:vm";

    const readOldBytes = () => getHeapSpaceStatistics().find(({ space_name: name }) => name === "old_space").space_used_size;
    /** Causes about 200 collections of objects that do not survive. */
    async function discard() {
      for (let round = 0; round < 2000; round++) {
        for (let index = 0; index < 1000; index++) recent[0] = new Array(100).fill(index);
        await new Promise(setImmediate);
      }
    }

    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc");
    await fill();
    collect();
    await fill();
    // What survives moves to the old generation.
    await discard();
    const before = readOldBytes();
    await discard();
    console.log(readOldBytes() - before);
  `);
  expect(growthBytes).toBeLessThan(MIB / 4);
});
