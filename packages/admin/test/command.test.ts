import { once } from "node:events";
import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { SETTINGS } from "../src/config/settings.ts";
import { makeDatabase, makeDataDirectory, makeDirectory, startCommand } from "./_command.ts";
import { skipsPostgres, startPostgres, useSharedPostgres, type Databases } from "./_postgres.ts";

const ADMIN_TOKEN = "*:*.an-admin-token-of-my-choice";

function listContextFields(address: string): Promise<Response> {
  return fetch(`${address}/api/admin/context`, { headers: { authorization: ADMIN_TOKEN } });
}

describe("flags-admin describes itself", () => {
  test.each(["--help", "-h"])("%s lists every variable with its default", async (argument) => {
    const { code, stdout, stderr } = await startCommand({}, [argument]).finished();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const { variables } of Object.values(SETTINGS)) {
      for (const name of variables) expect(stdout).toContain(`  ${name}  (default: `);
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

describe("flags-admin reads secrets from files", () => {
  test("and reports all that cannot be used, without their content", async () => {
    const directory = makeDirectory();
    const file = join(directory, "url");
    writeFileSync(file, "mysql://flags:hidden@db.test/flags\n");
    const { code, stderr } = await startCommand({
      DATABASE_URL_FILE: file,
      INIT_ADMIN_API_TOKENS_FILE: join(directory, "none"),
    }).finished();
    expect(code).toBe(1);
    expect(stderr.trimEnd().split("\n")).toEqual([
      "Cannot use this configuration:",
      expect.stringMatching(/^ {2}- DATABASE_URL_FILE must name a file that contains the URL of/),
      `  - INIT_ADMIN_API_TOKENS_FILE: cannot read the file "${join(directory, "none")}": there is no such file`,
    ]);
    expect(stderr).not.toContain("hidden");
  });
});

describe("flags-admin without an admin token", () => {
  test("warns and says how to create one; its probes succeed while it runs", async () => {
    const database = await makeDatabase();
    const first = startCommand(database);
    const { port: PORT } = new URL(await first.listening());
    expect(first.stdout()).toMatch(
      /WARN: There is no admin token, .* restart with INIT_ADMIN_API_TOKENS set to a token /,
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
      stdout: expect.stringContaining("no server listens there"),
    });

    const file = join(makeDirectory(), "tokens");
    writeFileSync(file, `${ADMIN_TOKEN}\n`);
    const second = startCommand({ ...database, INIT_ADMIN_API_TOKENS_FILE: file });
    expect((await listContextFields(await second.listening())).status).toBe(200);
    expect(second.stdout()).not.toContain("WARN");
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
      'WARN: INIT_CLIENT_API_TOKENS: the token *:prod.… gives access to nothing, because there is no environment "prod" (there are development, production). Create what is missing, or correct the token',
    ]);
  });
});

describe("flags-admin refuses to start, with one line per problem and exit code 1", () => {
  test("with invalid settings, all reported at once and without secrets", async () => {
    const { code, stdout, stderr } = await startCommand({
      PORT: "soon",
      DATABASE_URL: "mysql://flags:hidden@db.test/flags",
      INIT_ADMIN_API_TOKENS: "hidden",
    }).finished();
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr.trimEnd().split("\n")).toEqual([
      "Cannot use this configuration:",
      '  - PORT must be a whole number from 0 to 65535: current value is "soon"',
      expect.stringContaining("  - DATABASE_URL must be the URL of a PostgreSQL database"),
      "  - INIT_ADMIN_API_TOKENS: entry 1 must have the form `*:*.secret`",
    ]);
    expect(stderr).not.toContain("hidden");
  });

  test("with a token that is too short, and states the required length", async () => {
    const { code, stdout, stderr } = await startCommand({
      // The process ends before it listens.
      HOST: "0.0.0.0",
      INIT_ADMIN_API_TOKENS: `${ADMIN_TOKEN},*:*.fifteen-letters`,
      INIT_CLIENT_API_TOKENS: "*:development.x",
    }).finished();
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("INIT_ADMIN_API_TOKENS: entry 2 must have at least 16 characters");
    expect(stderr).toContain("INIT_CLIENT_API_TOKENS: entry 1 must have at least 16 characters");
    expect(stderr).not.toContain("fifteen");
  });

  test("with a token of a few characters, even if only this machine can connect", async () => {
    const { code, stderr } = await startCommand({
      INIT_ADMIN_API_TOKENS: "*:*.fives",
    }).finished();
    expect(code).toBe(1);
    expect(stderr).toContain("INIT_ADMIN_API_TOKENS: entry 1 must have at least 6 characters");
  });

  test("without a server at DATABASE_URL", async () => {
    const DATABASE_URL = "postgres://flags:hidden@127.0.0.1:1/flags";
    const { code, stderr } = await startCommand({ DATABASE_URL }).finished();
    expect(code).toBe(1);
    expect(stderr).toBe(
      "Cannot use the database 127.0.0.1:1/flags: no server listens there. Check DATABASE_URL and the server\n",
    );
  });

  test("without the certificates of DATABASE_URL", async () => {
    const ca = join(makeDirectory(), "ca.pem");
    const DATABASE_URL = `postgres://flags:hidden@127.0.0.1:1/flags?sslmode=require&sslrootcert=${ca}`;
    const { code, stderr } = await startCommand({ DATABASE_URL }).finished();
    expect(code).toBe(1);
    expect(stderr).toBe(
      `Cannot use the database 127.0.0.1:1/flags: cannot read the file ${ca} (ENOENT). Check DATABASE_URL and the server\n`,
    );
  });

  test("with a DATA_DIR below a link to nothing", async () => {
    const link = join(makeDirectory(), "link");
    symlinkSync(join(link, "..", "none"), link);
    const { code, stderr } = await startCommand({ DATA_DIR: join(link, "data") }).finished();
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^Cannot use the directory .*: a part of its path is a link to something that does not exist\. .* DATA_DIR\n$/,
    );
  });

  test("with a file where DATA_DIR should be", async () => {
    const file = join(makeDirectory(), "file");
    writeFileSync(file, "");
    const { code, stderr } = await startCommand({ DATA_DIR: file }).finished();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Cannot use the directory .*: it is not a directory\. .* DATA_DIR\n$/);
  });
});

