import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { DEFAULT_RETENTION, deleteExpired } from "../src/retention.ts";
import { rowsOf } from "../src/storage/database.ts";
import type { Storage } from "../src/storage/storage.ts";
import { lastDays, lastHours, startOfHour } from "../src/usage/hours.ts";
import { readUsageByDay, readUsageByHour } from "../src/usage/read-usage.ts";
import { writeUsage } from "../src/usage/write-usage.ts";
import { createFlag } from "./_flags.ts";
import { createTestDatabase, skipsPostgres } from "./_postgres.ts";
import { ADMIN_TOKEN, useService } from "./_service.ts";
import { describeEachStorage, openDatabase } from "./_storages.ts";

const HOUR_MS = 3_600_000;
const NOON = new Date("2026-03-10T12:00:00Z");
const running = new AbortController().signal;

interface Reported {
  readonly feature: string;
  readonly at: Date;
  readonly appName?: string;
  readonly yes?: number;
  readonly variants?: Readonly<Record<string, number>>;
}

function report(storage: Storage, { feature, at, ...entry }: Reported): Promise<void> {
  const { appName = "shop", yes = 1, variants = {} } = entry;
  return writeUsage(storage, [
    {
      entries: [
        {
          feature,
          appName,
          environment: "production",
          hour: startOfHour(at),
          yes,
          no: 0,
          variants: new Map(Object.entries(variants)),
        },
      ],
      projects: ["*"],
    },
  ]);
}

const hoursAfter = (date: Date, hours: number): Date => new Date(date.getTime() + hours * HOUR_MS);

/** Runs many small transactions by default. */
const clean = (storage: Storage, now: Date, { signal = running, batchRows = 3 } = {}) =>
  deleteExpired(storage, DEFAULT_RETENTION, { signal, now, batchRows });

/** Returns the evaluations of a flag on each day with any, and those of its variants. */
async function daysOf(storage: Storage, feature: string, now: Date, count = 91) {
  const usage = await storage.read((db) => readUsageByDay(db, feature, lastDays(count, now)));
  return usage.map(({ timestamp, appName, yes, variants }) => [
    timestamp.toISOString().slice(0, 10),
    appName,
    yes,
    ...(variants === undefined ? [] : [variants]),
  ]);
}

async function countRows(storage: Storage, table: string, feature: string): Promise<number> {
  const rows = await storage.db.execute(
    sql`select count(*)::int as total from ${sql.identifier(table)} where feature = ${feature}`,
  );
  return Number(rowsOf(rows)[0]?.["total"]);
}

