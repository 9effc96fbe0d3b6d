import { join } from "node:path";
import { sql } from "drizzle-orm";
import { describe, expect, onTestFinished, test } from "vitest";
import { examine } from "../src/lifecycle/examine-regularly.ts";
import { MIGRATIONS, migrate } from "../src/storage/migrate.ts";
import { openStorage } from "../src/storage/open-storage.ts";
import { writeUsage } from "../src/usage/write-usage.ts";
import { useAdmin } from "./_admin.ts";
import { makeDirectory } from "./_command.ts";
import { createTestDatabase, skipsPostgres } from "./_postgres.ts";
import { startService } from "./_service.ts";
import { describeAnyStorage, silentLogger } from "./_storages.ts";

interface Stage {
  readonly stage: string;
  readonly enteredStageAt: string;
  readonly status?: string;
}

describeAnyStorage("the lifecycle of a flag", (source) => {
  const admin = useAdmin(source);
  const path = (name: string): string => `/projects/default/features/${name}`;
  const create = (name: string) =>
    admin.must(201, "POST", "/projects/default/features", { name, type: "release" });
  const stagesOf = async (name: string): Promise<readonly string[]> => {
    const { body } = await admin.must<Stage[]>(200, "GET", `${path(name)}/lifecycle`);
    const times = body.map(({ enteredStageAt }) => enteredStageAt);
    expect(times).toEqual(times.toSorted());
    return body.map(({ stage, status }) => (status === undefined ? stage : `${stage} ${status}`));
  };
  const report = (feature: string, environment: string) =>
    writeUsage(admin.storage, [
      {
        entries: [
          {
            feature,
            appName: "shop",
            environment,
            hour: new Date(),
            yes: 1,
            no: 0,
            variants: new Map(),
          },
        ],
        projects: ["*"],
      },
    ]);
  const follow = () => examine({ storage: admin.storage });

  test("goes from its creation to the archive, and starts again if it is revived", async () => {
    await create("all");
    await follow();
    expect(await stagesOf("all")).toEqual(["initial"]);
    await report("all", "development");
    await follow();
    expect(await stagesOf("all")).toEqual(["initial", "pre-live"]);
    // Used in production, where it is off.
    await report("all", "production");
    await follow();
    expect(await stagesOf("all")).toEqual(["initial", "pre-live"]);
    await admin.must(200, "POST", `${path("all")}/environments/production/on`);
    await follow();
    const live = ["initial", "pre-live", "live"];
    expect(await stagesOf("all")).toEqual(live);
    // It stays live.
    await admin.must(200, "POST", `${path("all")}/environments/production/off`);
    await follow();
    expect(await stagesOf("all")).toEqual(live);
    expect((await admin.must(200, "GET", path("all"))).body).toMatchObject({
      lifecycle: { stage: "live" },
    });
    const complete = { status: "kept", statusValue: "blue" };
    const completed = { status: "kept", kept: true, statusValue: "blue" };
    expect(
      await admin.eventsOf(() =>
        admin.must(200, "POST", `${path("all")}/lifecycle/complete`, complete),
      ),
    ).toMatchObject([{ type: "feature-completed", featureName: "all", data: completed }]);
    expect(await stagesOf("all")).toEqual([...live, "completed kept"]);
    await follow();
    await admin.must(202, "DELETE", path("all"));
    const ended = [...live, "completed kept", "archived"];
    expect(await stagesOf("all")).toEqual(ended);
    const archived = await admin.must(200, "GET", "/search/features?lifecycle=IS:archived");
    expect(archived.body).toMatchObject({
      features: [{ name: "all", lifecycle: { stage: "archived" } }],
    });
    await admin.must(200, "POST", "/archive/revive/all");
    await follow();
    expect(await stagesOf("all")).toEqual(["initial"]);
    await report("all", "development");
    await admin.storage.db.execute(
      sql`update feature_environments set last_seen_at = now() where feature = 'all'`,
    );
    await follow();
    expect(await stagesOf("all")).toEqual(["initial", "pre-live"]);
  });

  test("a completed flag returns to its stage", async () => {
    await create("undone");
    await report("undone", "development");
    await follow();
    const complete = (body: object) =>
      admin.must(200, "POST", `${path("undone")}/lifecycle/complete`, body);
    await complete({ status: "discarded" });
    // Its status can be corrected; the same one changes nothing.
    await complete({ status: "kept" });
    expect(await admin.eventsOf(() => complete({ status: "kept" }))).toEqual([]);
    expect(await stagesOf("undone")).toEqual(["initial", "pre-live", "completed kept"]);
    const uncomplete = () => admin.must(200, "POST", `${path("undone")}/lifecycle/uncomplete`);
    expect(await admin.eventsOf(uncomplete)).toMatchObject([
      { type: "feature-uncompleted", preData: { status: "kept", kept: true } },
    ]);
    expect(await admin.eventsOf(uncomplete)).toEqual([]);
    expect(await stagesOf("undone")).toEqual(["initial", "pre-live"]);
    await admin.refuse(
      { status: 400, name: "BadDataError", path: "/body/status" },
      "POST",
      `${path("undone")}/lifecycle/complete`,
      { status: "finished" },
    );
    for (const action of ["complete", "uncomplete"]) {
      await admin.must(201, "POST", "/projects/default/features", { name: `archived-${action}` });
      await admin.must(202, "DELETE", path(`archived-${action}`));
      await admin.refuse(
        { status: 400, name: "ArchivedFeatureError" },
        "POST",
        `${path(`archived-${action}`)}/lifecycle/${action}`,
        action === "complete" ? { status: "kept" } : undefined,
      );
    }
    await admin.refuse({ status: 404, name: "NotFoundError" }, "GET", `${path("none")}/lifecycle`);
    expect(admin.errors).toEqual([]);
  });
});