describe("flags-admin with a token from public documentation", () => {
  const INIT_ADMIN_API_TOKENS = "*:*.unleash-insecure-admin-api-token";
  const INIT_FRONTEND_API_TOKENS = "*:development.x";

  /** Returns the output of a start that fails before the port opens, so that nobody can connect. */
  const outputOf = async (environment: Record<string, string>): Promise<string> => {
    const file = join(makeDirectory(), "file");
    writeFileSync(file, "");
    const command = startCommand({ DATA_DIR: file, ...environment });
    const { code, stdout } = await command.finished();
    expect(code).toBe(1);
    expect(stdout).not.toContain("insecure");
    return stdout;
  };

  test("warns when other machines can connect", async () => {
    const stdout = await outputOf({ HOST: "0.0.0.0", INIT_ADMIN_API_TOKENS });
    expect(stdout).toContain(
      "WARN: INIT_ADMIN_API_TOKENS: entry 1 is an example from public documentation",
    );
  });

  test("does not warn when only this machine can connect", async () => {
    expect(await outputOf({ HOST: "127.0.0.1", INIT_ADMIN_API_TOKENS })).toBe("");
  });

  test("warns about a short frontend token on any address", async () => {
    const stdout = await outputOf({ HOST: "127.0.0.1", INIT_FRONTEND_API_TOKENS });
    expect(stdout).toContain("WARN: INIT_FRONTEND_API_TOKENS: entry 1 is easy to guess");
  });
});

