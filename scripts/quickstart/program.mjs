import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

const STOP_TIMEOUT_MS = 12_000;

/** Starts a Node program whose every line of output is shown behind its name. */
export function startProgram(name, { script, env }) {
  const program = spawn(process.execPath, [script], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
    // A Ctrl-C reaches every process of the terminal's group; the programs are stopped in order.
    detached: process.platform !== "win32",
  });
  for (const stream of [program.stdout, program.stderr]) {
    createInterface({ input: stream }).on("line", (line) => console.log(`[${name}] ${line}`));
  }
  process.on("exit", () => program.kill("SIGKILL"));
  return program;
}

/** Resolves, once the program has ended, to a sentence that says how. */
export async function waitForEnd(name, program) {
  const [code, signal] = await once(program, "close");
  return `The ${name} ended (${signal ?? `exit code ${code}`}), so everything stops.`;
}

/** Ends a program in its own time; one that takes too long is killed. */
export async function stopProgram(program) {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const exit = once(program, "exit");
  program.kill("SIGTERM");
  const deadline = setTimeout(() => program.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await exit;
  clearTimeout(deadline);
}
