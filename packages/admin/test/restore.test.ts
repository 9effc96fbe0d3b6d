import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStorage } from "../src/storage/open-storage.ts";
import { skipRevisions } from "../src/storage/revisions.ts";
import type { Storage } from "../src/storage/storage.ts";
import { makeDataDirectory, makeDirectory } from "./_command.ts";
import { openStream } from "./_event-stream.ts";
import { createFlag, switchFlag } from "./_flags.ts";
import { silentLogger } from "./_storages.ts";
import { findPostgres, skipsPostgres, useSharedPostgres, type Databases } from "./_postgres.ts";
import { BACKEND_TOKEN, endApp, type Service, startService } from "./_service.ts";

const token = BACKEND_TOKEN;

/** A database that can be backed up and restored while it is closed. */
interface Restorable {
  open(): Promise<Storage>;
  backUp(): void;
  restore(): void;
}

interface KnownState {
  readonly etag: string;
  readonly isEnabled: boolean | undefined;
}

describe("a restored backup on the embedded database", () => {
  test("is fetched by every SDK that has seen later revisions", async () => {
    const [dataDir, saved] = [await makeDataDirectory(), makeDirectory()];
    const copy = (from: string, to: string): void => {
      rmSync(to, { recursive: true, force: true });
      cpSync(from, to, { recursive: true });
    };
    await expectRestoredIsFetched({
      open: () => openStorage({ dataDir, logger: silentLogger }),
      backUp: () => copy(dataDir, saved),
      restore: () => copy(saved, dataDir),
    });
  });
});

describe.skipIf(skipsPostgres)("a restored backup on PostgreSQL", () => {
  let databases: Databases;
  beforeAll(() => {
    databases = useSharedPostgres();
  });
  afterAll(() => databases.close());

  test("is fetched by every SDK that has seen later revisions", async () => {
    const databaseUrl = await databases.createDatabase();
    const file = join(makeDirectory(), "flags.dump");
    const run = (program: string, ...args: readonly string[]): void => {
      execFileSync(join(findPostgres() ?? "", program), args, { stdio: "pipe" });
    };
    await expectRestoredIsFetched({
      open: () => openStorage({ databaseUrl, dataDir: "", logger: silentLogger }),
      backUp: () => run("pg_dump", "--format=custom", `--file=${file}`, databaseUrl),
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

/** Enables a flag, backs up, disables the flag and restores. SDKs must see the flag enabled again. */
async function expectRestoredIsFetched(database: Restorable): Promise<void> {
  await runService(database, "2026-05-01", (service) => createFlag(service, "flag"));
  database.backUp();
  const [polled, listened] = await runService(database, "2026-05-02", async (service) => {
    await switchFlag(service, "flag", { on: false });
    return [await poll(service), await fetchDelta(service)] as const;
  });
  expect([polled.isEnabled, listened.isEnabled]).toEqual([false, false]);
  database.restore();

  await runService(database, "2026-05-03", async (service) => {
    await expectFetched(service, { polled, listened });
    // More changes than after the backup, so that without skipRevisions() the revisions would collide.
    for (const name of ["b", "c"]) await createFlag(service, name);
    await expectFetched(service, { polled, listened });
  });
}

interface BeforeRestore {
  readonly polled: KnownState;
  readonly listened: KnownState;
}

async function expectFetched(service: Service, { polled, listened }: BeforeRestore): Promise<void> {
  expect((await poll(service, polled.etag)).isEnabled).toBe(true);
  expect((await fetchDelta(service, listened.etag)).isEnabled).toBe(true);
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

interface SentFlag {
  readonly name: string;
  readonly enabled: boolean;
}

async function poll(service: Service, etag?: string): Promise<KnownState> {
  return query<{ features: readonly SentFlag[] }>(service, {
    path: "/api/client/features",
    etag,
    featuresIn: ({ features }) => features,
  });
}

async function fetchDelta(service: Service, etag?: string): Promise<KnownState> {
  return query<{ events: readonly { features?: readonly SentFlag[] }[] }>(service, {
    path: "/api/client/delta",
    etag,
    featuresIn: ({ events }) => events.flatMap(({ features = [] }) => features),
  });
}

interface Query<Body> {
  readonly path: string;
  readonly etag: string | undefined;
  readonly featuresIn: (body: Body) => readonly SentFlag[];
}

async function query<Body>(
  service: Service,
  { path, etag, featuresIn }: Query<Body>,
): Promise<KnownState> {
  const headers = etag === undefined ? undefined : { "if-none-match": etag };
  const response = await service.request(path, { token, ...(headers && { headers }) });
  const text = await response.text();
  const sent = text === "" ? [] : featuresIn(JSON.parse(text) as Body);
  return {
    etag: response.headers.get("etag") ?? "",
    isEnabled: sent.find(({ name }) => name === "flag")?.enabled,
  };
}
