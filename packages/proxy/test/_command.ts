import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";

/** `FLAGS_PROXY_COMMAND` names the command of another build. */
const COMMAND =
  process.env["FLAGS_PROXY_COMMAND"] ??
  fileURLToPath(new URL("../bin/flags-proxy.js", import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Output {
  stdout: string;
  stderr: string;
}

interface CommandOptions {
  readonly args?: readonly string[];
  /** Limits the number of files and connections that the command can open. */
  readonly openFileLimit?: number | undefined;
}

/** Registers a function that runs after a test, or after several tests that share what it cleans up. */
export type CleanUp = (run: () => void | Promise<void>) => void;

/** Collects what to do after several tests. */
export class CleanUps {
  readonly #list: Parameters<CleanUp>[0][] = [];

  readonly add: CleanUp = (run) => void this.#list.push(run);

  /** Runs the collected functions, the last one first. */
  async run(): Promise<void> {
    // oxlint-disable-next-line no-await-in-loop -- what is used by others ends after them
    for (const run of this.#list.toReversed()) await run();
  }
}

interface StartOptions extends CommandOptions {
  /** @default `onTestFinished` */
  readonly cleanUp?: CleanUp;
}

/** Sets both limits before it runs its other arguments: Node raises the soft limit. */
const WITH_LIMIT = 'ulimit -n "$0" && exec "$@"';

/** A process of the built command, with only the given environment variables. */
class Command {
  readonly #child: ChildProcess;
  readonly #output: Output = { stdout: "", stderr: "" };
  readonly #closed: Promise<unknown>;

  constructor(
    environment: Record<string, string>,
    { args = [], openFileLimit }: CommandOptions = {},
  ) {
    const line = [process.execPath, COMMAND, ...args];
    const limited = ["/bin/sh", "-c", WITH_LIMIT, String(openFileLimit), ...line];
    const [program = "", ...rest] = openFileLimit === undefined ? line : limited;
    this.#child = spawn(program, rest, {
      env: { HOST: "127.0.0.1", PORT: "0", ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child.stdout?.on("data", (chunk: Buffer) => (this.#output.stdout += chunk.toString()));
    this.#child.stderr?.on("data", (chunk: Buffer) => (this.#output.stderr += chunk.toString()));
    this.#closed = once(this.#child, "close");
  }

  get output(): Readonly<Output> {
    return this.#output;
  }

  get pid(): number {
    const { pid } = this.#child;
    if (pid === undefined) throw new Error("The command did not start");
    return pid;
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async finished(): Promise<Finished> {
    await this.#closed;
    return { ...this.#output, code: this.#child.exitCode };
  }

  /** Resolves to the address in the command's output, without `/proxy`. */
  async listening(): Promise<string> {
    for (;;) {
      const [, url] = /is listening on .*?(https?:\S+?)\/proxy\b/.exec(this.#output.stdout) ?? [];
      if (url !== undefined) return url;
      const hasExited = await Promise.race([
        this.#closed.then(() => true),
        this.#child.stdout === null ? true : once(this.#child.stdout, "data").then(() => false),
      ]);
      if (hasExited) throw new Error(`The command exited: ${this.#output.stderr}`);
    }
  }
}

export type { Command };

/** Runs the command until it exits by itself. */
export function runCommand(
  environment: Record<string, string>,
  args: readonly string[] = [],
): Promise<Finished> {
  return new Command(environment, { args }).finished();
}

/** Starts the command, for the duration of a test unless `cleanUp` is given. */
export function startCommand(
  environment: Record<string, string>,
  { cleanUp = onTestFinished, ...options }: StartOptions = {},
): Command {
  const command = new Command({ SHUTDOWN_DELAY: "0", ...environment }, options);
  cleanUp(async () => {
    command.signal("SIGKILL");
    await command.finished();
  });
  return command;
}

/** Like `expect.poll()`, with a timeout for other processes on a busy machine. */
export const eventually: typeof expect.poll = (read) =>
  expect.poll(read, { timeout: 30_000, interval: 100 });

/** Waits until the proxy at an address (without `/proxy`) has flags. */
export async function untilReady(url: string): Promise<void> {
  await eventually(() => healthOf(url)).toBe(200);
}

/** Returns the status of the health endpoint, requested on a new connection. */
export async function healthOf(url: string): Promise<number> {
  const response = await fetch(`${url}/proxy/health`, { headers: { connection: "close" } });
  await response.text();
  return response.status;
}
