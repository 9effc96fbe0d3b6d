import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { onTestFinished, vi } from "vitest";
import { eventually } from "./_command.ts";

const BENCH = fileURLToPath(new URL("../../../bench", import.meta.url));

/** Starts the package `@unleash/proxy` on a free port of 127.0.0.1, and prints the port. */
const PROGRAM = `
import { once } from "node:events";
import { createRequire } from "node:module";
const require = createRequire(${JSON.stringify(`${BENCH}/package.json`)});
const server = require("@unleash/proxy").createApp({}).listen(0, "127.0.0.1");
await once(server, "listening");
console.log("port", server.address().port);
`;

/** How long an installation may take on a busy machine. */
const INSTALL_TIMEOUT_MS = 240_000;

/**
 * Installs what the benchmarks compare with, which includes the old proxy, unless that is done. Of several test files that
 * need it at the same time, one installs it and the others wait.
 */
export async function installOldProxy(): Promise<void> {
  if (isInstalled() || !createOnce(join(tmpdir(), `flags-old-proxy-${process.ppid}`))) {
    await vi.waitUntil(isInstalled, { timeout: INSTALL_TIMEOUT_MS, interval: 500 });
    return;
  }
  const args = ["ci", "--prefix", BENCH, "--ignore-scripts", "--no-audit", "--no-fund"];
  await promisify(execFile)("npm", args, { timeout: INSTALL_TIMEOUT_MS });
}

/** NOTE: npm writes this file last. */
function isInstalled(): boolean {
  return existsSync(`${BENCH}/node_modules/.package-lock.json`);
}

/** Creates a directory. Returns false if another test file has created it. */
function createOnce(directory: string): boolean {
  try {
    mkdirSync(directory);
    return true;
  } catch {
    return false;
  }
}

/** Starts the old proxy for the duration of a test. Resolves to its address once it has flags. */
export async function startOldProxy(environment: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", PROGRAM], {
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  }
  onTestFinished(() => void child.kill("SIGKILL"));
  await eventually(() => output).toMatch(/^port \d+$/m);
  const [, port = ""] = /^port (\d+)$/m.exec(output) ?? [];
  const url = `http://127.0.0.1:${port}/proxy`;
  await eventually(() => statusOf(`${url}/health`)).toBe(200);
  return url;
}

async function statusOf(url: string): Promise<number> {
  const response = await fetch(url, { headers: { connection: "close" } });
  await response.text();
  return response.status;
}
