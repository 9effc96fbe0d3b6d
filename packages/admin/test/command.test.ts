import { once } from "node:events";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { SETTINGS } from "../src/config/settings.ts";
import { makeDatabase, makeDataDirectory, makeDirectory, startCommand } from "./_command.ts";
import { createTestDatabase, skipsPostgres, startPostgres } from "./_postgres.ts";

const ADMIN_TOKEN = "*:*.an-admin-token-of-my-choice";
const PORT_IN_USE = /^Cannot listen on port \d+ on 127\.0\.0\.1: .* PORT\n$/;

function listContextFields(address: string): Promise<Response> {
  return fetch(`${address}/api/admin/context`, { headers: { authorization: ADMIN_TOKEN } });
}

describe("flags-admin describes itself", () => {
  test("--help lists every variable with its default", async () => {
    const { code, stdout, stderr } = await startCommand({}, ["--help"]).finished();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const { variables } of Object.values(SETTINGS)) {
      expect(stdout).toContain(`  ${variables.join(", ")}  (default: `);
    }
    expect(stdout).toContain("PORT  (default: 4242)");
    expect(stdout).toContain("DATA_DIR  (default: .flags)");
  });

  test("--version prints the version", async () => {
    const { code, stdout } = await startCommand({}, ["--version"]).finished();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test("any other argument is rejected with exit code 2", async () => {
    const { code, stderr } = await startCommand({}, ["--port"]).finished();
    expect(code).toBe(2);
    expect(stderr).toBe(
      "Unknown option --port. Set the environment variable PORT instead: see flags-admin --help\n",
    );
  });
});

/** What docs/guides/installation.md recommends at least, with the embedded database. */
const DOCUMENTED_MEMORY_MIB = 640;

test.skipIf(process.platform !== "linux")(
  "flags-admin creates its embedded database within the documented memory",
  async () => {
    const service = startCommand({ DATA_DIR: join(makeDirectory(), "data") });
    await service.listening();
    expect(service.stdout()).toContain("INFO: Creating the database in ");
    const status = readFileSync(`/proc/${service.child.pid}/status`, "utf8");
    const peakMiB = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
    expect(peakMiB).toBeGreaterThan(100);
    expect(peakMiB).toBeLessThan(DOCUMENTED_MEMORY_MIB);
  },
);

/** Logged at each start without flags but the first one, because the service may have lost its database. */
const NO_FLAGS: unknown = expect.stringMatching(
  /^WARN: The database contains no flags\. If this service had flags before, .* check DATABASE_URL or DATA_DIR /,
);

describe("flags-admin without an admin", () => {
  test("prints the link to the first account once; its probes succeed while it runs", async () => {
    const database = await makeDatabase();
    const first = startCommand(database);
    const { port: PORT } = new URL(await first.listening());
    expect(first.stdout()).toMatch(
      RegExp(
        String.raw`^Set up the first account at http://127\.0\.0\.1:${PORT}/setup#[\w-]{43}$`,
        "m",
      ),
    );
    for (const probe of ["health", "ready"]) {
      const { code, stdout } = await startCommand({ PORT }, [probe]).finished();
      expect(stdout).toContain(`http://127.0.0.1:${PORT}/${probe}: status 200, `);
      expect(code).toBe(0);
    }
    first.child.kill("SIGTERM");
    await first.finished();
    const { code, stdout } = await startCommand({ PORT }, ["ready"]).finished();
    expect({ code, stdout }).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("no server is listening there"),
    });

    const restarted = startCommand(database);
    await restarted.listening();
    expect(restarted.stdout()).toMatch(
      /WARN: The service is not set up, .* `flags-admin setup-code` /,
    );
    expect(restarted.stdout()).not.toContain("/setup#");
    restarted.child.kill("SIGTERM");
    await restarted.finished();

    const file = join(makeDirectory(), "tokens");
    writeFileSync(file, `${ADMIN_TOKEN}\n`);
    const second = startCommand({ ...database, INIT_ADMIN_API_TOKENS_FILE: file });
    expect((await listContextFields(await second.listening())).status).toBe(200);
    expect(second.stdout()).not.toContain("WARN");
    second.child.kill("SIGTERM");
    await second.finished();
    const third = startCommand({ ...database, INIT_ADMIN_API_TOKENS_FILE: file });
    await third.listening();
    expect(third.stdout().match(/WARN.*/g)).toEqual([NO_FLAGS]);
  });
});

