import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const BUNDLE = join("dist", "bundle", "flags-proxy.js");
const CODE = `${BUNDLE}.code`;

interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What is left of the proxy where it is only run, with code that this Node has made. */
async function install(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "flags-code-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  for (const part of ["bin", "package.json", BUNDLE]) {
    // oxlint-disable-next-line no-await-in-loop -- three files
    await cp(join(PACKAGE, part), join(directory, part), { recursive: true });
  }
  await keepCode(directory);
  return directory;
}

/** @param options of V8, under which it makes the code */
async function keepCode(directory: string, options: readonly string[] = []): Promise<void> {
  const { stderr } = await runScript(directory, options, [
    `import { readFileSync, writeFileSync } from "node:fs";`,

    `import { BUNDLE_FILE, CODE_CACHE_FILE, compileBundle, packCodeCache } from "./bin/load-bundle.js";`,
    `const code = compileBundle().createCachedData();`,
    `writeFileSync(CODE_CACHE_FILE, packCodeCache(code, readFileSync(BUNDLE_FILE)));`,
  ]);
  expect(stderr).toBe("");
}

function runScript(
  directory: string,
  options: readonly string[],
  lines: readonly string[],
): Promise<Finished> {
  return runNode(directory, [...options, "--input-type=module", "--eval", lines.join("\n")]);
}

function runNode(directory: string, args: readonly string[]): Promise<Finished> {
  return new Promise((resolve) => {
    const options = { cwd: directory, env: {} };
    const child = execFile(process.execPath, args, options, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

/** Whether V8 took the code: `undefined` where it was not even offered. */
async function isTaken(directory: string): Promise<string> {
  const { stdout } = await runScript(
    directory,
    [],
    [
      `import { compileBundle } from "./bin/load-bundle.js";`,
      `const { cachedDataRejected } = compileBundle();`,
      `console.log(cachedDataRejected === undefined ? undefined : !cachedDataRejected);`,
    ],
  );
  return stdout.trim();
}

async function edit(path: string, change: (bytes: Buffer) => Buffer): Promise<void> {
  await writeFile(path, change(await readFile(path)));
}

function flipBit(bytes: Buffer): Buffer {
  const position = Math.floor(bytes.length / 2);
  bytes.writeUInt8(bytes.readUInt8(position) ^ 1, position);
  return bytes;
}

test("the command takes the code that was made of its bundle, and writes nothing", async () => {
  const directory = await install();
  expect(await isTaken(directory)).toBe("true");
  const files = await readdir(directory, { recursive: true });
  const { code, stdout, stderr } = await runNode(directory, ["bin/flags-proxy.js", "--version"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(await readdir(directory, { recursive: true })).toEqual(files);
});

test.each<[name: string, taken: string, spoil: (directory: string) => Promise<void>]>([
  ["missing", "undefined", (directory) => rm(join(directory, CODE))],
  ["empty", "undefined", (directory) => writeFile(join(directory, CODE), "")],
  ["garbage", "undefined", (directory) => writeFile(join(directory, CODE), "garbage".repeat(999))],
  ["cut off", "undefined", (directory) => edit(join(directory, CODE), (it) => it.subarray(0, -9))],
  ["damaged", "undefined", (directory) => edit(join(directory, CODE), flipBit)],
  [
    "of another bundle of the same length",
    "undefined",
    (directory) =>
      edit(join(directory, BUNDLE), (it) =>
        Buffer.from(it.toString().replace("Unknown argument", "Strange argument")),
      ),
  ],
  [
    "of a Node that ran with other options",
    "false",
    (directory) => keepCode(directory, ["--stack-trace-limit=50"]),
  ],
])("the command compiles its bundle when the code is %s", async (_, taken, spoil) => {
  const directory = await install();
  await spoil(directory);
  expect(await isTaken(directory)).toBe(taken);
  const finished = await runNode(directory, ["bin/flags-proxy.js", "--port"]);
  expect(finished.code).toBe(2);
  expect(finished.stderr).toMatch(/^(Unknown|Strange) argument --port: try flags-proxy --help\n$/);
});

test("the command says how to build it when it was not, in one line", async () => {
  const directory = await install();
  await rm(join(directory, "dist"), { recursive: true });
  const { code, stdout, stderr } = await runNode(directory, ["bin/flags-proxy.js"]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toBe("The command is not built: run `npm run build` in its source repository\n");
});

test("the build keeps code beside the bundle, under the options of a plain start", async () => {
  expect((await readFile(join(PACKAGE, CODE))).length).toBeGreaterThan(1_000_000);
  // A Node of another version than that of the build is not offered it; none may refuse it.
  expect(["true", "undefined"]).toContain(await isTaken(PACKAGE));
});
