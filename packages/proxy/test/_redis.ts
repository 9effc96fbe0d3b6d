// Real Redis servers, each in a process of its own on 127.0.0.1.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { findFreePorts } from "../../../scripts/free-ports.mjs";
import { findFreePort, isListening } from "./_ports.ts";

/** NOTE: `expect.poll()` is not available in hooks. */
const WAIT = { timeout: 30_000, interval: 100 };

/** Whether Redis is installed. */
export const HAS_REDIS = isInstalled("redis-server") && isInstalled("redis-cli");

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

interface RedisServerOptions {
  /** @default a free port */
  readonly port?: number;
  /** Further lines of the configuration; `port 0` if the port is for TLS. */
  readonly config?: readonly string[] | ((port: number) => readonly string[]);
  /** Further arguments: `--sentinel`. */
  readonly args?: readonly string[];
  /** Arguments of `redis-cli` to connect with. */
  readonly cli?: readonly string[];
}

/** A server that can be killed, frozen and restarted. */
export class RedisServer {
  readonly port: number;
  readonly #directory = mkdtempSync(join(tmpdir(), "flags-redis-"));
  readonly #options: RedisServerOptions;
  #process: ChildProcess | undefined;

  private constructor(port: number, options: RedisServerOptions) {
    this.port = port;
    this.#options = options;
  }

  static async start(options: RedisServerOptions = {}): Promise<RedisServer> {
    const server = new RedisServer(options.port ?? (await findFreePort()), options);
    await server.restart();
    return server;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** The value of FLAGS_STORE. */
  get address(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** Starts the process, with the data that it has saved. */
  async restart(): Promise<void> {
    const path = join(this.#directory, "redis.conf");
    const { args = [], config = [] } = this.#options;
    const more = typeof config === "function" ? config(this.port) : config;
    mkdirSync(this.#directory, { recursive: true });
    const lines = [
      `port ${this.port}`,
      "bind 127.0.0.1",
      `dir ${this.#directory}`,
      ...(args.includes("--sentinel") ? [] : ['save ""', "appendonly no"]),
      ...more,
    ];
    writeFileSync(path, `${lines.join("\n")}\n`);
    this.#process = spawn("redis-server", [path, ...args], { stdio: "ignore" });
    // A connection costs less than a process of `redis-cli`.
    await vi.waitUntil(() => this.#hasExited() || isListening(this.port), WAIT);
    if (this.#hasExited()) throw new Error(`redis-server exited: is port ${this.port} free?`);
    await vi.waitUntil(() => this.isResponding(), WAIT);
  }

  #hasExited(): boolean {
    return typeof this.#process?.exitCode === "number";
  }

  /** Runs a command and returns its output. */
  cli(...command: readonly string[]): string {
    const connection = ["-h", "127.0.0.1", "-p", String(this.port), ...(this.#options.cli ?? [])];
    return execFileSync("redis-cli", [...connection, ...command], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 30_000,
    }).trim();
  }

  isResponding(): boolean {
    try {
      return /PONG|NOAUTH/.test(this.cli("PING"));
    } catch {
      return false;
    }
  }

  /** Stops the process: connections stay open, and nothing responds. */
  freeze(): void {
    this.#process?.kill("SIGSTOP");
  }

  resume(): void {
    this.#process?.kill("SIGCONT");
  }

  async kill(): Promise<void> {
    const process = this.#process;
    if (process === undefined) return;
    this.#process = undefined;
    const exited = once(process, "exit");
    process.kill("SIGKILL");
    await exited;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** Servers that belong together. */
export interface RedisServers {
  /** The value of FLAGS_STORE. */
  readonly address: string;
  readonly servers: readonly RedisServer[];
  stop(): Promise<void>;
}

const SENTINEL_NAME = "flags-primary";

interface Replicated extends RedisServers {
  readonly primary: RedisServer;
  readonly replica: RedisServer;
}

/** Starts a primary, a replica, and a Sentinel that promotes the replica when the primary fails. */
export async function startSentinel(): Promise<Replicated> {
  const primary = await RedisServer.start();
  const replica = await RedisServer.start({
    config: [`replicaof 127.0.0.1 ${primary.port}`, "repl-diskless-sync-delay 0"],
  });
  // NOTE: Sentinels query the replicas of a primary only every ten seconds.
  await vi.waitUntil(
    () => replica.cli("INFO", "replication").includes("master_link_status:up"),
    WAIT,
  );
  const sentinel = await RedisServer.start({
    args: ["--sentinel"],
    config: [
      `sentinel monitor ${SENTINEL_NAME} 127.0.0.1 ${primary.port} 1`,
      `sentinel down-after-milliseconds ${SENTINEL_NAME} 500`,
      `sentinel failover-timeout ${SENTINEL_NAME} 1000`,
    ],
  });
  const servers = [primary, replica, sentinel];
  await vi.waitUntil(
    () => sentinel.cli("SENTINEL", "REPLICAS", SENTINEL_NAME).includes(String(replica.port)),
    WAIT,
  );
  return {
    address: `redis+sentinel://127.0.0.1:${sentinel.port}/${SENTINEL_NAME}`,
    servers,
    primary,
    replica,
    stop: () => stopAll(servers),
  };
}

const SLOTS = 16_384;

/**
 * Starts a cluster of three primaries.
 *
 * Redis derives the port of the cluster bus from the port for clients by default (10,000 more). That is often a port
 * that the connections of other tests use.
 */
export async function startCluster(): Promise<RedisServers> {
  const busPorts = await findFreePorts(3);
  const servers = await Promise.all(
    busPorts.map((busPort) =>
      RedisServer.start({
        config: ["cluster-enabled yes", "cluster-node-timeout 2000", `cluster-port ${busPort}`],
      }),
    ),
  );
  const [first, ...others] = servers;
  servers.forEach((server, index) => {
    const [from, to] = [index, index + 1].map((part) => Math.floor((part * SLOTS) / 3));
    server.cli("CLUSTER", "ADDSLOTSRANGE", String(from), String((to ?? 0) - 1));
  });
  others.forEach(({ port }, index) => {
    first?.cli("CLUSTER", "MEET", "127.0.0.1", String(port), String(busPorts[index + 1]));
  });
  for (const server of servers) {
    // oxlint-disable-next-line no-await-in-loop -- all of them must know the cluster
    await vi.waitUntil(() => server.cli("CLUSTER", "INFO").includes("cluster_state:ok"), WAIT);
  }
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(",");
  return { address: `redis+cluster://${hosts}`, servers, stop: () => stopAll(servers) };
}

async function stopAll(servers: readonly RedisServer[]): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
}
