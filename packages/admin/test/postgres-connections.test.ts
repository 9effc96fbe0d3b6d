import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { sql } from "drizzle-orm";
import { LIMITS } from "../src/limits.ts";
import { MIGRATIONS, migrate, SCHEMA_VERSION, SchemaTooNewError } from "../src/storage/migrate.ts";
import { openStorage } from "../src/storage/open-storage.ts";
import { warnOfWrongClock } from "../src/storage/postgres-storage.ts";
import { createFlag, switchFlag } from "./_flags.ts";
import { createTestDatabase, skipsPostgres } from "./_postgres.ts";
import { ADMIN_TOKEN, BACKEND_TOKEN, startService } from "./_service.ts";
import { openDatabase, silentLogger } from "./_storages.ts";

describe.skipIf(skipsPostgres)("connections to PostgreSQL", () => {
  const connect = async (databaseUrl: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  };

  test("all connections are closed if the service cannot start", async () => {
    const databaseUrl = await createTestDatabase();
    const storage = await openStorage({ databaseUrl, dataDir: "", logger: silentLogger });
    await storage.close();
    const superuser = await connect(databaseUrl);
    // May do everything but read the events, which is the last step of the start.
    const role = `limited_${process.pid}`;
    for (const statement of [
      `create role ${role} login`,
      `grant create on schema public to ${role}`,
      `grant select on schema_versions to ${role}`,
    ]) {
      await superuser.query(statement);
    }
    onTestFinished(async () => {
      await superuser.query(`drop owned by ${role}`);
      await superuser.query(`drop role ${role}`);
    });
    const limitedUrl = databaseUrl.replace("//flags@", `//${role}@`);
    await expect(openDatabase(limitedUrl)).rejects.toThrow(/events/);
    const countOpen = async (): Promise<unknown> => {
      const text = "select count(*)::int as count from pg_stat_activity where usename = $1";
      return (await superuser.query(text, [role])).rows[0];
    };
    await expect.poll(countOpen).toEqual({ count: 0 });
  });

  test("requests wait for a connection instead of failing", async () => {
    const storage = await openDatabase(await createTestDatabase());
    const sleeping = Array.from({ length: 40 }, () =>
      storage.read((db) => db.execute(sql`select pg_sleep(0.01)`)),
    );
    await expect(Promise.all(sleeping)).resolves.toHaveLength(40);
  });

  test("requests get a 503 while the database user cannot log in, and the service recovers automatically", async () => {
    const databaseUrl = await createTestDatabase();
    const superuser = await connect(databaseUrl);
    const role = `rejected_${process.pid}`;
    const name = new URL(databaseUrl).pathname.slice(1);
    await superuser.query(`create role ${role} login superuser`);
    onTestFinished(async () => {
      await superuser.query(`drop owned by ${role}; drop role ${role}`);
    });
    const service = await startService(
      await openDatabase(databaseUrl.replace("//flags@", `//${role}@`)),
    );
    await superuser.query(`alter role ${role} nologin`);
    // Waits until the connections are closed, so that no request can use one of them.
    const timeoutMs = 5000;
    await superuser.query(
      "select pg_terminate_backend(pid, $3) from pg_stat_activity where usename = $1 and datname = $2",
      [role, name, timeoutMs],
    );
    const poll = async () => {
      const { status, headers } = await service.request("/api/client/features", {
        token: BACKEND_TOKEN,
      });
      return { status, retryAfter: headers.get("retry-after") };
    };
    for (const _ of [1, 2, 3]) expect(await poll()).toEqual({ status: 503, retryAfter: "1" });
    await superuser.query(`alter role ${role} login`);
    expect(await poll()).toEqual({ status: 200, retryAfter: null });
    expect(service.errors).toEqual([
      [
        expect.stringMatching(/^The database is unavailable .* is not permitted to log in$/),
        undefined,
      ],
    ]);
  });

  test("a clock of the database that differs by more than a minute causes a warning at the start", async () => {
    const storage = await openDatabase(await createTestDatabase());
    const lines: string[] = [];
    const logger = { warn: (line: string) => lines.push(line) };
    await warnOfWrongClock(storage.db, logger);
    expect(lines).toEqual([]);
    const dayMs = 86_400_000;
    await warnOfWrongClock(storage.db, logger, Date.now() - dayMs);
    await warnOfWrongClock(storage.db, logger, Date.now() + dayMs);
    expect(lines).toEqual([
      expect.stringMatching(
        /^The clock of the database is 864\d\d s ahead of that of this machine: /,
      ),
      expect.stringMatching(
        /^The clock of the database is 86[34]\d\d s behind that of this machine: /,
      ),
    ]);
  });

  test("replicas that start at the same time migrate once", async () => {
    const databaseUrl = await createTestDatabase();
    const storages = await Promise.all([0, 1, 2, 3].map(() => openDatabase(databaseUrl)));
    const client = await connect(databaseUrl);
    const { rows } = await client.query<{ version: number }>("select version from schema_versions");
    expect(rows.map(({ version }) => version)).toEqual(MIGRATIONS.map(({ version }) => version));
    for (const storage of storages) expect(await storage.revision()).toBe(0);
  });

  test("a change sees the changes that it waited for, whatever the default isolation level of the database", async () => {
    const databaseUrl = await createTestDatabase();
    const name = new URL(databaseUrl).pathname.slice(1);
    const client = await connect(databaseUrl);
    await client.query(
      `alter database ${name} set default_transaction_isolation = 'repeatable read'`,
    );
    const storages = await Promise.all([0, 1].map(() => openDatabase(databaseUrl)));
    const services = await Promise.all(storages.map((storage) => startService(storage)));
    const [service] = services;
    if (service === undefined) throw new Error("No service");
    await createFlag(service, "flag", { strategies: [], enabled: false });
    const path = "/api/admin/projects/default/features/flag/environments/development/strategies";
    const adding = Array.from({ length: LIMITS.strategiesPerEnvironment + 10 }, (_, index) =>
      services[index % 2]?.request(path, {
        method: "POST",
        token: ADMIN_TOKEN,
        body: { name: "default" },
      }),
    );
    const statuses = (await Promise.all(adding)).map((response) => response?.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(
      LIMITS.strategiesPerEnvironment,
    );
    expect(statuses.filter((status) => status === 400)).toHaveLength(10);
    expect(services.flatMap(({ errors }) => errors)).toEqual([]);
  });

  test("a replica of the previous version works while and after a newer one migrates", async () => {
    const databaseUrl = await createTestDatabase();
    const storage = await openDatabase(databaseUrl);
    const previous = await startService(storage);
    await createFlag(previous, "before");
    const next = {
      version: SCHEMA_VERSION + 1,
      name: "additive",
      statements: [
        "create table additions (id integer primary key)",
        "alter table features add column addition text not null default 'none'",
        "alter table events add column addition jsonb",
        "create index additions_of_events on events (type, environment)",
      ],
    };
    const changing = Array.from({ length: 10 }, (_, index) =>
      switchFlag(previous, "before", { on: index % 2 === 1 }),
    );
    await migrate(storage.db, [...MIGRATIONS, next]);
    await Promise.all(changing);
    await createFlag(previous, "after");
    const response = await previous.request("/api/client/features", { token: BACKEND_TOKEN });
    expect(JSON.stringify(await response.json())).toMatch(/"after".*"before"/);
    // It cannot be started again, so that it does not run on a schema that it does not know.
    await expect(openDatabase(databaseUrl)).rejects.toThrow(SchemaTooNewError);
  });
});
