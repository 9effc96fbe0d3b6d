import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { Container, Probe } from "./helm/_chart.ts";

/** A built command, started as the container of a pod would be. */
export class Service {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #url: string;
  #log = "";

  constructor(container: Container, environment: Readonly<Record<string, string>>, port: number) {
    const [command = ""] = container.args;
    const folder = command.replace("flags-", "");
    const file = fileURLToPath(new URL(`../packages/${folder}/bin/${command}.js`, import.meta.url));
    const variables = container.env.flatMap(({ name, value }) =>
      value === undefined ? [] : [[name, value] as const],
    );
    this.#child = spawn(process.execPath, [file], {
      env: {
        ...Object.fromEntries(variables),
        ...environment,
        HOST: "127.0.0.1",
        SHUTDOWN_DELAY: "0",
        PORT: String(port),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child.stdout?.on("data", (chunk: Buffer) => (this.#log += chunk.toString()));
    this.#child.stderr?.on("data", (chunk: Buffer) => (this.#log += chunk.toString()));
    this.#exited = once(this.#child, "exit");
    this.#url = `http://127.0.0.1:${port}`;
  }

  get log(): string {
    return this.#log;
  }

  get hasExited(): boolean {
    return this.#child.exitCode !== null;
  }

  /** Returns whether a probe with an HTTP request succeeds, as the kubelet decides. */
  async passes({ httpGet }: Probe): Promise<boolean> {
    if (httpGet === undefined) throw new Error("The probe sends no HTTP request");
    try {
      const signal = AbortSignal.timeout(2000);
      const headers = { connection: "close" };
      const response = await fetch(`${this.#url}${httpGet.path}`, { signal, headers });
      await response.text();
      return response.status >= 200 && response.status < 400;
    } catch {
      return false;
    }
  }

  async untilPasses(probe: Probe): Promise<void> {
    await expect.poll(() => this.passes(probe), { timeout: 50_000, interval: 200 }).toBe(true);
  }

  async fetchText(path: string, init?: RequestInit): Promise<string> {
    const response = await fetch(`${this.#url}${path}`, init);
    return response.text();
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** Sends SIGTERM, and returns the exit code. */
  async stop(): Promise<number | null> {
    this.#child.kill("SIGTERM");
    await this.#exited;
    return this.#child.exitCode;
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGKILL");
    await this.#exited;
  }
}
