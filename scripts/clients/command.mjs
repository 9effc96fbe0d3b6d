import { spawn } from "node:child_process";
import { hasExited, stopProcess } from "../stop-process.mjs";

const STOP_TIMEOUT_MS = 15_000;

/** Starts a command. Its output is shown only when it fails. */
export function startCommand([command, ...args], options) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  // Only if the script ends early: stop() has ended it otherwise.
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  const started = performance.now();
  let output = "";
  const watchers = new Set();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
      for (const watch of watchers) watch();
    });
  }
  const exit = new Promise((resolve) => {
    child.once("error", (error) => {
      output += `${error.message}\n`;
      resolve(1);
    });
    child.once("close", (code) => resolve(code ?? 1));
  });
  return {
    exit,
    hasExited: () => hasExited(child),
    output: () => output,
    elapsedMs: () => performance.now() - started,
    onOutput: (watch) => watchers.add(watch),
    stop: () => stopProcess(child, { timeoutMs: STOP_TIMEOUT_MS }),
  };
}

/** Runs a command to its end. Throws an error with its output if it fails or takes too long. */
export async function runCommand(argv, { timeoutSeconds = 120, ...options } = {}) {
  const command = startCommand(argv, options);
  const deadline = setTimeout(() => void command.stop(), timeoutSeconds * 1000);
  const code = await command.exit;
  clearTimeout(deadline);
  if (code !== 0) {
    throw new Error(`${argv.join(" ")} failed with exit code ${code}:\n${command.output()}`);
  }
  return command;
}