const KINDS = {
  "the embedded database": () => ({ dataDir: join(makeDirectory(), "data") }),
  PostgreSQL: async () => ({ dataDir: "", databaseUrl: await createTestDatabase() }),
};

describe.each(Object.keys(KINDS) as (keyof typeof KINDS)[])("an upgrade on %s", (kind) => {
  test.skipIf(kind === "PostgreSQL" && skipsPostgres)(
    "gives flags the stage that their usage shows",
    async () => {
      const options = { ...(await KINDS[kind]()), logger: silentLogger };
      const before = await openStorage({
        ...options,
        prepareSchema: async (db) => {
          await migrate(
            db,
            MIGRATIONS.filter(({ version }) => version < 19),
          );
          await db.execute(sql`
            insert into features (name, project, created_by, created_at)
            select name, 'default', 'x', '2026-01-10T10:00:00Z'
            from unnest(array['unused', 'old-name', 'tried', 'launched', 'seen', 'seen-off']) as name`);
          await db.execute(sql`
            insert into feature_environments (feature, environment, enabled, last_seen_at)
            select name, environment, name in ('launched', 'seen') and environment = 'production',
              case when name in ('seen', 'seen-off') and environment = 'production'
                then timestamptz '2026-03-01T00:00:00Z' end
            from features, unnest(array['development', 'production']) as environment`);
          await db.execute(sql`
            insert into feature_usage_days (feature, environment, day, app_name, yes, no) values
              ('old-name', 'production', '2025-12-01T00:00:00Z', 'shop', 1, 0),
              ('tried', 'development', '2026-02-01T00:00:00Z', 'shop', 1, 0),
              ('tried', 'production', '2026-02-02T00:00:00Z', 'shop', 0, 1),
              ('launched', 'production', '2026-01-10T00:00:00Z', 'shop', 0, 1),
              ('launched', 'production', '2026-02-03T00:00:00Z', 'shop', 1, 0)`);
        },
      });
      await before.close();
      const storage = await openStorage(options);
      onTestFinished(() => storage.close());
      const service = await startService(storage);
      const stagesOf = async (name: string): Promise<readonly string[]> => {
        const url = `/projects/default/features/${name}/lifecycle`;
        const stages = (await service.admin("GET", url)) as readonly Stage[];
        return stages.map(({ stage, enteredStageAt }) => `${stage} ${enteredStageAt.slice(0, 10)}`);
      };
      const created = "initial 2026-01-10";
      for (const [name, stages] of [
        ["unused", []],
        ["old-name", []],
        ["tried", ["pre-live 2026-02-01"]],
        ["launched", ["pre-live 2026-01-10", "live 2026-02-03"]],
        ["seen", ["pre-live 2026-03-01", "live 2026-03-01"]],
        ["seen-off", ["pre-live 2026-03-01"]],
      ] as const) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        expect([name, await stagesOf(name)]).toEqual([name, [created, ...stages]]);
      }
      expect(service.errors).toEqual([]);
    },
  );
});
