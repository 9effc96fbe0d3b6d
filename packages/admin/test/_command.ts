import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const COMMAND = fileURLToPath(new URL("../bin/flags-admin.js", import.meta.url));

interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built command, as a person runs it, with these variables and no others. */
export interface Command {
  readonly child: ChildProcess;
  /** The address it says it listens on. */
  listening(): Promise<string>;
  /** What it has written to standard output so far. */
  stdout(): string;
  finished(): Promise<Finished>;
}

/** Sets a limit before it runs the rest of its arguments; Node could raise a soft limit alone. */
const WITH_LIMIT = 'ulimit -n "$0" && exec "$@"';

/**
 * Starts the command for the length of a test.
 *
 * @param openFileLimit limits how many files and connections the command may have open
 */
export function startCommand(
  environment: Record<string, string>,
  args: readonly string[] = [],
  openFileLimit?: number,
): Command {
  const line = [process.execPath, COMMAND, ...args];
  const limited = ["/bin/sh", "-c", WITH_LIMIT, String(openFileLimit), ...line];
  const [program = "", ...rest] = openFileLimit === undefined ? line : limited;
  const child = spawn(program, rest, {
    env: { HOST: "127.0.0.1", PORT: "0", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()));
  const closed = once(child, "close");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await closed;
  });
  return {
    child,
    stdout: () => output.stdout,
    listening: async () => {
      for (;;) {
        const [, address] = /listens on (http:\S+)\/api\b/.exec(output.stdout) ?? [];
        if (address !== undefined) return address;
        const more = once(child.stdout, "data").then(() => false);
        const ended = await Promise.race([closed.then(() => true), more]);
        if (ended) throw new Error(`The command ended: ${output.stderr}`);
      }
    },
    finished: async () => {
      await closed;
      return { ...output, code: child.exitCode };
    },
  };
}

/** A directory that is there for the length of a test. */
export function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "flags-admin-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