describeEachStorage("usage by day", (source) => {
  const service = useService(source);

  test("is the sum of the hours of each day in UTC, before and after they expire", async () => {
    const { storage } = service;
    await createFlag(service, "daily");
    for (const [hours, yes] of [
      [-13, 1],
      [-12, 2],
      [0, 4],
      [11, 8],
      [12, 16],
    ] as const) {
      await report(storage, {
        feature: "daily",
        at: hoursAfter(NOON, hours),
        yes,
        variants: { red: yes },
      });
    }
    await report(storage, { feature: "daily", at: NOON, appName: "blog", yes: 5 });
    const expected = [
      ["2026-03-09", "shop", 1, { red: 1 }],
      ["2026-03-10", "blog", 5],
      ["2026-03-10", "shop", 14, { red: 14 }],
      ["2026-03-11", "shop", 16, { red: 16 }],
    ];
    const today = hoursAfter(NOON, 13);
    expect(await daysOf(storage, "daily", today)).toEqual(expected);
    // Each run moves other hours to the days that contain them. A run that finds nothing new changes nothing.
    for (const hours of [36, 37, 48, 49, 60, 61, 61, 100]) {
      const now = hoursAfter(NOON, hours);
      await clean(storage, now);
      expect(await daysOf(storage, "daily", now)).toEqual(expected);
      const kept = lastHours(48, now);
      const byHour = await storage.read((db) => readUsageByHour(db, "daily", kept));
      const sums = [-13, -12, 0, 0, 11, 12].filter((hour) => hour > hours - 48);
      expect(byHour).toHaveLength(sums.length);
    }
    expect(await countRows(storage, "feature_usage", "daily")).toBe(0);
    expect(await countRows(storage, "variant_usage", "daily")).toBe(0);
    expect(await countRows(storage, "feature_usage_days", "daily")).toBe(4);
    expect(await daysOf(storage, "daily", hoursAfter(NOON, 24 * 90))).toEqual(expected.slice(1));
    await clean(storage, hoursAfter(NOON, 24 * 90));
    expect(await countRows(storage, "feature_usage_days", "daily")).toBe(3);
    expect(await countRows(storage, "variant_usage_days", "daily")).toBe(2);
  });

  test("counts what is reported for an hour that has already been moved", async () => {
    const { storage } = service;
    await createFlag(service, "late");
    const now = hoursAfter(NOON, 60);
    await report(storage, { feature: "late", at: NOON, variants: { red: 1 } });
    await clean(storage, now);
    await report(storage, { feature: "late", at: NOON, yes: 2, variants: { red: 2, blue: 3 } });
    const expected = [["2026-03-10", "shop", 3, { blue: 3, red: 3 }]];
    expect(await daysOf(storage, "late", now)).toEqual(expected);
    await clean(storage, now);
    expect(await daysOf(storage, "late", now)).toEqual(expected);
    expect(await countRows(storage, "feature_usage", "late")).toBe(0);
  });

  test("counts everything once if a run is stopped, or a transaction fails", async () => {
    const { storage } = service;
    await createFlag(service, "stopped");
    for (let hour = 0; hour < 10; hour++) {
      await report(storage, {
        feature: "stopped",
        at: hoursAfter(NOON, hour),
        variants: { red: 1 },
      });
    }
    const now = hoursAfter(NOON, 70);
    const expected = [["2026-03-10", "shop", 10, { red: 10 }]];
    // After 1, 2, … transactions. In every second run, the last one fails after its work.
    for (let count = 1; count < 6; count++) {
      const stop = new AbortController();
      let transactions = 0;
      const transact: Storage["transact"] = (work) =>
        storage.transact(async (db) => {
          const result = await work(db);
          transactions += 1;
          if (transactions < count) return result;
          stop.abort();
          if (count % 2 === 0) throw new Error("The process ended");
          return result;
        });
      await clean({ ...storage, db: storage.db, transact }, now, stop).catch(() => undefined);
      expect(await daysOf(storage, "stopped", now)).toEqual(expected);
    }
    await clean(storage, now);
    expect(await daysOf(storage, "stopped", now)).toEqual(expected);
    expect(await countRows(storage, "feature_usage", "stopped")).toBe(0);
  });

  test("a flag has counts of at most 100 applications, and of 500 pairs of application and variant", async () => {
    const { storage } = service;
    await createFlag(service, "crowded");
    const entries = Array.from({ length: 300 }, (_, index) => ({
      feature: "crowded",
      appName: `app-${index}`,
      environment: "production",
      hour: NOON,
      yes: index + 1,
      no: 1,
      variants: new Map([1, 2, 3].map((variant) => [`${index}-${variant}`, index + 1])),
    }));
    const total = (300 * 301) / 2;
    // The second time, all rows exist, and the last 100 applications are among the others.
    for (const [round, part] of [entries.slice(0, 200), entries, entries].entries()) {
      await writeUsage(storage, [{ entries: part, projects: ["*"] }]);
      expect(await countRows(storage, "feature_usage", "crowded")).toBe(101);
      expect(await countRows(storage, "variant_usage", "crowded")).toBe(500);
      const usage = await storage.read((db) => readUsageByHour(db, "crowded", [NOON]));
      const sum = usage.reduce((counted, { yes }) => counted + yes, 0);
      expect(sum).toBe((200 * 201) / 2 + round * total);
    }
    await report(storage, { feature: "crowded", at: hoursAfter(NOON, 1), appName: "later" });
    const now = hoursAfter(NOON, 60);
    const before = await daysOf(storage, "crowded", now);
    await clean(storage, now, { batchRows: 60 });
    const after = await daysOf(storage, "crowded", now);
    const sumOf = (days: typeof before) => days.reduce((sum, [, , yes]) => sum + Number(yes), 0);
    expect(sumOf(after)).toBe(sumOf(before));
    expect(await countRows(storage, "feature_usage_days", "crowded")).toBeLessThanOrEqual(101);
    expect(await countRows(storage, "variant_usage_days", "crowded")).toBeLessThanOrEqual(500);
    // Those are no application.
    const { seenApplications } = (await service.admin(
      "GET",
      "/client-metrics/features/crowded",
    )) as { seenApplications: string[] };
    expect(seenApplications).toEqual([]);
  });

  test("GET …/raw?daysBack=… returns days, and not what a deleted flag of the same name was used", async () => {
    const { storage } = service;
    await createFlag(service, "again");
    const now = new Date();
    await report(storage, { feature: "again", at: now, yes: 7 });
    await report(storage, { feature: "again", at: hoursAfter(now, -47), yes: 9 });
    const read = (query: string) =>
      service.admin("GET", `/client-metrics/features/again/raw${query}`);
    const sumsOf = (body: unknown) =>
      (body as { data: { timestamp: string; yes: number }[] }).data.map(({ timestamp, yes }) => [
        timestamp,
        yes,
      ]);
    const days = lastDays(3, now).map((day) => day.toISOString());
    expect(sumsOf(await read("?daysBack=3"))).toEqual([
      [days[0], 0],
      [days[1], 0],
      [days[2], 7],
    ]);
    await storage.db.execute(
      sql`update features set created_at = now() - interval '9 days' where name = 'again'`,
    );
    const sums = sumsOf(await read("?daysBack=3&hoursBack=1")).map(([, yes]) => Number(yes));
    expect(sums.reduce((sum, yes) => sum + yes)).toBe(16);
    const { status } = await service.request(
      "/api/admin/client-metrics/features/again/raw?daysBack=92",
      { token: ADMIN_TOKEN },
    );
    expect(status).toBe(400);
  });
});

