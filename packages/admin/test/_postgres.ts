import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  accessSync,
  appendFileSync,
  chownSync,
  constants,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import pg from "pg";
import { inject, onTestFinished } from "vitest";
import { findFreePorts } from "../../../scripts/free-ports.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** Port of the PostgreSQL server that all test files share; undefined without PostgreSQL. */
    readonly postgresPort: number | undefined;
  }
}

/** Where tests create databases. */
export interface Databases {
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  close(): Promise<void>;
}

/** The server that all test files share. */
export interface SharedDatabases extends Databases {
  /** Creates a database with all tables and only the initial data, and returns its URL. */
  createMigratedDatabase(): Promise<string>;
}

/** A new, empty PostgreSQL server. */
export interface PostgresServer extends Databases {
  readonly port: number;
  /** Stops the server immediately, without a clean shutdown. */
  kill(): Promise<void>;
  /** Starts the server after `kill()`, on the same port. */
  restart(): Promise<void>;
  /** Copies the data after `kill()`. */
  save(): void;
  /** After `kill()`, replaces the data with the copy, as if a standby took over that lacks what followed. */
  restoreSaved(): void;
  /** After `kill()`, makes each `restart()` continue as a standby, which is read-only, until `promote()`. */
  demote(): void;
  /** After `kill()`, makes the next `restart()` continue like a standby that takes over. */
  promote(): void;
}

/** Returns the directory of the PostgreSQL programs; undefined if it is not installed. */
export function findPostgres(): string | undefined {
  return candidates().find((directory) =>
    ["initdb", "postgres"].every((program) => isExecutable(join(directory, program))),
  );
}

/** Without PostgreSQL, its tests are skipped. In CI they fail instead. */
export const skipsPostgres = findPostgres() === undefined && process.env["CI"] !== "true";

function candidates(): string[] {
  const packaged = readDirectory("/usr/lib/postgresql").map((version) =>
    join("/usr/lib/postgresql", version, "bin"),
  );
  return [...packaged.toReversed(), ...(process.env["PATH"] ?? "").split(delimiter)];
}

/**
 * @param parent directory in which a directory for the server is created
 * @param settings server settings, as `name=value`
 */
export async function startPostgres(
  parent: string = tmpdir(),
  settings: readonly string[] = [],
): Promise<PostgresServer> {
  const binaries = findPostgres();
  if (binaries === undefined) {
    throw new Error("PostgreSQL is not installed: on Debian, apt-get install postgresql");
  }
  const owner = serverOwner();
  const directory = mkdtempSync(join(parent, "flags-postgres-"));
  if (owner !== undefined) chownSync(directory, owner.uid, owner.gid);
  const data = join(directory, "data");
  const saved = join(directory, "saved");
  execFileSync(
    join(binaries, "initdb"),
    ["-D", data, "-U", "flags", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
    { stdio: "pipe", cwd: directory, ...owner },
  );

  const [port = 0] = await findFreePorts(1);
  const options = ["max_connections=200", ...settings].flatMap((setting) => ["-c", setting]);
  const launch = async (): Promise<ChildProcess> => {
    const child = spawn(
      join(binaries, "postgres"),
      ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", "", ...options],
      { stdio: ["ignore", "ignore", "pipe"], cwd: directory, ...owner },
    );
    await untilReady(child);
    return child;
  };
  let child = await launch();
  const writeSignal = (name: string): void => {
    const file = join(data, name);
    writeFileSync(file, "");
    if (owner !== undefined) chownSync(file, owner.uid, owner.gid);
  };

  return {
    port,
    createDatabase: () => createDatabase(port),
    kill: () => stop(child, "SIGQUIT"),
    restart: async () => {
      child = await launch();
    },
    save: () => copyTree(data, saved),
    restoreSaved: () => copyTree(saved, data),
    demote: () => writeSignal("standby.signal"),
    promote: () => {
      appendFileSync(join(data, "postgresql.auto.conf"), "restore_command = '/bin/false'\n");
      rmSync(join(data, "standby.signal"), { force: true });
      writeSignal("recovery.signal");
    },
    close: async () => {
      await stop(child, "SIGQUIT");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** How much of the log of a server is kept for the error if it does not start. */
const MAX_LOG_LENGTH = 10_000;

/** The database that is copied, because applying all migrations for each test would take longer. */
const MIGRATED_DATABASE = "flags_migrated";

/**
 * Creates the database that `createMigratedDatabase()` copies.
 *
 * @param migrate applies all migrations to the database with this URL, and closes all connections
 */
export async function prepareSharedPostgres(
  port: number,
  migrate: (databaseUrl: string) => Promise<void>,
): Promise<void> {
  await withClient(port, (client) => client.query(`create database ${MIGRATED_DATABASE}`));
  await migrate(urlOf(port, MIGRATED_DATABASE));
}

/** The server that all test files share. Closing drops the databases that were created here. */
export function useSharedPostgres(): SharedDatabases {
  const port = inject("postgresPort");
  if (port === undefined) throw new Error("PostgreSQL is not installed");
  const urls: string[] = [];
  const create = async (template?: string): Promise<string> => {
    const url = await createDatabase(port, template);
    urls.push(url);
    return url;
  };
  return {
    createDatabase: () => create(),
    createMigratedDatabase: () => create(MIGRATED_DATABASE),
    close: async () => {
      const names = urls.map((url) => new URL(url).pathname.slice(1));
      await withClient(port, async (client) => {
        for (const name of names) await client.query(`drop database ${name} with (force)`);
      });
    },
  };
}

/** Creates an empty database on the server that all test files share, for the duration of a test. Returns its URL. */
export function createTestDatabase(): Promise<string> {
  const databases = useSharedPostgres();
  onTestFinished(() => databases.close());
  return databases.createDatabase();
}

async function createDatabase(port: number, template = "template1"): Promise<string> {
  const name = `flags_${randomUUID().replaceAll("-", "")}`;
  await withClient(port, (client) => client.query(`create database ${name} template ${template}`));
  return urlOf(port, name);
}

function urlOf(port: number, database: string): string {
  return `postgres://flags@127.0.0.1:${port}/${database}`;
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => {
    child.once("exit", resolve);
  });
  child.kill(signal);
  await exited;
}

/** Replaces a directory with a copy of another one, whose files have the same owner. */
function copyTree(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  execFileSync("cp", ["-a", from, to]);
}

/** PostgreSQL refuses to run as root. */
function serverOwner(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string): number =>
    Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: idOf("-u"), gid: idOf("-g") };
}

/** Resolves when the log of a server says that it accepts connections, which are read-only on a standby. */
function untilReady(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = "";
    // NOTE: reads the log as long as the server runs, because the server waits while the pipe is full.
    server.stderr?.on("data", (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-MAX_LOG_LENGTH);
      if (/ready to accept (?:read.only )?connections/.test(log)) resolve();
    });
    server.once("exit", () => reject(new Error(`PostgreSQL did not start: ${log}`)));
  });
}

async function withClient(
  port: number,
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client({
    connectionString: `postgres://flags@127.0.0.1:${port}/postgres`,
  });
  client.on("error", () => undefined);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function readDirectory(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
