// What the commands of this repository share: the Node check, the install and the build.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

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

/** Makes `node_modules` and `dist` agree with the lockfile and the sources. */
export async function prepareWorkspace() {
  if (!(await isInstalled())) await runNpm("ci", "--no-audit", "--no-fund");
  await runNpm("run", "--silent", "build");
}

/** Runs a program in the root directory and shows its output. Resolves to its exit code. */
export async function run(command, args, options = {}) {
  const child = spawn(command, args, { cwd: rootDirectory, stdio: "inherit", ...options });
  const [code] = await once(child, "close");
  return code ?? 1;
}

/** Runs npm in the root directory. Exits if it fails. */
export async function runNpm(...args) {
  const windows = process.platform === "win32";
  const code = await run(windows ? "npm.cmd" : "npm", args, { shell: windows });
  if (code === 0) return;
  console.error(`npm ${args.join(" ")} failed with exit code ${code}: see above.`);
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
