// Starts an example of examples/runtimes, as its guide says.

import { join } from "node:path";
import { startCommand } from "../clients/command.mjs";
import { EXAMPLES, findProgram } from "./install.mjs";
import { wranglerEnvironment } from "./start-program.mjs";

const HOST = "127.0.0.1";

/** Writing is for the file of the cache. */
// NOTE: all, and not those of the page, because tests write below /dev/shm, and Deno allows files below /dev only then.
const DENO_PERMISSIONS = ["--allow-all"];

/** How each example starts. `stateDirectory` is where it keeps what survives a restart. */
const STARTERS = {
  workers: startWrangler,
  "workers-kv": (options) => startWrangler(options, ["--env", "kv"]),
  deno: ({ environment, port, stateDirectory }) => ({
    argv: [findProgram("deno"), "run", ...DENO_PERMISSIONS, "--unstable-kv", "main.js"],
    env: {
      ...environment,
      PORT: port,
      DENO_DIR: join(stateDirectory, "deno"),
      KV_PATH: join(stateDirectory, "kv"),
      NO_COLOR: "1",
    },
  }),
  bun: ({ environment, port }) => ({
    argv: [findProgram("bun"), "main.js"],
    env: { ...environment, PORT: port },
  }),
  express: startServer,
  hono: startServer,
  nextjs: ({ environment, port }) => ({
    argv: [process.execPath, findProgram("next"), "start", "--hostname", HOST, "--port", port],
    env: { ...environment, PATH: process.env.PATH, NEXT_TELEMETRY_DISABLED: "1" },
  }),
};

function startWrangler({ environment, port, stateDirectory }, further = []) {
  const variables = Object.entries(environment).map(([name, value]) => `${name}:${value}`);
  const options = ["--ip", HOST, "--port", port, "--inspector-port", "0", ...further];
  const values = variables.flatMap((variable) => ["--var", variable]);
  const wrangler = [findProgram("node"), findProgram("wrangler")];
  return {
    argv: [...wrangler, "dev", ...options, "--persist-to", stateDirectory, ...values],
    env: wranglerEnvironment(stateDirectory),
  };
}

function startServer({ environment, port }) {
  return { argv: [process.execPath, "server.js"], env: { ...environment, PORT: port } };
}

/**
 * Starts an example with environment variables, and with nothing else from the environment of this process. Resolves when
 * it listens, to its address without a slash at the end, and the command.
 */
export async function startExample(name, { environment, stateDirectory, port = 0 }) {
  const { argv, env } = STARTERS[name]({ environment, port: String(port), stateDirectory });
  const folder = name.replace("-kv", "");
  const command = startCommand(argv, { cwd: join(EXAMPLES, folder), env, detached: true });
  const [url] = await command.untilOutput(/http:\/\/127\.0\.0\.1:\d+/);
  return { url, command };
}
