import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
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

/** Installs what the benchmarks compare with, which includes the old proxy, unless that is done. */
export function installOldProxy(): void {
  if (existsSync(`${BENCH}/node_modules/@unleash/proxy/package.json`)) return;
  const args = ["ci", "--prefix", BENCH, "--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync("npm", args, { stdio: "ignore" });
}

/** Starts the old proxy for the length of a test. Resolves to its address once it has flags. */
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
