// What the commands of this repository share: the Node check, the install and the build.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { showPhase } from "./progress.mjs";

export const rootDirectory = fileURLToPath(new URL("..", import.meta.url));

const OLDEST_NODE = [20, 19];

/** Exits with a message if this version of Node is too old. */
export function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  console.error(
    `Node ${OLDEST_NODE.join(".")} or later is required, but this is ${process.version}: install a later one.`,
  );
  process.exit(1);
}

/** What the build depends on, besides the Node version. */
const BUILD_INPUTS = [
  "package-lock.json",
  "package.json",
  "tsconfig.base.json",
  "tsconfig.json",
  "scripts/bundle.mjs",
  "scripts/bundle",
  "packages",
];
const BUILD_RECORD = "node_modules/.flags-build";

/** Installs and builds, unless `node_modules` and `dist` are up to date. */
export async function prepareWorkspace() {
  if (!(await isInstalled())) {
    await showPhase("Installing packages", () => runNpm("ci", "--no-audit", "--no-fund"));
  }
  if (!(await isBuilt())) {
    await showPhase("Building", () => runNpm("run", "--silent", "build"));
  }
}

/** Records what `dist` was built from. `npm run build` ends with this. */
export async function recordBuild() {
  await writeFile(join(rootDirectory, BUILD_RECORD), await hashBuildInputs());
}

/** Where the output of a package is, if it is not in its own `dist`. */
const OUTPUTS = { console: "packages/admin/dist/console" };

async function isBuilt() {
  const packages = await readdir(join(rootDirectory, "packages"));
  const outputs = packages.map((name) =>
    join(rootDirectory, OUTPUTS[name] ?? `packages/${name}/dist`),
  );
  if (!outputs.every((output) => existsSync(output))) return false;
  const record = await readFile(join(rootDirectory, BUILD_RECORD), "utf8").catch(() => undefined);
  return record === (await hashBuildInputs());
}

/** NOTE: the code cache of the bundle is valid only for the Node version that built it. */
async function hashBuildInputs() {
  const hash = createHash("sha256").update(process.version);
  const paths = (await Promise.all(BUILD_INPUTS.map(listFiles))).flat();
  const contents = await Promise.all(paths.map((path) => readFile(join(rootDirectory, path))));
  for (const [index, path] of paths.entries()) hash.update(path).update(contents[index]);
  return hash.digest("hex");
}

async function listFiles(path) {
  if (!(await stat(join(rootDirectory, path))).isDirectory()) return [path];
  return listFolder(path);
}

async function listFolder(path) {
  const entries = await readdir(join(rootDirectory, path), { withFileTypes: true });
  const used = entries.filter(
    ({ name }) => !["dist", "node_modules", "test", "conformance"].includes(name),
  );
  const lists = used
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry) => {
      const child = `${path}/${entry.name}`;
      return entry.isDirectory() ? listFolder(child) : [child];
    });
  return (await Promise.all(lists)).flat();
}

/** Runs a program in the root directory and shows its output. Resolves to its exit code. */
export async function run(command, args, options = {}) {
  const child = spawn(command, args, { cwd: rootDirectory, stdio: "inherit", ...options });
  const [code] = await once(child, "close");
  return code ?? 1;
}

/** Runs npm in the root directory. If it fails, shows its output and exits. */
export async function runNpm(...args) {
  const windows = process.platform === "win32";
  const npm = spawn(windows ? "npm.cmd" : "npm", args, {
    cwd: rootDirectory,
    stdio: ["ignore", "pipe", "pipe"],
    shell: windows,
  });
  const output = [];
  for (const stream of [npm.stdout, npm.stderr]) stream.on("data", (chunk) => output.push(chunk));
  const [code, signal] = await once(npm, "close");
  if (code === 0) return;
  process.stderr.write(Buffer.concat([Buffer.from("\n"), ...output]));
  console.error(`npm ${args.join(" ")} failed (${signal ?? `exit code ${code}`}): see above.`);
  process.exit(1);
}

async function isInstalled() {
  const [wanted, present] = await Promise.all([
    readPackages("package-lock.json"),
    readPackages("node_modules/.package-lock.json"),
  ]);
  return (
    present !== undefined && Object.keys(wanted).every((path) => isUpToDate(path, wanted, present))
  );
}

async function readPackages(lockfile) {
  const text = await readFile(new URL(`../${lockfile}`, import.meta.url), "utf8").catch(() => null);
  return text === null ? undefined : JSON.parse(text).packages;
}

function isUpToDate(path, wanted, present) {
  // npm does not install optional packages for other platforms.
  if (!path.startsWith("node_modules/") || wanted[path].optional) return true;
  return present[path] !== undefined && present[path].version === wanted[path].version;
}