describe("flags-admin with a token for an environment that does not exist", () => {
  test("starts, and warns without the secret", async () => {
    const command = startCommand({
      ...(await makeDatabase()),
      INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
      INIT_CLIENT_API_TOKENS: "*:development.a-token-of-my-choice,*:prod.a-token-of-my-choice",
    });
    await command.listening();
    expect(command.stdout().match(/WARN: .*/g)).toEqual([
      'WARN: INIT_CLIENT_API_TOKENS: the token *:prod.… gives access to nothing, because there is no environment "prod" (existing: development, production). Create what is missing, or correct the token',
    ]);
  });
});

describe("flags-admin with the settings of an Unleash server", () => {
  test("backend tokens are created, and settings without effect are named with what replaces them", async () => {
    const token = "*:development.a-token-of-my-choice";
    const command = startCommand({
      ...(await makeDatabase()),
      INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
      INIT_BACKEND_API_TOKENS: token,
      AUTH_TYPE: "open-source",
      ENABLED_ENVIRONMENTS: "development",
    });
    const url = await command.listening();
    const headers = { authorization: token };
    expect((await fetch(`${url}/api/client/features`, { headers })).status).toBe(200);
    expect(command.stdout().match(/WARN: .*/g)).toEqual([
      expect.stringMatching(/AUTH_TYPE is set but never read: .*OIDC_ISSUER/),
      expect.stringMatching(/ENABLED_ENVIRONMENTS is set but never read: .*admin\/environments/),
    ]);
  });
});

