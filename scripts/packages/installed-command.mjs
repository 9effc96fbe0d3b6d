import { execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { stopProcess } from "../stop-process.mjs";

const START_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 60_000;
const ADDRESS = /is listening on .*?(http:\S+)/;

/** Returns the output of an installed command that ends by itself. Rejects if it fails. */
export async function readCommand(directory, name, args) {
  const { stdout } = await promisify(execFile)(toFile(directory, name), args, {
    env: createEnvironment(),
  });
  return stdout;
}

/** Starts an installed command on a free port of 127.0.0.1. Resolves when it listens. */
export async function startCommand(directory, name, settings) {
  const child = spawn(toFile(directory, name), [], {
    cwd: directory,
    env: createEnvironment({
      HOST: "127.0.0.1",
      PORT: "0",
      SHUTDOWN_DELAY: "0",
      LOG_LEVEL: "info",
      ...settings,
    }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stop = async () => {
    await stopProcess(child, { timeoutMs: STOP_TIMEOUT_MS });
    const end = child.signalCode ?? child.exitCode;
    if (end !== 0) throw new Error(`${name} ended with ${end} instead of exit code 0`);
  };
  try {
    return { origin: await readOrigin(child, name), stop };
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  }
}

async function readOrigin(child, name) {
  const timeout = setTimeout(() => child.kill("SIGKILL"), START_TIMEOUT_MS);
  const lines = createInterface({ input: child.stdout });
  try {
    return await new Promise((resolve, reject) => {
      lines.on("line", (line) => {
        const [, address] = ADDRESS.exec(line) ?? [];
        if (address !== undefined) resolve(new URL(address).origin);
      });
      lines.on("close", () =>
        reject(
          new Error(
            `${name} ended, or was stopped after ${START_TIMEOUT_MS} ms, before it listened`,
          ),
        ),
      );
    });
  } finally {
    clearTimeout(timeout);
  }
}

function toFile(directory, name) {
  return join(directory, "node_modules", ".bin", name);
}

/** Only what a program needs to start, so that no setting of this process has an effect. */
function createEnvironment(settings = {}) {
  return { PATH: process.env.PATH, ...settings };
}
