import { spawn } from "node:child_process";
import { hasExited, stopProcess } from "../stop-process.mjs";

const STOP_TIMEOUT_MS = 15_000;

/** Starts a command. Its output is shown only when it fails. With `detached`, what it starts ends with it. */
export function startCommand([command, ...args], options) {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  const kill = () => (options.detached ? killGroup(child) : child.kill("SIGKILL"));
  // Only if the script ends early: stop() has ended it otherwise.
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
    pid: child.pid,
    output: () => output,
    elapsedMs: () => performance.now() - started,
    onOutput: (watch) => watchers.add(watch),
    untilOutput: (pattern) => untilOutput(pattern, { watchers, exit, output: () => output }),
    stop: async () => {
      await stopProcess(child, { timeoutMs: STOP_TIMEOUT_MS });
      if (options.detached) killGroup(child);
    },
    kill: async () => {
      kill();
      await exit;
    },
  };
}

function killGroup({ pid }) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // All its processes have ended.
  }
}

/** Resolves to the match when the output matches. Rejects if the command ends before. */
async function untilOutput(pattern, { watchers, exit, output }) {
  const matched = new Promise((resolve) => {
    const watch = () => {
      const match = pattern.exec(output());
      if (match === null) return;
      watchers.delete(watch);
      resolve(match);
    };
    watchers.add(watch);
    watch();
  });
  const match = await Promise.race([matched, exit.then(() => undefined)]);
  if (match === undefined) throw new Error(`The command ended:\n${output()}`);
  return match;
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