describe.skipIf(skipsPostgres)("usage by day on PostgreSQL", () => {
  test("two replicas that move hours while applications report count everything once", async () => {
    const databaseUrl = await createTestDatabase();
    const [one, two] = [await openDatabase(databaseUrl), await openDatabase(databaseUrl)];
    await one.db.execute(sql`insert into features (name, project, created_by)
      values ('shared', 'default', 'test')`);
    const now = hoursAfter(NOON, 100);
    await one.db.execute(sql`
      insert into feature_usage (feature, environment, hour, app_name, yes)
      select 'shared', 'production', ${NOON.toISOString()}::timestamptz + make_interval(hours => hour), 'app' || app, 1
      from generate_series(0, 9) as hour, generate_series(1, 50) as app`);
    await Promise.all([
      ...[one, two, one, two].map((storage) => clean(storage, now, { batchRows: 50 })),
      ...Array.from({ length: 20 }, (_, index) =>
        report(index % 2 === 0 ? one : two, {
          feature: "shared",
          at: hoursAfter(NOON, index % 10),
          appName: `app${index}`,
        }),
      ),
    ]);
    const totalOf = async () =>
      (await daysOf(one, "shared", now)).reduce((sum, [, , yes]) => sum + Number(yes), 0);
    expect(await totalOf()).toBe(520);
    await clean(two, now, { batchRows: 50 });
    expect(await totalOf()).toBe(520);
    expect(await countRows(one, "feature_usage", "shared")).toBe(0);
  });
});
