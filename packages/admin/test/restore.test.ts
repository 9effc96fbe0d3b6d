import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStorage } from "../src/storage/open-storage.ts";
import { skipRevisions } from "../src/storage/revisions.ts";
import type { Storage } from "../src/storage/storage.ts";
import { makeDirectory } from "./_command.ts";
import { openStream } from "./_event-stream.ts";
import { createFlag, switchFlag } from "./_flags.ts";
import { copyFreshDatabase } from "./_fresh-database.ts";
import { findPostgres, type PostgresServer, skipsPostgres, startPostgres } from "./_postgres.ts";
import { BACKEND_TOKEN, endApp, type Service, startService } from "./_service.ts";
import { silentLogger } from "./_storages.ts";

const token = BACKEND_TOKEN;

/** A database that can be saved and brought back while nobody has it open. */
interface Restorable {
  open(): Promise<Storage>;
  save(): void;
  restore(): void;
}

interface Known {
  readonly etag: string;
  readonly isEnabled: boolean | undefined;
}

describe("a backup that is restored on the embedded database", () => {
  test("is new to every SDK", async () => {
    const [dataDir, saved] = [makeDirectory(), makeDirectory()];
    await copyFreshDatabase(dataDir);
    const copy = (from: string, to: string): void => {
      rmSync(to, { recursive: true, force: true });
      cpSync(from, to, { recursive: true });
    };
    await expectRestoredToBeNew({
      open: () => openStorage({ dataDir, logger: silentLogger }),
      save: () => copy(dataDir, saved),
      restore: () => copy(saved, dataDir),
    });
  });
});

describe.skipIf(skipsPostgres)("a backup that is restored on PostgreSQL", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  test("is new to every SDK", async () => {
    const databaseUrl = await server.createDatabase();
    const file = join(makeDirectory(), "flags.dump");
    const run = (program: string, ...args: readonly string[]): void => {
      execFileSync(join(findPostgres() ?? "", program), args, { stdio: "pipe" });
    };
    await expectRestoredToBeNew({
      open: () => openStorage({ databaseUrl, dataDir: "", logger: silentLogger }),
      save: () => run("pg_dump", "--format=custom", `--file=${file}`, databaseUrl),
      restore: () =>
        run(
          "pg_restore",
          "--clean",
          "--if-exists",
          "--single-transaction",
          `--dbname=${databaseUrl}`,
          file,
        ),
    });
  });
});

/** The flag is on in the backup, and was switched off after it. */
async function expectRestoredToBeNew(database: Restorable): Promise<void> {
  await runService(database, "2026-05-01", (service) => createFlag(service, "flag"));
  database.save();
  const [polled, listened] = await runService(database, "2026-05-02", async (service) => {
    await switchFlag(service, "flag", { on: false });
    return [await poll(service), await askDelta(service)] as const;
  });
  expect([polled.isEnabled, listened.isEnabled]).toEqual([false, false]);
  database.restore();

  await runService(database, "2026-05-03", async (service) => {
    await expectNewTo(service, { polled, listened });
    // As many changes as the other history had, and more, so that the numbers would meet.
    for (const name of ["b", "c"]) await createFlag(service, name);
    await expectNewTo(service, { polled, listened });
  });
}

interface Before {
  readonly polled: Known;
  readonly listened: Known;
}

async function expectNewTo(service: Service, { polled, listened }: Before): Promise<void> {
  expect((await poll(service, polled.etag)).isEnabled).toBe(true);
  expect((await askDelta(service, listened.etag)).isEnabled).toBe(true);
  const stream = await openStream(service, {
    token,
    lastEventId: listened.etag.slice(1, -1),
  });
  const { data } = await stream.next();
  expect(data.events[0]).toMatchObject({ type: "hydration" });
  stream.close();
}

async function runService<T>(
  database: Restorable,
  day: string,
  work: (service: Service) => Promise<T>,
): Promise<T> {
  const storage = await database.open();
  await skipRevisions(storage, new Date(day));
  const service = await startService(storage);
  const result = await work(service);
  await endApp(service.app);
  await storage.close();
  return result;
}

interface Sent {
  readonly name: string;
  readonly enabled: boolean;
}

async function poll(service: Service, etag?: string): Promise<Known> {
  return ask<{ features: readonly Sent[] }>(service, {
    path: "/api/client/features",
    etag,
    featuresIn: ({ features }) => features,
  });
}

async function askDelta(service: Service, etag?: string): Promise<Known> {
  return ask<{ events: readonly { features?: readonly Sent[] }[] }>(service, {
    path: "/api/client/delta",
    etag,
    featuresIn: ({ events }) => events.flatMap(({ features = [] }) => features),
  });
}

interface Question<Answer> {
  readonly path: string;
  readonly etag: string | undefined;
  readonly featuresIn: (answer: Answer) => readonly Sent[];
}

async function ask<Answer>(
  service: Service,
  { path, etag, featuresIn }: Question<Answer>,
): Promise<Known> {
  const headers = etag === undefined ? undefined : { "if-none-match": etag };
  const response = await service.request(path, { token, ...(headers && { headers }) });
  const text = await response.text();
  const sent = text === "" ? [] : featuresIn(JSON.parse(text) as Answer);
  return {
    etag: response.headers.get("etag") ?? "",
    isEnabled: sent.find(({ name }) => name === "flag")?.enabled,
  };
}
