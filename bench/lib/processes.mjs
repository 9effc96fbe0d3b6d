// Child processes of a benchmark. All of them are killed when the benchmark exits.

import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { stopProcess } from "../../scripts/stop-process.mjs";

const STOP_TIMEOUT_MS = 5000;

const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/**
 * Starts a program with only `PATH` and `env` as its environment; its standard error is shown. Further options,
 * such as `cwd` and `uid`, are those of `spawn()`.
 */
export function startProgram(command, args, { env, hasChannel = false, ...options }) {
  const channel = hasChannel ? ["ipc"] : [];
  const stdio = ["ignore", "ignore", "inherit", ...channel];
  return track(
    spawn(command, args, {
      ...options,
      env: { PATH: process.env.PATH, SHUTDOWN_DELAY: "0", ...env },
      stdio,
    }),
  );
}

/** Starts one of our own scripts, which communicates with us by messages. */
export function startScript(url, args = []) {
  return track(fork(url, args));
}

/** Sends a message to a child and resolves to its reply; rejects if the child exits instead. */
export async function call(child, message) {
  const done = new AbortController();
  const { signal } = done;
  const exit = once(child, "exit", { signal }).then(([code]) => {
    throw new Error(`${child.spawnargs.join(" ")} exited early with code ${code}`);
  });
  child.send(message);
  try {
    const [reply] = await Promise.race([once(child, "message", { signal }), exit]);
    return reply;
  } finally {
    done.abort();
  }
}

/** Terminates a child, by SIGKILL if it ignores SIGTERM for 5 seconds. */
export function stop(child) {
  return stopProcess(child, { timeoutMs: STOP_TIMEOUT_MS });
}

function track(child) {
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}
