import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findFreePorts } from "../free-ports.mjs";

/** Long enough for a slow machine. The embedded database takes most of the time. */
export const START_TIMEOUT_MS = 240_000;

const root = fileURLToPath(new URL("../..", import.meta.url));
const script = join(root, "scripts", "start.mjs");

export type Ports = Readonly<Record<"ADMIN_PORT" | "PORT", string>>;

/** What the quickstart prints when it is ready. */
const READY = /Ready in (?:(\d+) min )?([\d.]+) s\. Press Ctrl-C to stop/;

/** A running quickstart. */
export interface Quickstart {
  readonly pid: number;
  output(): string;
  exited(): Promise<number | null>;
  /** Waits until the quickstart is ready. Resolves to the seconds that it printed. */
  ready(): Promise<number>;
  /** Waits until the quickstart has printed a text. */
  printed(expected: string): Promise<void>;
  /** Returns the printed tokens. */
  tokens(): Readonly<Record<"admin" | "backend", string>>;
  /** Returns the printed link to the console. */
  link(): string;
  /** Returns the printed commands. */
  commands(): Readonly<Record<"read" | "turnOn" | "turnOff", string>>;
  stop(signal: NodeJS.Signals): Promise<number | null>;
}

export function startQuickstart(
  environment: Readonly<Record<string, string>>,
  [program, ...args]: readonly [string, ...string[]] = [process.execPath, script],
): Quickstart {
  const child = spawn(program, args, { cwd: root, env: { ...process.env, ...environment } });
  const exit = once(child, "close").then(([code]) => code as number | null);
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
  }
  const waitForText = (isExpected: (printed: string) => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (isExpected(text)) resolve();
      };
      child.stdout.on("data", check);
      child.once("close", () => reject(new Error(`It ended too early:\n${text}`)));
      check();
    });
  return {
    pid: child.pid ?? 0,
    output: () => text,
    exited: () => exit,
    ready: async () => {
      await waitForText((printed) => READY.test(printed));
      const [, minutes = "0", seconds] = READY.exec(text) ?? [];
      return 60 * Number(minutes) + Number(seconds);
    },
    printed: (expected) => waitForText((printed) => printed.includes(expected)),
    tokens: () => {
      const tokenOf = (name: string) =>
        new RegExp(`^ {2}${name} token +(\\S+)$`, "m").exec(text)?.[1] ?? "";
      return { admin: tokenOf("Admin"), backend: tokenOf("Backend") };
    },
    link: () => /^ {2}Console +(\S+)$/m.exec(text)?.[1] ?? "",
    commands: () => {
      const [read = "", turnOn = "", turnOff = ""] = [...text.matchAll(/^ {2}(curl .*)$/gm)].map(
        ([, command = ""]) => command,
      );
      return { read, turnOn, turnOff };
    },
    stop: (signal) => {
      child.kill(signal);
      return exit;
    },
  };
}

/** Returns the pid of a program that the quickstart has started. */
export function findPid({ pid }: Quickstart, script: string): number {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" });
  for (const line of lines.split("\n")) {
    const [program, parent, ...args] = line.trim().split(/\s+/);
    if (Number(parent) === pid && args.some((arg) => arg.endsWith(script))) return Number(program);
  }
  throw new Error(`${script} is not running:\n${lines}`);
}

/** Runs a printed command as a reader would: pasted into a shell. */
export function paste(command: string): string {
  return execFileSync("sh", ["-c", command], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Chooses free ports for a quickstart. */
export async function choosePorts(): Promise<Ports> {
  const [admin, proxy] = await findFreePorts(2);
  return { ADMIN_PORT: String(admin), PORT: String(proxy) };
}

/** Returns the ports on which a server responds. */
export async function openPorts(ports: Ports): Promise<readonly string[]> {
  const checks = Object.values(ports).map((port) =>
    fetch(`http://127.0.0.1:${port}/`).then(
      () => [port],
      () => [],
    ),
  );
  return (await Promise.all(checks)).flat();
}
