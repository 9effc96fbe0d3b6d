import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite, type PGliteOptions } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";
import { afterAll, expect, expectTypeOf, test } from "vitest";
import { copyFreshDatabase } from "../../../test/_storages.ts";

// Each test fails if a version of PGlite no longer needs a patch: see README.md.

interface EmscriptenModule {
  readonly NODEFS: { readonly stream_ops: Readonly<Record<string, unknown>> };
}

const directory = mkdtempSync(join(tmpdir(), "flags-unpatched-"));
await copyFreshDatabase(directory);
const modules: EmscriptenModule[] = [];
const fileSystem = new NodeFS(join(directory, "database"));
const init = fileSystem.init.bind(fileSystem);
let optionsOfPglite: object = {};
fileSystem.init = async (...parameters) => {
  const { emscriptenOpts } = await init(...parameters);
  optionsOfPglite = emscriptenOpts;
  const record = (module: EmscriptenModule): void => void modules.push(module);
  const preRun = [...(emscriptenOpts.preRun ?? []), record] as typeof emscriptenOpts.preRun;
  return { emscriptenOpts: { ...emscriptenOpts, ...(preRun && { preRun }) } };
};
const client = await PGlite.create({ fs: fileSystem });
afterAll(async () => {
  await client.close();
  rmSync(directory, { recursive: true, force: true });
});

test("fsync() of a file does nothing", () => {
  const operations = modules.flatMap(({ NODEFS }) => Object.keys(NODEFS.stream_ops));
  expect(operations).toContain("write");
  expect(operations).not.toContain("fsync");
});

test("PostgreSQL does not call fsync()", () => {
  expect(PGlite.defaultStartParams).toContain("-F");
});

test("PGlite does not notice that the database has ended", () => {
  expect(optionsOfPglite).not.toHaveProperty("onAbort");
  expectTypeOf<Extract<keyof PGliteOptions, `on${string}`>>().toEqualTypeOf<
    "onStdout" | "onStderr"
  >();
});

test("a transaction does not let other work run", async () => {
  let turns = 0;
  let immediate: NodeJS.Immediate | undefined;
  const countTurns = (): void => {
    turns += 1;
    immediate = setImmediate(countTurns);
  };
  await client.transaction(async (transaction) => {
    countTurns();
    for (let count = 0; count < 20; count++) {
      await transaction.query("select count(*) from generate_series(1, 50000)");
    }
    clearImmediate(immediate);
  });
  expect(turns).toBeLessThan(5);
});