describe("flags-admin on the embedded database", () => {
  test("serves, stops on SIGTERM with exit code 0, and has its tokens after a restart", async () => {
    const DATA_DIR = await makeDataDirectory();
    const first = startCommand({ DATA_DIR, INIT_ADMIN_API_TOKENS: ADMIN_TOKEN });
    expect((await listContextFields(await first.listening())).status).toBe(200);
    first.child.kill("SIGTERM");
    const stopped = await first.finished();
    expect(stopped).toMatchObject({ code: 0, stderr: "" });
    expect(stopped.stdout.trimEnd().split("\n")).toEqual([
      expect.stringMatching(/^\[.*\] INFO: flags-admin \d\S+ listens on http:\S+\/api$/),
    ]);

    const second = startCommand({ DATA_DIR, LOG_LEVEL: "debug", JSON_LOGGER: "true" });
    expect((await listContextFields(await second.listening())).status).toBe(200);
    second.child.kill("SIGINT");
    const { code, stdout } = await second.finished();
    expect(code).toBe(0);
    for (const line of stdout.trimEnd().split("\n")) expect(JSON.parse(line)).toBeTypeOf("object");
  });

  test("does not create a database if its port is in use, and ends at once on SIGTERM while it creates one", async () => {
    const DATA_DIR = join(makeDirectory(), "data");
    const port = createServer().listen({ port: 0, host: "127.0.0.1" });
    onTestFinished(() => void port.close());
    await once(port, "listening");
    const PORT = String((port.address() as AddressInfo).port);
    const refused = await startCommand({ DATA_DIR, PORT }).finished();
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toContain(`Cannot listen on port ${PORT}`);
    expect(existsSync(DATA_DIR)).toBe(false);

    const interrupted = startCommand({ DATA_DIR });
    const output = (): string => interrupted.stdout();
    await expect
      .poll(output, { timeout: 60_000 })
      .toMatch(/^\[.*\] INFO: Creating the database in .*data\n$/);
    interrupted.child.kill("SIGTERM");
    const { code, stdout } = await interrupted.finished();
    expect(code).toBe(0);
    expect(stdout).not.toContain("listens on");

    const next = startCommand({ DATA_DIR });
    expect(await next.listening()).toMatch(/^http:/);
    expect(next.stdout()).toContain("was never completed: creating it again");
  });

  test("names the process that uses the directory, and logs no secret at any level", async () => {
    const settings = {
      DATA_DIR: await makeDataDirectory(),
      LOG_LEVEL: "debug",
      INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
    };
    const holder = startCommand(settings);
    const address = await holder.listening();
    const { code, stderr } = await startCommand(settings).finished();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^.* is in use by process \d+ on .* since .*DATA_DIR.*\n$/);
    expect(stderr).toContain(`process ${holder.child.pid} `);

    expect((await listContextFields(address)).status).toBe(200);
    holder.child.kill("SIGTERM");
    const { stdout } = await holder.finished();
    expect(stdout).toContain("DEBUG");
    expect(stdout + stderr).not.toContain("an-admin-token");
  });

  test("releases the directory if its port is in use", async () => {
    const holder = startCommand({ DATA_DIR: await makeDataDirectory() });
    const PORT = new URL(await holder.listening()).port;
    const DATA_DIR = await makeDataDirectory();
    const refused = await startCommand({ DATA_DIR, PORT }).finished();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/^Cannot listen on port \d+ on 127\.0\.0\.1: .* PORT\n$/);
    const next = startCommand({ DATA_DIR });
    expect(await next.listening()).toMatch(/^http:/);
  });
});

describe.skipIf(skipsPostgres)("flags-admin on PostgreSQL", () => {
  let databases: Databases;
  beforeAll(() => {
    databases = useSharedPostgres();
  });
  afterAll(() => databases.close());

  test("serves, and stops on SIGTERM with exit code 0", async () => {
    const DATABASE_URL = await databases.createDatabase();
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
  }, 60_000);

  test.each([
    [(url: string) => `${url}_none`, "there is no database with that name"],
    [
      (url: string) => url.replace("flags@", "nobody@"),
      "the server does not allow this user to connect",
    ],
  ])(
    "refuses to start with one line if the server rejects the connection: case %#",
    async (invalidate, reason) => {
      const DATABASE_URL = invalidate(await databases.createDatabase());
      const { code, stderr } = await startCommand({ DATABASE_URL }).finished();
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /^Cannot use the database 127\.0\.0\.1:.*\. Check DATABASE_URL and the server\n$/,
      );
      expect(stderr).toContain(reason);
    },
  );
});
