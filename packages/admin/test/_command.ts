import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { findPostgres, useSharedPostgres } from "./_postgres.ts";
import { copyFreshDatabase, QUICK_WEB_ASSEMBLY } from "./_storages.ts";

const COMMAND = fileURLToPath(new URL("../bin/flags-admin.js", import.meta.url));

interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built command, started with only the given environment variables. */
export interface Command {
  readonly child: ChildProcess;
  /** Resolves with the URL that the command logs when it listens. */
  listening(): Promise<string>;
  /** Returns the standard output so far. */
  stdout(): string;
  /** Resolves when the process has ended. */
  finished(): Promise<Finished>;
}

/** Shell script that sets a limit and runs its arguments. Sets the hard limit too, or Node would raise it. */
const WITH_LIMIT = 'ulimit -n "$0" && exec "$@"';

interface StartOptions {
  /** Maximum number of open files and connections. @default that of this process */
  readonly openFileLimit?: number | undefined;
  /** What the standard input contains. @default nothing */
  readonly input?: string;
}

/** Starts the command, and kills it at the end of the test. */
export function startCommand(
  environment: Record<string, string>,
  args: readonly string[] = [],
  { openFileLimit, input }: StartOptions = {},
): Command {
  const line = [process.execPath, QUICK_WEB_ASSEMBLY, COMMAND, ...args];
  const limited = ["/bin/sh", "-c", WITH_LIMIT, String(openFileLimit), ...line];
  const [program = "", ...rest] = openFileLimit === undefined ? line : limited;
  const child = spawn(program, rest, {
    env: { HOST: "127.0.0.1", PORT: "0", SHUTDOWN_DELAY: "0", ...environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.end(input);
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
        const [, address] = /is listening on .*?(http:\S+)\/api\b/.exec(output.stdout) ?? [];
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

/** Creates a directory, and deletes it at the end of the test. */
export function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "flags-admin-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Creates a data directory with a new database, and deletes it at the end of the test. */
export async function makeDataDirectory(): Promise<string> {
  const directory = makeDirectory();
  await copyFreshDatabase(directory);
  return directory;
}

/**
 * Creates a database with all tables for the command, and deletes it at the end of the test. Returns its setting. It is on
 * PostgreSQL if that is installed, because the embedded database takes seconds of CPU time to start.
 */
export async function makeDatabase(): Promise<Record<string, string>> {
  if (findPostgres() === undefined) return { DATA_DIR: await makeDataDirectory() };
  const databases = useSharedPostgres();
  onTestFinished(() => databases.close());
  return { DATABASE_URL: await databases.createMigratedDatabase() };
}