describe("flags-admin refuses to start, with one line per problem and exit code 1", () => {
  test("flags-admin does not start with invalid settings, and reports all of them at once, without secrets", async () => {
    const { code, stdout, stderr } = await startCommand({
      PORT: "soon",
      DATABASE_URL: "mysql://flags:hidden@db.test/flags",
      // A few characters are too few even if only this machine can connect.
      INIT_ADMIN_API_TOKENS: "hidden,*:*.fives",
    }).finished();
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toEqual([
      "Cannot use this configuration:",
      '  - PORT must be a whole number from 0 to 65535: current value is "soon"',
      expect.stringContaining("  - DATABASE_URL must be the URL of a PostgreSQL database"),
      "  - INIT_ADMIN_API_TOKENS: entry 1 must have the form `*:*.secret`",
      expect.stringContaining("  - INIT_ADMIN_API_TOKENS: entry 2 must have at least 6 characters"),
    ]);
    expect(stderr).not.toMatch(/hidden|fives/);
  });

  test("flags-admin does not start with unusable files or tokens that are too short, and states the required length", async () => {
    const directory = makeDirectory();
    const url = join(directory, "url");
    writeFileSync(url, "mysql://flags:hidden@db.test/flags\n");
    const tokens = join(directory, "tokens");
    const none = join(directory, "none");
    writeFileSync(tokens, `${ADMIN_TOKEN},*:*.fifteen-letters\n`);
    const { code, stdout, stderr } = await startCommand({
      // The process ends before it listens.
      HOST: "0.0.0.0",
      DATABASE_URL_FILE: url,
      INIT_ADMIN_API_TOKENS_FILE: tokens,
      INIT_CLIENT_API_TOKENS: "*:development.x",
      INIT_FRONTEND_API_TOKENS_FILE: none,
    }).finished();
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toEqual([
      "Cannot use this configuration:",
      expect.stringMatching(/^ {2}- DATABASE_URL_FILE must name a file that contains the URL of/),
      `  - INIT_FRONTEND_API_TOKENS_FILE: cannot read the file "${none}": there is no such file`,
      expect.stringContaining(
        "INIT_ADMIN_API_TOKENS_FILE: entry 2 must have at least 16 characters",
      ),
      expect.stringContaining("INIT_CLIENT_API_TOKENS: entry 1 must have at least 16 characters"),
    ]);
    expect(stderr).not.toMatch(/hidden|fifteen/);
  });

  test("flags-admin does not start without a server at DATABASE_URL", async () => {
    const DATABASE_URL = "postgres://flags:hidden@127.0.0.1:1/flags";
    const { code, stderr } = await startCommand({ DATABASE_URL }).finished();
    expect(code).toBe(1);
    expect(stderr).toBe(
      "Cannot use the database 127.0.0.1:1/flags: no server is listening there. Check DATABASE_URL and the server\n",
    );
  });

  test("flags-admin does not start without the certificates of DATABASE_URL", async () => {
    const ca = join(makeDirectory(), "ca.pem");
    const DATABASE_URL = `postgres://flags:hidden@127.0.0.1:1/flags?sslmode=require&sslrootcert=${ca}`;
    const { code, stderr } = await startCommand({ DATABASE_URL }).finished();
    expect(code).toBe(1);
    expect(stderr).toBe(
      `Cannot use the database 127.0.0.1:1/flags: cannot read the file ${ca}: there is no such file. Check DATABASE_URL and the server\n`,
    );
  });

  test("flags-admin does not start with a DATA_DIR below a dangling link", async () => {
    const link = join(makeDirectory(), "link");
    symlinkSync(join(link, "..", "none"), link);
    const { code, stderr } = await startCommand({ DATA_DIR: join(link, "data") }).finished();
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^Cannot use the directory .*: a part of its path is a link to something that does not exist, or .* DATA_DIR\n$/,
    );
  });

  test.runIf(process.platform === "linux")("with a DATA_DIR below /proc", async () => {
    const { code, stderr } = await startCommand({ DATA_DIR: "/proc/flags" }).finished();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Cannot use the directory .*, such as \/proc, .* DATA_DIR\n$/);
  });
});

describe("flags-admin with a token from public documentation", () => {
  const INIT_ADMIN_API_TOKENS = "*:*.unleash-insecure-admin-api-token";
  const INIT_FRONTEND_API_TOKENS = "*:development.x";

  /** Returns the output of a start that fails before the port opens, so that nobody can connect. */
  const outputOf = async (environment: Record<string, string>): Promise<string> => {
    const file = join(makeDirectory(), "file");
    writeFileSync(file, "");
    const command = startCommand({ DATA_DIR: file, INIT_ADMIN_API_TOKENS, ...environment });
    const { code, stdout, stderr } = await command.finished();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Cannot use the directory .*: it is not a directory\. .* DATA_DIR\n$/);
    expect(stdout).not.toContain("insecure");
    return stdout;
  };

  test("warns when other machines can connect", async () => {
    const stdout = await outputOf({ HOST: "0.0.0.0" });
    expect(stdout).toContain(
      "WARN: INIT_ADMIN_API_TOKENS: entry 1 is an example from public documentation",
    );
  });

  test("warns only about a short frontend token when only this machine can connect", async () => {
    const stdout = await outputOf({ HOST: "127.0.0.1", INIT_FRONTEND_API_TOKENS });
    expect(stdout.match(/WARN: .*/g)).toEqual([
      expect.stringContaining("WARN: INIT_FRONTEND_API_TOKENS: entry 1 is easy to guess"),
    ]);
  });
});

/** Returns a port that is in use until the end of the test. */
async function takePort(): Promise<string> {
  const server = createServer().listen({ port: 0, host: "127.0.0.1" });
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return String((server.address() as AddressInfo).port);
}

