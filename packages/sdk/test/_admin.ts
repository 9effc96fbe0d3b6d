import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { copyFreshDatabase } from "../../admin/test/_storages.ts";

const COMMAND = fileURLToPath(new URL("../../admin/bin/flags-admin.js", import.meta.url));
const ADMIN_TOKEN = "*:*.the-admin-of-the-tests";

export const CLIENT_TOKEN = "*:development.the-client-of-the-tests";

/** The built flag-management service in a separate process, with its own database. */
export class AdminService {
  readonly #directory = mkdtempSync(join(tmpdir(), "flags-sdk-"));
  readonly #database: Record<string, string>;
  #child: ChildProcess | undefined;
  /** Its origin, which stays the same after a restart. */
  origin = "";

  /** @param database the variables of a database @default an embedded database */
  constructor(database: Record<string, string> = {}) {
    this.#database = { DATA_DIR: this.#directory, ...database };
  }

  get url(): string {
    return `${this.origin}/api`;
  }

  async start(): Promise<void> {
    const isFirst = this.origin === "";
    const isEmbedded = this.#database["DATABASE_URL"] === undefined;
    if (isFirst && isEmbedded) await copyFreshDatabase(this.#directory);
    const port = isFirst ? "0" : new URL(this.origin).port;
    const child = spawn(process.execPath, [COMMAND], {
      env: {
        HOST: "127.0.0.1",
        PORT: port,
        SHUTDOWN_DELAY: "0",
        ...this.#database,
        INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
        INIT_CLIENT_API_TOKENS: CLIENT_TOKEN,
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#child = child;
    let output = "";
    for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
      output += String(chunk);
      const [, origin] = /is listening on .*?(http:\S+)\/api\b/.exec(output) ?? [];
      if (origin === undefined) continue;
      this.origin = origin;
      child.stdout.resume();
      return;
    }
    throw new Error("The flag service exited instead of listening");
  }

  /** Kills the process. */
  async stop(): Promise<void> {
    if (this.#child === undefined || this.#child.exitCode !== null) return;
    const ended = once(this.#child, "close");
    this.#child.kill("SIGKILL");
    await ended;
    this.#child = undefined;
  }

  /** Kills the process and deletes its database. */
  async dispose(): Promise<void> {
    await this.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** Returns the response to a GET of the admin API. */
  async read(path: string): Promise<unknown> {
    return JSON.parse(await this.#request("GET", path)) as unknown;
  }

  /** Sends a request to the admin API; throws unless it succeeds. */
  async admin(method: string, path: string, body?: unknown): Promise<void> {
    await this.#request(method, path, body);
  }

  async #request(method: string, path: string, body?: unknown): Promise<string> {
    const response = await fetch(`${this.url}/admin${path}`, {
      method,
      headers: { authorization: ADMIN_TOKEN, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text;
  }

  /** Creates a flag that is always on. */
  async createFlag(name: string): Promise<void> {
    const path = "/projects/default/features";
    await this.admin("POST", path, { name });
    await this.admin("POST", `${path}/${name}/environments/development/strategies`, {
      name: "default",
    });
    await this.switchFlag(name, true);
  }

  async switchFlag(name: string, on: boolean): Promise<void> {
    const path = `/projects/default/features/${name}/environments/development`;
    await this.admin("POST", `${path}/${on ? "on" : "off"}`);
  }

  /** Adds a strategy with a segment to a flag. */
  async addSegment(name: string): Promise<void> {
    const values = ["gold"];
    await this.admin("POST", "/segments", {
      name: "gold",
      constraints: [{ contextName: "plan", operator: "IN", values }],
    });
    const path = `/projects/default/features/${name}/environments/development/strategies`;
    await this.admin("POST", path, { name: "default", segments: [1] });
  }
}
