import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, onTestFinished, test } from "vitest";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const SERVER_KIT = fileURLToPath(new URL("../../server-kit", import.meta.url));
const BUNDLE = join("dist", "bundle", "flags-proxy.js");
const CODE_CACHE = `${BUNDLE}.code`;

interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The files of an installed proxy, with a code cache of this version of Node. */
let template: string;

beforeAll(async () => {
  template = await mkdtemp(join(tmpdir(), "flags-code-cache-"));
  for (const part of ["bin", "package.json", BUNDLE]) {
    // oxlint-disable-next-line no-await-in-loop -- three files
    await cp(join(PACKAGE, part), join(template, part), { recursive: true });
  }
  for (const part of ["bundle", "package.json"]) {
    const target = join(template, "node_modules", "flags-server-kit", part);
    // oxlint-disable-next-line no-await-in-loop -- two files
    await cp(join(SERVER_KIT, part), target, { recursive: true });
  }
  await writeCodeCache(template);
  return () => rm(template, { recursive: true });
});

/** Copies the template for one test. */
async function install(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "flags-code-cache-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  await cp(template, directory, { recursive: true });
  return directory;
}

/** @param options the options of V8 under which the code is created */
async function writeCodeCache(directory: string, options: readonly string[] = []): Promise<void> {
  const { stderr } = await runScript(directory, options, [
    `import { writeFileSync } from "node:fs";`,
    `import { bundle } from "./bin/load-bundle.js";`,
    `const code = bundle.compile().createCachedData();`,
    `writeFileSync(bundle.codeCacheFile, bundle.packCodeCache(code));`,
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

/** Returns whether V8 accepted the code cache; `undefined` if the loader did not pass it to V8. */
async function isAccepted(directory: string): Promise<string> {
  const { stdout } = await runScript(
    directory,
    [],
    [
      `import { bundle } from "./bin/load-bundle.js";`,
      `const { cachedDataRejected } = bundle.compile();`,
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

test("the command uses the code cache of its bundle, and writes no files", async () => {
  const directory = await install();
  expect(await isAccepted(directory)).toBe("true");
  const files = await readdir(directory, { recursive: true });
  const { code, stdout, stderr } = await runNode(directory, ["bin/flags-proxy.js", "--version"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(await readdir(directory, { recursive: true })).toEqual(files);
});

test.each<[name: string, accepted: string, damage: (directory: string) => Promise<void>]>([
  ["missing", "undefined", (directory) => rm(join(directory, CODE_CACHE))],
  ["empty", "undefined", (directory) => writeFile(join(directory, CODE_CACHE), "")],
  [
    "garbage",
    "undefined",
    (directory) => writeFile(join(directory, CODE_CACHE), "garbage".repeat(999)),
  ],
  [
    "truncated",
    "undefined",
    (directory) => edit(join(directory, CODE_CACHE), (bytes) => bytes.subarray(0, -9)),
  ],
  ["damaged", "undefined", (directory) => edit(join(directory, CODE_CACHE), flipBit)],
  [
    "for another bundle of the same length",
    "undefined",
    (directory) =>
      edit(join(directory, BUNDLE), (bytes) =>
        Buffer.from(bytes.toString().replaceAll("Unknown option", "Strange option")),
      ),
  ],
  [
    "created under other options of V8",
    "false",
    (directory) => writeCodeCache(directory, ["--stack-trace-limit=50"]),
  ],
])("the command compiles its bundle if the code cache is %s", async (_, accepted, damage) => {
  const directory = await install();
  await damage(directory);
  expect(await isAccepted(directory)).toBe(accepted);
  const finished = await runNode(directory, ["bin/flags-proxy.js", "--port"]);
  expect(finished.code).toBe(2);
  expect(finished.stderr).toMatch(
    /^(Unknown|Strange) option --port\. .*: see flags-proxy --help\n$/,
  );
});

test("the command prints one line with the build command if it is not built", async () => {
  const directory = await install();
  await rm(join(directory, "dist"), { recursive: true });
  for (const args of [[], ["health"]]) {
    // oxlint-disable-next-line no-await-in-loop -- two processes
    const { code, stdout, stderr } = await runNode(directory, ["bin/flags-proxy.js", ...args]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toBe("The command is not built: run `npm run build` in its source repository\n");
  }
});

test("the build writes a code cache that is valid under the default options", async () => {
  expect((await readFile(join(PACKAGE, CODE_CACHE))).length).toBeGreaterThan(1_000_000);
  // If the build used another version of Node, the loader ignores the cache. V8 must never reject it.
  expect(["true", "undefined"]).toContain(await isAccepted(PACKAGE));
});

test("the command prints one line if this version of Node is too old", async () => {
  const directory = await install();
  const node20_18 = `data:text/javascript,${encodeURIComponent(`
    Object.defineProperty(process, "version", { value: "v20.18.1" });
    Object.defineProperty(process, "versions", { value: { node: "20.18.1" } });`)}`;
  const { code, stdout, stderr } = await runNode(directory, [
    `--import=${node20_18}`,
    "bin/flags-proxy.js",
  ]);
  expect(stderr).toBe(
    "Node 20.19 or later is required, but this is v20.18.1: install a later one\n",
  );
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
});
