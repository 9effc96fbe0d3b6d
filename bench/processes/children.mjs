// The programs that a benchmark starts. None of them outlives it.

import { fork, spawn } from "node:child_process";
import { once } from "node:events";

const STOP_TIMEOUT_MS = 5000;

const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts a program; what it prints on standard error is shown. */
export function startProgram(command, args, { env, hasChannel = false }) {
  const channel = hasChannel ? ["ipc"] : [];
  const stdio = ["ignore", "ignore", "inherit", ...channel];
  return keep(spawn(command, args, { env: { PATH: process.env.PATH, ...env }, stdio }));
}

/** Starts a script of this folder that talks to us by messages. */
export function startScript(url, args = []) {
  return keep(fork(url, args));
}

/** Asks a program to end, and ends it when it does not. */
export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  child.kill("SIGTERM");
  await exit;
  clearTimeout(timer);
}

function keep(child) {
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}
