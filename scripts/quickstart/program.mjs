import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** Starts a Node program that exchanges messages with us, and prints each line of its output with its name. */
export function startProgram(name, { script, env }) {
  const program = spawn(process.execPath, [script], {
    env,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    // Ctrl-C reaches all processes of the terminal's group, but the programs have to stop in order.
    detached: process.platform !== "win32",
  });
  for (const stream of [program.stdout, program.stderr]) {
    createInterface({ input: stream }).on("line", (line) => console.log(`[${name}] ${line}`));
  }
  process.on("exit", () => program.kill("SIGKILL"));
  return program;
}

/** Resolves to a message when the program has exited. */
export async function waitForEnd(name, program) {
  const [code, signal] = await once(program, "close");
  return `The ${name} exited (${signal ?? `exit code ${code}`}), so the quickstart stops.`;
}
