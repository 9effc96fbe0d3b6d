import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { useAdmin } from "./_admin.ts";
import { describeAnyStorage } from "./_storages.ts";

describeAnyStorage("GET /projects/{id}/status", (source) => {
  const admin = useAdmin(source);
  const status = async (project: string) =>
    (await admin.must(200, "GET", `/projects/${project}/status`)).body;

  test("a new project is healthy", async () => {
    await admin.must(201, "POST", "/projects", { id: "new", name: "New" });
    expect(await status("new")).toEqual({
      activityCountByDate: [{ date: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), count: 1 }],
      resources: { apiTokens: 0, members: 0, segments: 0 },
      health: { current: 100 },
      technicalDebt: { current: 0 },
      activeFlags: { total: 0 },
      staleFlags: { total: 0, markedCount: 0, potentiallyStaleCount: 0, oldest: [] },
      lifecycleSummary: {
        initial: { averageDays: null, currentFlags: 0 },
        preLive: { averageDays: null, currentFlags: 0 },
        live: { averageDays: null, currentFlags: 0 },
        completed: { averageDays: null, currentFlags: 0 },
        archived: { currentFlags: 0, last30Days: 0 },
      },
    });
  });

  test("flags that are stale or potentially stale lower the health, and stages are counted", async () => {
    await admin.must(201, "POST", "/projects", { id: "busy", name: "Busy" });
    const create = (name: string, type = "release") =>
      admin.must(201, "POST", "/projects/busy/features", { name, type });
    for (const name of ["fresh", "stale", "expired", "old-archived", "archived"])
      await create(name);
    await create("permanent", "kill-switch");
    await admin.must(202, "POST", "/projects/busy/stale", { features: ["stale"], stale: true });
    await admin.must(202, "POST", "/projects/busy/archive", {
      features: ["old-archived", "archived"],
    });
    const { db } = admin.storage;
    await db.execute(sql`update features set created_at = now() - interval '41 days'
      where name in ('expired', 'permanent', 'archived')`);
    await db.execute(sql`
      insert into lifecycles (feature, potentially_stale, pre_live_at, live_at, completed_at) values
        ('expired', true, now() - interval '31 days', now() - interval '28 days', null),
        ('fresh', false, now(), null, null),
        ('permanent', false, now() - interval '40 days', now() - interval '6 days', now()),
        ('archived', true, null, null, null)`);
    await db.execute(sql`update features set archived_at = now() - interval '31 days'
      where name = 'old-archived'`);
    await db.execute(sql`
      insert into events (type, created_by, actor_kind, project, created_at)
      select 'feature-stale-on', 'x', 'token', 'busy', created_at from unnest(array[
        timestamptz '2020-01-01', date_trunc('day', now(), 'UTC') - interval '48 hours'
      ]) as created_at`);
    await admin.must(201, "POST", "/segments", { name: "own", project: "busy", constraints: [] });
    await admin.must(201, "POST", "/projects/busy/api-tokens", {
      tokenName: "t",
      type: "client",
      environment: "development",
    });
    const body = (await status("busy")) as { activityCountByDate: { count: number }[] };
    const flag = { type: "release", createdAt: expect.any(String) };
    expect(body).toMatchObject({
      resources: { apiTokens: 1, members: 0, segments: 1 },
      health: { current: 50 },
      technicalDebt: { current: 50 },
      activeFlags: { total: 4 },
      staleFlags: {
        total: 2,
        markedCount: 1,
        potentiallyStaleCount: 1,
        oldest: [
          { name: "expired", stale: false, ...flag },
          { name: "stale", stale: true, ...flag },
        ],
      },
      lifecycleSummary: {
        // 10 days, 1 day, none, and 41 and -31 days of those that were archived at once.
        initial: { averageDays: 4, currentFlags: 1 },
        preLive: { averageDays: 19, currentFlags: 1 },
        live: { averageDays: 6, currentFlags: 1 },
        completed: { averageDays: null, currentFlags: 1 },
        archived: { currentFlags: 2, last30Days: 1 },
      },
    });
    expect(body.activityCountByDate[0]?.count).toBe(1);
  });

  test("an unknown project is a 404", async () => {
    await admin.refuse({ status: 404, name: "NotFoundError" }, "GET", "/projects/none/status");
    expect(admin.errors).toEqual([]);
  });
});