describe("flags-admin on the embedded database", () => {
  test("serves and locks its directory until it ends, and has its tokens after a restart", async () => {
    const DATA_DIR = await makeDataDirectory();
    const settings = {
      DATA_DIR,
      INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
      LOG_LEVEL: "debug",
      JSON_LOGGER: "true",
    };
    const first = startCommand(settings);
    const address = await first.listening();
    const second = await startCommand(settings).finished();
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(/^.* has been in use by process \d+ on .* since .*DATA_DIR.*\n$/);
    expect(second.stderr).toContain(`process ${first.child.pid} `);
    expect((await listContextFields(address)).status).toBe(200);
    first.child.kill("SIGINT");
    const { code, stdout } = await first.finished();
    expect(code).toBe(0);
    for (const line of stdout.trimEnd().split("\n")) expect(JSON.parse(line)).toBeTypeOf("object");
    expect(stdout).toContain('"level":"debug"');
    expect(stdout + second.stdout + second.stderr).not.toContain("an-admin-token");

    const withoutPort = await startCommand({ DATA_DIR, PORT: await takePort() }).finished();
    expect(withoutPort.code).toBe(1);
    expect(withoutPort.stderr).toMatch(PORT_IN_USE);

    const restarted = startCommand({ DATA_DIR });
    expect((await listContextFields(await restarted.listening())).status).toBe(200);
    restarted.child.kill("SIGTERM");
    const stopped = await restarted.finished();
    expect(stopped).toMatchObject({ code: 0, stderr: "" });
    expect(stopped.stdout.trimEnd().split("\n")).toEqual([
      expect.stringMatching(
        /^\[.*\] INFO: flags-admin \d\S+ is listening on (http:\S+)\/api, and serves the console at \1\/$/,
      ),
    ]);
  });

  test("does not create a database if its port is in use", async () => {
    const DATA_DIR = join(makeDirectory(), "data");
    const refused = await startCommand({ DATA_DIR, PORT: await takePort() }).finished();
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(PORT_IN_USE);
    expect(existsSync(DATA_DIR)).toBe(false);
  });
});

describe.skipIf(skipsPostgres)("flags-admin on PostgreSQL", () => {
  test("serves, and stops on SIGTERM with exit code 0", async () => {
    const DATABASE_URL = await createTestDatabase();
    const command = startCommand({ DATABASE_URL, INIT_ADMIN_API_TOKENS: ADMIN_TOKEN });
    expect((await listContextFields(await command.listening())).status).toBe(200);
    command.child.kill("SIGTERM");
    expect(await command.finished()).toMatchObject({ code: 0, stderr: "" });
  });

  test("stops on SIGTERM with exit code 0 although the database is unavailable", async () => {
    const otherServer = await startPostgres();
    onTestFinished(() => otherServer.close());
    const DATABASE_URL = await otherServer.createDatabase();
    const command = startCommand({ DATABASE_URL, INIT_ADMIN_API_TOKENS: ADMIN_TOKEN });
    expect((await listContextFields(await command.listening())).status).toBe(200);
    await otherServer.kill();
    command.child.kill("SIGTERM");
    // After 9.5 s, the process would end itself with exit code 1.
    expect((await command.finished()).code).toBe(0);
  });

  test.each([
    [(url: string) => `${url}_none`, "there is no database with that name"],
    [
      (url: string) => url.replace("flags@", "nobody@"),
      "the server does not allow this user to connect",
    ],
  ])(
    "refuses to start with one line if the server rejects the connection: case %#",
    async (invalidate, reason) => {
      const DATABASE_URL = invalidate(await createTestDatabase());
      const { code, stderr } = await startCommand({ DATABASE_URL }).finished();
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /^Cannot use the database 127\.0\.0\.1:.*\. Check DATABASE_URL and the server\n$/,
      );
      expect(stderr).toContain(reason);
    },
  );
});
