import { fork } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("save-code-cache.mjs", import.meta.url));
/** Creating the embedded database takes minutes where the processor is emulated. */
const TIMEOUT_MS = 300_000;

/**
 * Runs a command until V8 has compiled the code that a start and the first requests need, and writes that
 * code to a file next to the bundle.
 *
 * @param command an entry of `commands.mjs`
 * @param warmUp receives a function that starts the command with variables; must call `writeCodeCache()`
 */
export async function writeCodeCache({ loader }, warmUp) {
  let command;
  const start = async (environment) => {
    command = fork(PROGRAM, [loader], {
      env: { HOST: "127.0.0.1", PORT: "0", ...environment },
      // NOTE: V8 accepts a code cache only under the options under which it was created: the defaults.
      execArgv: [],
      stdio: ["ignore", "pipe", "inherit", "ipc"],
    });
    return { url: await readUrl(command.stdout), writeCodeCache: () => finish(command) };
  };
  const timeout = setTimeout(() => command?.kill("SIGKILL"), TIMEOUT_MS);
  try {
    await warmUp(start);
  } finally {
    clearTimeout(timeout);
    command?.kill("SIGKILL");
  }
}

async function finish(command) {
  const exited = once(command, "exit");
  command.send("write");
  const [exitCode] = await exited;
  if (exitCode !== 0) throw new Error("the command failed while writing it");
}

async function readUrl(output) {
  for await (const line of createInterface({ input: output })) {
    const [url] = /http:\S+/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error("the command exited before it listened");
}
