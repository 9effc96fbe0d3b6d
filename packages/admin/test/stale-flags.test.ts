import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { examine } from "../src/lifecycle/examine-regularly.ts";
import { rowsOf } from "../src/storage/database.ts";
import { SYSTEM_ACTOR } from "../src/storage/events.ts";
import { useAdmin } from "./_admin.ts";
import { startService } from "./_service.ts";
import { describeAnyStorage } from "./_storages.ts";

interface Use {
  readonly feature: string;
  /** The last one; others are earlier, one on each day. */
  readonly daysAgo?: number;
  readonly days?: number;
  readonly environment?: string;
  readonly appName?: string;
  readonly yes?: number;
  readonly no?: number;
  readonly variant?: string;
}

interface FlagResponse {
  readonly name: string;
  readonly stale: boolean;
  readonly potentiallyStale: boolean;
  readonly staleReason: { readonly kind: string; readonly value?: unknown } | null;
  readonly staleSnooze: unknown;
  readonly lifecycle: { readonly stage: string };
}

// NOTE: the tests count in days, and can run around midnight.
const now = new Date();
const NOW = sql`${now.toISOString()}::timestamptz`;
const clock = async (): Promise<Date> => now;

/** What a flag of a type is found to be, as it is used. */
type Rule = readonly [string, string, Omit<Use, "feature">, object | null];

