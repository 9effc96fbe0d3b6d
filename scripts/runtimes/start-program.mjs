// Starts a program that only calls createFetchApp(), on a runtime besides Node: for tests and benchmarks.

import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleForWorkers } from "../bundle/bundle-for-workers.mjs";
import { startCommand } from "../clients/command.mjs";
import { findProgram } from "./install.mjs";

const PROGRAMS = fileURLToPath(new URL("programs", import.meta.url));
const HOST = "127.0.0.1";

/** The runtimes whose servers call the handler themselves. */
export const RUNTIMES = ["workers", "deno", "bun"];

const STARTERS = {
  /** NOTE: without the server of `wrangler dev`, which changes requests and responses. */
  async workers({ env, port, directory }) {
    const code = await bundleForWorkers(join(PROGRAMS, "worker.mjs"));
    await writeFile(join(directory, "worker.js"), code);
    const config = join(directory, "workerd.capnp");
    await copyFile(join(PROGRAMS, "workerd.capnp"), config);
    const address = `--socket-addr=http=${HOST}:${port}`;
    return {
      argv: [findProgram("workerd"), "serve", "--control-fd=1", address, config],
      env,
      listening: /"socket":"http","port":(\d+)/,
    };
  },
  async deno({ env, port, directory }) {
    return {
      argv: [findProgram("deno"), "run", "--allow-all", join(PROGRAMS, "deno.mjs")],
      env: { ...env, PORT: String(port), DENO_DIR: join(directory, "deno"), NO_COLOR: "1" },
      listening: /http:\/\/127\.0\.0\.1:(\d+)/,
    };
  },
  async bun({ env, port }) {
    return {
      argv: [findProgram("bun"), join(PROGRAMS, "bun.mjs")],
      env: { ...env, PORT: String(port) },
      listening: /http:\/\/127\.0\.0\.1:(\d+)/,
    };
  },
};

/**
 * Starts the program on a runtime. Resolves when it listens, to its address without a slash at the end, and the command.
 *
 * @param options.appOptions the options of `createFetchApp()` that JSON can contain
 * @param options.directory where files can be written
 * @param options.port any free one by default
 */
export async function startProgram(runtime, { appOptions, directory, port = 0 }) {
  const env = { OPTIONS: JSON.stringify(appOptions) };
  const { listening, argv, ...rest } = await STARTERS[runtime]({ env, port, directory });
  const command = startCommand(argv, { cwd: PROGRAMS, detached: true, ...rest });
  const [, chosen] = await command.untilOutput(listening);
  return { url: `http://${HOST}:${chosen}`, command };
}

/** The environment in which Wrangler sends nothing, and writes only to a directory. */
export function wranglerEnvironment(directory) {
  return {
    ...process.env,
    CI: "true",
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_SEND_ERROR_REPORTS: "false",
    WRANGLER_LOG_PATH: join(directory, "logs"),
    WRANGLER_REGISTRY_PATH: join(directory, "registry"),
  };
}
