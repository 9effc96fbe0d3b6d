import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { once } from "node:events";
import { gunzipSync } from "node:zlib";
import { sql } from "drizzle-orm";
import { describe, expect, onTestFinished, test } from "vitest";
import { hashToken } from "../src/access/token.ts";
import type { CheckReport } from "../src/cli/check/check-report.ts";
import { openStorage } from "../src/storage/open-storage.ts";
import { PASSWORD } from "./_accounts.ts";
import { type Command, makeDataDirectory, makeDirectory, startCommand } from "./_command.ts";
import { skipsPostgres, useSharedPostgres } from "./_postgres.ts";
import { toCookie } from "./_sessions.ts";
import { copyFreshDatabase, openDatabase, silentLogger } from "./_storages.ts";

type Environment = Record<string, string>;

/** A user that owns nothing. */
const NOBODY = 65_534;

const CREATE_ADMIN = ["create-token", "--type", "admin", "--name", "first admin"];

/** Runs a command, which must succeed. Returns its standard output. */
async function run(environment: Environment, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await startCommand(environment, args).finished();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

/** Runs a command, which must fail with one line. Returns the line. */
async function refuse(environment: Environment, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await startCommand(environment, args).finished();
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  return stderr.trimEnd();
}

async function check(environment: Environment, exitCode = 0): Promise<CheckReport> {
  const { code, stdout } = await startCommand(environment, ["check", "--json"]).finished();
  expect({ code, stdout }).toMatchObject({ code: exitCode });
  return JSON.parse(stdout) as CheckReport;
}

async function statusOf(url: string, token: string): Promise<number> {
  const headers = { authorization: token.trim() };
  return (await fetch(`${url}/api/admin/context`, { headers })).status;
}

async function stop(service: Command, signal: NodeJS.Signals): Promise<void> {
  service.child.kill(signal);
  await service.finished();
}

describe("commands beside a service with the embedded database", () => {
  test("run in the service, and after a crash on the database", async () => {
    const DATA_DIR = await makeDataDirectory();
    const socket = join(DATA_DIR, "admin.sock");
    const service = startCommand({ DATA_DIR });
    const url = await service.listening();
    const { port: PORT } = new URL(url);
    expect(statSync(socket).mode & 0o777).toBe(0o600);

    const token = await run({ DATA_DIR }, ...CREATE_ADMIN);
    expect(token).toMatch(/^\*:\*\.[\da-f]{56}\n$/);
    expect(await statusOf(url, token)).toBe(200);
    expect(await check({ DATA_DIR, PORT })).toMatchObject({
      problems: [],
      warnings: [],
      database: { kind: "embedded", pendingMigrations: [] },
      service: { processId: service.child.pid, port: Number(PORT) },
    });
    const second = await refuse({ DATA_DIR });
    expect(second).toContain("has been in use by process");
    const file = join(makeDirectory(), "flags.backup");
    expect(await run({ DATA_DIR }, "backup", "--file", file)).toBe(
      `Wrote ${statSync(file).size} bytes to ${file}\n`,
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const piped = await readAll(startCommand({ DATA_DIR }, ["backup", "--file", "-"]));
    for (const backup of [readFileSync(file), piped]) {
      expect(gunzipSync(backup).toString()).toContain(hashToken(token.trim()));
    }

    await stop(service, "SIGKILL");
    expect(statSync(socket).isSocket()).toBe(true);
    const later = await run({ DATA_DIR }, ...CREATE_ADMIN);
    const restarted = startCommand({ DATA_DIR });
    const newUrl = await restarted.listening();
    expect(await statusOf(newUrl, later)).toBe(200);
    expect(await statusOf(newUrl, await run({ DATA_DIR }, ...CREATE_ADMIN))).toBe(200);
    await stop(restarted, "SIGTERM");
    expect(existsSync(socket)).toBe(false);
  });

  test.skipIf(process.platform !== "linux")("reach it however long the path is", async () => {
    const parent = makeDirectory();
    const DATA_DIR = join(parent, "long-".repeat(30));
    mkdirSync(DATA_DIR);
    await copyFreshDatabase(DATA_DIR);
    const service = startCommand({ DATA_DIR });
    const url = await service.listening();
    expect(await statusOf(url, await run({ DATA_DIR }, ...CREATE_ADMIN))).toBe(200);
    expect(statSync(join(DATA_DIR, "admin.sock")).isSocket()).toBe(true);
    await stop(service, "SIGTERM");
    expect(existsSync(join(DATA_DIR, "admin.sock"))).toBe(false);
  });

  test("are refused with the reason where no socket can be opened, and the service runs", async () => {
    const DATA_DIR = await makeDataDirectory();
    writeFileSync(join(DATA_DIR, "admin.sock"), "of another program");
    const service = startCommand({ DATA_DIR });
    await service.listening();
    expect(service.stdout()).toMatch(
      /WARN: Cannot open the socket .*admin\.sock, so commands .* do not work .*: it exists and is not a socket: delete it/,
    );
    expect(await refuse({ DATA_DIR }, ...CREATE_ADMIN)).toMatch(
      /has been in use by process .*, and that process does not accept commands: /,
    );
    expect((await check({ DATA_DIR }, 1)).problems).toEqual([
      expect.stringContaining("does not accept commands"),
    ]);
    expect(statSync(join(DATA_DIR, "admin.sock")).isFile()).toBe(true);
  });

  test("are refused while the service starts or stops, and so is a start while they run", async () => {
    const DATA_DIR = await makeDataDirectory();
    // Holds the database without a socket, as a service does then, and a command.
    const storage = await openStorage({ dataDir: DATA_DIR, logger: silentLogger });
    expect(await refuse({ DATA_DIR }, ...CREATE_ADMIN)).toMatch(
      new RegExp(`by process ${process.pid} .*: repeat the command if it is starting or stopping`),
    );
    expect(await refuse({ DATA_DIR })).toContain(`in use by process ${process.pid} `);
    await storage.close();
    expect(await run({ DATA_DIR }, ...CREATE_ADMIN)).toMatch(/^\*:\*\./);
  });

  test.skipIf(process.getuid?.() !== 0)(
    "cannot be run by another user, even one who can read the directory",
    async () => {
      const DATA_DIR = await makeDataDirectory();
      chmodSync(DATA_DIR, 0o755);
      const service = startCommand({ DATA_DIR });
      const url = await service.listening();
      const socket = join(DATA_DIR, "admin.sock");
      const script = `require("net").connect(${JSON.stringify(socket)}).on("error", ({ code }) => console.log(code))`;
      const other = { uid: NOBODY, gid: NOBODY, encoding: "utf8" } as const;
      expect(spawnSync(process.execPath, ["-e", script], other).stdout).toBe("EACCES\n");
      // Root can, also if the service belongs to another user.
      chownSync(socket, NOBODY, NOBODY);
      expect(await statusOf(url, await run({ DATA_DIR }, ...CREATE_ADMIN))).toBe(200);
    },
  );

  test.skipIf(process.getuid?.() !== 0)(
    "leave no files of root in the database of another user",
    async () => {
      const DATA_DIR = await makeDataDirectory();
      chownSync(join(DATA_DIR, "database"), NOBODY, NOBODY);
      const before = readdirSync(DATA_DIR);
      expect(await refuse({ DATA_DIR }, ...CREATE_ADMIN)).toContain(
        "belongs to the user with the id 65534",
      );
      expect(readdirSync(DATA_DIR)).toEqual(before);
    },
  );
});

/** Creates a database on PostgreSQL with all tables, and deletes it at the end of the test. */
function createDatabase(): Promise<string> {
  const databases = useSharedPostgres();
  onTestFinished(() => databases.close());
  return databases.createMigratedDatabase();
}

/** Chooses a password with a link, and returns the status of a sign-in with it. */
async function choosePassword(link: string, username: string): Promise<number> {
  const { origin, searchParams } = new URL(link.trim());
  const chosen = await post(`${origin}/auth/reset/password`, {
    token: searchParams.get("token"),
    password: PASSWORD,
  });
  expect(chosen.status).toBe(200);
  return logIn(origin, username);
}

async function logIn(url: string, username: string): Promise<number> {
  return (await post(`${url}/auth/simple/login`, { username, password: PASSWORD })).status;
}

function post(url: string, body: unknown): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
}

describe.each([
  ["a service with the embedded database", false],
  ["a replica on PostgreSQL", true],
])("commands for accounts beside %s", (_title, usesPostgres) => {
  test.skipIf(usesPostgres && skipsPostgres)("let people in", async () => {
    const database: Environment = usesPostgres
      ? { DATABASE_URL: await createDatabase() }
      : { DATA_DIR: await makeDataDirectory() };
    const service = startCommand(database);
    const url = await service.listening();
    // NOTE: a command that opens the database itself knows only its own settings.
    const settings = usesPostgres ? { ...database, PUBLIC_URL: `${url}/` } : database;

    const setup = await run(settings, "setup-code");
    expect(setup).toMatch(
      /^Set up the first account at http:\/\/127\.0\.0\.1:\d+\/setup#[\w-]{43}\n$/,
    );
    const code = setup.trim().split("#")[1];
    const first = { code, username: "anna", password: PASSWORD };
    expect((await post(`${url}/auth/setup`, first)).status).toBe(200);
    expect(await refuse(settings, "setup-code")).toBe(
      "The service has an admin already: sign in, or ask them",
    );

    const user = ["create-user", "--role", "editor", "--username"];
    const invitation = await run(settings, ...user, "bob", "--email", "bob@example.com");
    expect(invitation).toMatch(/^http:\/\/[\d.:]+\/new-user\?token=[\w-]{43}\n$/);
    expect(await choosePassword(invitation, "BOB@example.com")).toBe(200);
    const file = join(makeDirectory(), "password");
    writeFileSync(file, `${PASSWORD}\n`);
    expect(await run(settings, ...user, "carl", "--password-file", file)).toBe(
      "Created the account\n",
    );
    expect(await logIn(url, "carl")).toBe(200);
    const piped = startCommand(settings, [...user, "dora", "--password-file", "-"], {
      input: PASSWORD,
    });
    expect(await piped.finished()).toMatchObject({ code: 0, stderr: "" });
    expect(await logIn(url, "dora")).toBe(200);
    writeFileSync(file, "hidden");
    const short = startCommand(settings, [...user, "emil", "--password-file", file]);
    expect(await short.finished()).toEqual({
      code: 2,
      stdout: "",
      stderr: "--password-file must have at least 12 characters\n",
    });
    const taken = await startCommand(settings, [...user, "BOB"]).finished();
    expect(taken).toMatchObject({ code: 2, stderr: "--username is taken: choose another one\n" });

    const reset = await run(settings, "reset-password", "--user", "carl");
    expect(reset).toMatch(/\/reset-password\?token=[\w-]{43}\n$/);
    expect(await choosePassword(reset, "carl")).toBe(200);
    const link = (await run(settings, "sign-in-link", "--user", "bob@example.com")).trim();
    const opened = await fetch(link, { redirect: "manual" });
    expect([opened.status, opened.headers.get("location")]).toEqual([302, "../"]);
    const [cookie = ""] = opened.headers.getSetCookie();
    const me = await fetch(`${url}/api/admin/user`, { headers: toCookie(cookie) });
    expect(await me.json()).toMatchObject({ user: { username: "bob" }, role: "editor" });
    const again = await fetch(link, { redirect: "manual" });
    expect([again.headers.get("location"), again.headers.getSetCookie()]).toEqual([
      "../sign-in?problem=link",
      [],
    ]);
    expect(await refuse(settings, "reset-password", "--user", "none")).toBe(
      "There is no user with this email address, user name or id",
    );
    // Neither what was printed nor what was typed is in the log.
    for (const secret of [code, PASSWORD, link.split("=")[1]]) {
      expect(service.stdout()).not.toContain(secret);
    }
  });
});

/** Resolves with the standard output of a command as bytes. */
async function readAll({ child }: Command): Promise<Buffer> {
  const chunks: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(child, "close");
  return Buffer.concat(chunks);
}

describe.skipIf(skipsPostgres)("commands beside replicas on PostgreSQL", () => {
  test("use the database, and all replicas accept the token at once", async () => {
    const directory = makeDirectory();
    const database = { DATABASE_URL: await createDatabase() };
    const services = [startCommand(database), startCommand(database)];
    const urls = await Promise.all(services.map((service) => service.listening()));
    const token = await run(database, ...CREATE_ADMIN);
    expect(await Promise.all(urls.map((url) => statusOf(url, token)))).toEqual([200, 200]);

    const sdkToken = "create-token --type client --name sdk --expires 90d --project default";
    const args = [...sdkToken.split(" "), "--environment", "production"];
    const backend = await run(database, ...args);
    expect(backend).toMatch(/^default:production\.[\da-f]{56}\n$/);
    const list = await fetch(`${urls[0]}/api/admin/api-tokens/sdk`, {
      headers: { authorization: token.trim() },
    });
    const { tokens } = (await list.json()) as { tokens: { expiresAt: string }[] };
    const inDays = (Date.parse(tokens[0]?.expiresAt ?? "") - Date.now()) / 86_400_000;
    expect(Math.round(inDays)).toBe(90);

    const file = join(directory, "flags.backup");
    await run(database, "backup", "--file", file);
    const backup = gunzipSync(readFileSync(file)).toString();
    expect(backup).toContain(hashToken(token.trim()));
    const { port } = new URL(urls[0] ?? "");
    expect(await check({ ...database, PORT: port })).toMatchObject({
      problems: [],
      warnings: [
        expect.stringMatching(/another program uses the port.* It responds like flags-admin/),
      ],
      database: { kind: "postgresql", pendingMigrations: [] },
    });
  });

  test.each([
    [["setup-code"], {}, "because PORT is 0: set PUBLIC_URL"],
    [
      ["create-user", "--role", "admin", "--username", "x", "--password-file", "none"],
      {},
      "--password-file: cannot read the file none: there is no such file",
    ],
  ])("%j with %j says why it is not possible", async (args, settings, message) => {
    const environment = { DATABASE_URL: await createDatabase(), ...settings };
    expect(await refuse(environment, ...args)).toContain(message);
  });

  test("tables of another version or none are reported, and not used", async () => {
    const DATABASE_URL = await createDatabase();
    const storage = await openDatabase(DATABASE_URL);
    const { schemaVersion = 0 } = (await check({ DATABASE_URL })).database ?? {};

    await storage.db.execute(sql`delete from schema_versions where version = ${schemaVersion}`);
    expect(await refuse({ DATABASE_URL }, ...CREATE_ADMIN)).toContain(
      `The database has schema version ${schemaVersion - 1}, and this command requires version ${schemaVersion}`,
    );
    expect((await check({ DATABASE_URL })).database?.pendingMigrations).toHaveLength(1);

    await storage.db.execute(sql`insert into schema_versions (version, name) values (999, 'x')`);
    expect(await refuse({ DATABASE_URL }, ...CREATE_ADMIN)).toContain("schema version 999");
    expect((await check({ DATABASE_URL }, 1)).problems).toEqual([
      expect.stringContaining("The database has schema version 999"),
    ]);

    await storage.db.execute(sql`drop table schema_versions`);
    expect(await refuse({ DATABASE_URL }, ...CREATE_ADMIN)).toBe(
      "The database contains no tables of flags-admin: start the service first",
    );
    expect((await check({ DATABASE_URL })).database).toMatchObject({ schemaVersion: 0 });
  });
});

describe("flags-admin check", () => {
  test("reports all problems, changes nothing, and shows no secret", async () => {
    const blocker = createServer().listen({ port: 0, host: "127.0.0.1" });
    onTestFinished(() => void blocker.close());
    await once(blocker, "listening");
    const { port } = blocker.address() as AddressInfo;
    const DATA_DIR = join(makeDirectory(), "parent", "data");
    const settings = { DATA_DIR, PORT: String(port), INIT_ADMIN_API_TOKENS: "*:*.hidden-secret" };

    const { code, stdout, stderr } = await startCommand(settings, ["check"]).finished();
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(stdout).toContain(`There is no database in ${DATA_DIR} yet`);
    expect(stdout).toMatch(
      /Problems\n {2}- Cannot listen on port \d+ on 127\.0\.0\.1: another program uses the port\. .*\n\nNot usable: 1 problem, 2 warnings\n$/,
    );
    expect(stdout).not.toContain("hidden");
    expect(existsSync(join(DATA_DIR, ".."))).toBe(false);
  });

  test.each([
    [{ PORT: "soon" }, "PORT must be a whole number from 0 to 65535"],
    [
      { DATA_DIR: "/dev/null/data" },
      "Cannot use the directory /dev/null/data: one of its parents is not a directory",
    ],
    [{ DATABASE_URL: "postgres://a:hidden@127.0.0.1:1/b" }, "no server is listening there"],
  ])("with %j has a problem", async (settings, problem) => {
    const { problems, ...rest } = await check(settings, 1);
    expect(problems).toEqual([expect.stringContaining(problem)]);
    expect(JSON.stringify({ problems, rest })).not.toContain("hidden");
  });
});