describeAnyStorage("stale flags", (source) => {
  const admin = useAdmin(source);
  const path = (name: string): string => `/projects/default/features/${name}`;

  async function createOldFlag(name: string, type = "release", ageDays = 100): Promise<void> {
    await admin.must(201, "POST", "/projects/default/features", { name, type });
    await admin.storage.db.execute(sql`
      update features set created_at = ${NOW} - make_interval(days => ${ageDays}) where name = ${name}`);
  }

  /** Stores reports as if they had been sent on these days. */
  async function use(one: Use): Promise<void> {
    const { feature, daysAgo = 0, days = 60, environment = "production", appName = "shop" } = one;
    const { yes = 1, no = 0, variant } = one;
    const { db } = admin.storage;
    const sent = sql`(
      select date_trunc('day', ${NOW}, 'UTC') - ago * interval '24 hours' as day
      from generate_series(${daysAgo}::int, ${daysAgo + days - 1}::int) as ago
    ) as sent`;
    await db.execute(sql`
      insert into feature_usage_days (feature, environment, day, app_name, yes, no)
      select ${feature}, ${environment}, day, ${appName}, ${yes}::int, ${no}::int from ${sent}
      on conflict (feature, environment, day, app_name) do update set
        yes = feature_usage_days.yes + excluded.yes, no = feature_usage_days.no + excluded.no`);
    if (variant !== undefined) {
      await db.execute(sql`
        insert into variant_usage_days (feature, environment, day, app_name, variant, count)
        select ${feature}, ${environment}, day, ${appName}, ${variant}, 1 from ${sent}`);
    }
    await db.execute(sql`
      update feature_environments
      set last_seen_at = greatest(last_seen_at, ${NOW} - make_interval(days => ${daysAgo}))
      where feature = ${feature} and environment = ${environment}`);
  }

  /** Makes one replica examine the flags now. */
  async function run(): Promise<void> {
    await admin.storage.db.execute(sql`delete from stale_checks`);
    await examine({ storage: admin.storage, clock });
  }

  const read = async (name: string): Promise<FlagResponse> =>
    (await admin.must<FlagResponse>(200, "GET", path(name))).body;

  const dayAgo = (days: number): string => {
    const today = Math.floor(now.getTime() / 86_400_000);
    return new Date((today - days) * 86_400_000).toISOString();
  };

  const eventTypes = async (name: string): Promise<readonly string[]> => {
    const result = await admin.storage.db.execute(
      sql`select type from events where feature_name = ${name} order by id`,
    );
    return rowsOf(result).map(({ type }) => String(type));
  };

  test("a flag that is on for everyone is stale once it is past its lifetime, with the reason", async () => {
    await createOldFlag("launched");
    await use({ feature: "launched" });
    await createOldFlag("young", "release", 39);
    await use({ feature: "young" });
    expect(await admin.eventsOf(run)).toEqual([
      expect.objectContaining({
        type: "feature-potentially-stale-on",
        createdBy: SYSTEM_ACTOR.name,
        project: "default",
        featureName: "launched",
        preData: { potentiallyStale: false },
        data: {
          potentiallyStale: true,
          reason: {
            kind: "constant",
            since: dayAgo(59),
            environments: ["production"],
            value: { enabled: true },
          },
        },
      }),
    ]);
    expect(await read("launched")).toMatchObject({
      potentiallyStale: true,
      staleReason: { kind: "constant", since: dayAgo(59) },
      staleSnooze: null,
    });
    expect(await read("young")).toMatchObject({ potentiallyStale: false, staleReason: null });
    // It stays so without further events.
    expect(await admin.eventsOf(run)).toEqual([]);
    const search = "/search/features?state=IS:potentially-stale";
    expect((await admin.must(200, "GET", search)).body).toMatchObject({
      total: 1,
      features: [{ name: "launched", potentiallyStale: true, staleReason: { kind: "constant" } }],
    });
    const report = await admin.must(200, "GET", "/projects/default/health-report");
    expect(report.body).toMatchObject({
      version: 1,
      health: 50,
      activeCount: 2,
      staleCount: 0,
      potentiallyStaleCount: 1,
      featureTypeCounts: [{ type: "release", count: 2 }],
    });
  });

  test("reports of 30 days and the type decide", async () => {
    const rules: readonly Rule[] = [
      ["kill-switch", "kill-switch", {}, null],
      ["permission", "permission", {}, null],
      ["two-results", "release", { no: 1 }, null],
      ["used-for-29-days", "release", { days: 29 }, null],
      ["only-in-development", "release", { environment: "development" }, null],
      ["never-used", "release", { days: 0 }, null],
      ["used-30-days-ago", "release", { daysAgo: 30 }, { kind: "constant" }],
      ["used-31-days-ago", "release", { daysAgo: 31 }, { kind: "unused" }],
      ["off", "release", { yes: 0, no: 1 }, { value: { enabled: false } }],
      ["one-variant", "experiment", { variant: "blue" }, { value: { variant: "blue" } }],
    ];
    for (const [name, type, used] of rules) {
      await createOldFlag(name, type);
      if (used.days !== 0) await use({ feature: name, ...used });
    }
    await run();
    for (const [name, , , expected] of rules) {
      expect(await read(name)).toMatchObject({
        name,
        potentiallyStale: expected !== null,
        staleReason: expected,
      });
    }
  });

  test("a flag with several variants, or that is on only elsewhere, is not stale", async () => {
    await createOldFlag("several");
    await use({ feature: "several", variant: "red" });
    await use({ feature: "several", appName: "blog", variant: "blue" });
    await createOldFlag("prepared");
    await use({ feature: "prepared", yes: 0, no: 1 });
    await use({ feature: "prepared", environment: "development" });
    await run();
    for (const name of ["several", "prepared"]) {
      expect(await read(name)).toMatchObject({ potentiallyStale: false });
    }
  });

  test("nothing is known about an environment that reports nothing", async () => {
    await admin.must(201, "POST", "/environments", { name: "quiet", type: "production" });
    await admin.must(200, "POST", "/projects/default/environments", { environment: "quiet" });
    await createOldFlag("quiet");
    await use({ feature: "quiet", environment: "quiet", daysAgo: 40, days: 20 });
    await run();
    expect(await read("quiet")).toMatchObject({ potentiallyStale: false, staleReason: null });
    // Not even if it reported on few days.
    await createOldFlag("other");
    await use({ feature: "other", environment: "quiet", days: 14 });
    await run();
    expect(await read("quiet")).toMatchObject({ potentiallyStale: false });
    await use({ feature: "other", environment: "quiet", daysAgo: 14, days: 1 });
    await run();
    expect(await read("quiet")).toMatchObject({
      potentiallyStale: true,
      staleReason: { kind: "unused", environments: ["quiet"] },
    });
  });

  test("a changed lifetime and type count at the next run, which comes soon, and back", async () => {
    await createOldFlag("patient", "sunset", 80);
    await use({ feature: "patient" });
    await run();
    expect(await read("patient")).toMatchObject({ potentiallyStale: false });
    const look = (): Promise<void> => examine({ storage: admin.storage, clock });
    // Not due for an hour.
    const setLifetime = (lifetimeDays: number) =>
      admin.must(200, "PUT", "/feature-types/sunset/lifetime", { lifetimeDays });
    await setLifetime(79);
    await look();
    expect(await read("patient")).toMatchObject({ potentiallyStale: true });
    await setLifetime(0);
    await look();
    expect(await read("patient")).toMatchObject({ potentiallyStale: false, staleReason: null });
    await admin.must(200, "PUT", path("patient"), { type: "release" });
    await look();
    expect(await read("patient")).toMatchObject({ potentiallyStale: false });
    await run();
    expect(await read("patient")).toMatchObject({ potentiallyStale: true });
    await admin.must(200, "PUT", path("patient"), { type: "permission" });
    await run();
    expect(await read("patient")).toMatchObject({ potentiallyStale: false });
    expect(await eventTypes("patient")).toEqual([
      "feature-created",
      "feature-potentially-stale-on",
      "feature-potentially-stale-off",
      "feature-metadata-updated",
      "feature-potentially-stale-on",
      "feature-metadata-updated",
      "feature-potentially-stale-off",
    ]);
  });

  test("new evidence ends it, and another reason is recorded", async () => {
    await createOldFlag("ended");
    await use({ feature: "ended", daysAgo: 30 });
    await run();
    const [unused] = await admin.eventsOf(async () => {
      const { db } = admin.storage;
      await db.execute(sql`delete from feature_usage_days where feature = 'ended'
        and day >= date_trunc('day', ${NOW}, 'UTC') - interval '720 hours'`);
      await db.execute(sql`update feature_environments set last_seen_at = ${NOW} - interval '32 days'
        where feature = 'ended'`);
      await run();
    });
    expect(unused).toMatchObject({
      type: "feature-potentially-stale-on",
      preData: { potentiallyStale: true, reason: { kind: "constant" } },
      data: { potentiallyStale: true, reason: { kind: "unused" } },
    });
    await use({ feature: "ended", days: 1, yes: 0, no: 1 });
    const [ended] = await admin.eventsOf(run);
    expect(ended).toMatchObject({
      type: "feature-potentially-stale-off",
      preData: { potentiallyStale: true, reason: { kind: "unused" } },
      data: { potentiallyStale: false },
    });
  });

  test("a snoozed flag is not stale until then, and a permanent one never", async () => {
    await createOldFlag("snoozed");
    await use({ feature: "snoozed" });
    await run();
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const snooze = `${path("snoozed")}/stale-snooze`;
    await admin.must(200, "PUT", snooze, { until });
    expect(await read("snoozed")).toMatchObject({
      potentiallyStale: false,
      staleReason: null,
      staleSnooze: { until },
    });
    await run();
    expect(await read("snoozed")).toMatchObject({ potentiallyStale: false });
    await admin.storage.db.execute(
      sql`update lifecycles set snoozed_until = ${NOW} - interval '1 hour' where feature = 'snoozed'`,
    );
    await run();
    expect(await read("snoozed")).toMatchObject({ potentiallyStale: true });
    await admin.must(200, "PUT", snooze, { permanent: true });
    await run();
    expect(await read("snoozed")).toMatchObject({
      potentiallyStale: false,
      staleSnooze: { permanent: true },
    });
    await admin.must(200, "DELETE", snooze);
    await examine({ storage: admin.storage, clock });
    expect(await read("snoozed")).toMatchObject({ potentiallyStale: true, staleSnooze: null });
    await admin.must(200, "DELETE", snooze);
    expect((await eventTypes("snoozed")).slice(1)).toEqual([
      "feature-potentially-stale-on",
      "feature-stale-snoozed",
      "feature-potentially-stale-on",
      "feature-stale-snoozed",
      "feature-stale-unsnoozed",
      "feature-potentially-stale-on",
    ]);
    for (const body of [
      {},
      { permanent: false },
      { permanent: true, until },
      { until: "tomorrow" },
      { until: "2020-01-01T00:00:00Z" },
    ]) {
      await admin.refuse({ status: 400, name: "BadDataError" }, "PUT", snooze, body);
    }
    await admin.refuse(
      { status: 404, name: "NotFoundError" },
      "PUT",
      `${path("none")}/stale-snooze`,
      {
        permanent: true,
      },
    );
  });

  test("a flag that is marked as stale keeps its reason, but is not potentially stale", async () => {
    await createOldFlag("marked");
    await use({ feature: "marked" });
    await run();
    const mark = (stale: boolean) =>
      admin.must(202, "POST", "/projects/default/stale", { features: ["marked"], stale });
    await mark(true);
    const expected = { stale: true, potentiallyStale: false, staleReason: { kind: "constant" } };
    expect(await read("marked")).toMatchObject(expected);
    expect(await admin.eventsOf(run)).toEqual([]);
    expect(await read("marked")).toMatchObject(expected);
    await mark(false);
    await run();
    expect(await read("marked")).toMatchObject({ stale: false, potentiallyStale: true });
  });

  test("archived and completed flags are not potentially stale; a revived one starts again", async () => {
    await createOldFlag("gone");
    await use({ feature: "gone" });
    await createOldFlag("done");
    await use({ feature: "done" });
    await run();
    await admin.must(202, "DELETE", path("gone"));
    await admin.must(200, "POST", `${path("done")}/lifecycle/complete`, { status: "kept" });
    expect(await read("done")).toMatchObject({ potentiallyStale: false, staleReason: null });
    expect(await admin.eventsOf(run)).toEqual([]);
    await admin.must(200, "POST", "/archive/revive/gone");
    expect(await read("gone")).toMatchObject({
      potentiallyStale: false,
      lifecycle: { stage: "initial" },
    });
    await admin.must(200, "POST", `${path("done")}/lifecycle/uncomplete`);
    await run();
    expect(await read("gone")).toMatchObject({ potentiallyStale: false });
    expect(await read("done")).toMatchObject({ potentiallyStale: true });
  });

  test("the list for cleaning up says why, what to keep, and who uses it", async () => {
    await admin.must(201, "POST", "/projects", { id: "tidy", name: "Tidy" });
    for (const name of ["tidy-on", "tidy-unused", "tidy-kept", "tidy-fresh"]) {
      await createOldFlag(name);
      await admin.must(200, "POST", `${path(name)}/changeProject`, { newProjectId: "tidy" });
    }
    await use({ feature: "tidy-on", variant: "blue" });
    await use({ feature: "tidy-on", appName: "blog", days: 3 });
    await use({ feature: "tidy-on", appName: "old", daysAgo: 30, days: 3 });
    await use({ feature: "tidy-unused", daysAgo: 40, days: 3 });
    const tidy = "/projects/tidy/features";
    await admin.must(200, "POST", `${tidy}/tidy-kept/lifecycle/complete`, {
      status: "kept",
      statusValue: "red",
    });
    await run();
    const cleanup = await admin.must(200, "GET", "/cleanup?project=tidy");
    expect(cleanup.body).toMatchObject({
      total: 3,
      flags: [
        {
          name: "tidy-kept",
          lifecycle: { stage: "completed", status: "kept" },
          keep: { path: "variant", variant: "red" },
          lastUse: null,
        },
        {
          name: "tidy-unused",
          daysPastLifetime: 60,
          staleReason: { kind: "unused" },
          keep: { path: "unknown" },
          lastUse: { isInUse: false, applications: ["shop"], applicationCount: 1 },
        },
        {
          name: "tidy-on",
          keep: { path: "variant", variant: "blue" },
          lastUse: { isInUse: true, applications: ["blog", "shop"], applicationCount: 2 },
        },
      ],
    });
    const all = await admin.must<{ total: number }>(200, "GET", "/cleanup?limit=1");
    expect(all.body.total).toBeGreaterThan(3);
    const check = await admin.must(200, "POST", "/projects/tidy/archive/validate", {
      features: ["tidy-on", "tidy-unused"],
    });
    expect(check.body).toMatchObject({
      usedFeatures: [{ name: "tidy-on", applications: ["blog", "shop"], applicationCount: 2 }],
    });
    expect(admin.errors).toEqual([]);
  });

  test("a running service looks by itself", async () => {
    await createOldFlag("running");
    await use({ feature: "running" });
    await admin.storage.db.execute(sql`delete from stale_checks`);
    await startService(
      admin.storage,
      {},
      { scheduling: { examination: { intervalMs: 10, clock } } },
    );
    await expect
      .poll(() => read("running"))
      .toMatchObject({
        potentiallyStale: true,
        lifecycle: { stage: "pre-live" },
      });
  });

  test("several replicas record each finding once", async () => {
    await createOldFlag("once");
    await use({ feature: "once" });
    await admin.storage.db.execute(sql`delete from stale_checks`);
    const found = await admin.eventsOf(async () => {
      await Promise.all([1, 2, 3].map(() => examine({ storage: admin.storage, clock })));
    });
    expect(found.map(({ featureName }) => featureName)).toEqual(["once"]);
  });
});
