import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { DEFAULT_RETENTION, deleteExpired } from "../src/retention.ts";
import { unknownFlags } from "../src/storage/schema/usage.ts";
import { useAdmin } from "./_admin.ts";
import { BACKEND_TOKEN, PRODUCTION_TOKEN } from "./_service.ts";
import { describeAnyStorage } from "./_storages.ts";

interface Application {
  readonly appName: string;
  readonly environments: readonly string[];
}

interface Instances {
  readonly instances: readonly { readonly instanceId: string; readonly lastSeen: string }[];
}

const LIST = "/metrics/applications";
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);

describeAnyStorage("applications", (source) => {
  const admin = useAdmin(source);

  const send = async (path: string, payload: object, token = BACKEND_TOKEN): Promise<void> => {
    const headers = { authorization: token };
    const response = await admin.app.inject({
      method: "POST",
      url: `/api/client/${path}`,
      headers,
      payload,
    });
    expect([response.statusCode, response.body]).toEqual([202, ""]);
  };
  const register = (appName: string, more: object = {}, token = BACKEND_TOKEN) =>
    send("register", { appName, instanceId: "one", strategies: ["default"], ...more }, token);
  const listed = async (query: string) => {
    const { body } = await admin.must<{ total: number; applications: Application[] }>(
      200,
      "GET",
      LIST + query,
    );
    return [body.total, body.applications.map(({ appName }) => appName)];
  };

  beforeAll(async () => {
    for (const name of ["used", "deleted"]) {
      await admin.must(201, "POST", "/projects/default/features", { name });
    }
    await register("shop", { sdkVersion: "node:6.0.0", strategies: ["default", "lunar"] });
    await register("shop", {
      instanceId: "two",
      sdkVersion: "node:6.1.0",
      strategies: ["default", "lunar"],
    });
    await register("shop", {}, PRODUCTION_TOKEN);
    await register("blog");
    await send("metrics/bulk", {
      applications: [
        {
          appName: "web",
          instanceId: "a",
          sdkType: "frontend",
          sdkVersion: "js:3",
          strategies: [],
        },
      ],
      metrics: [],
    });
    await send("metrics", {
      appName: "shop",
      instanceId: "one",
      bucket: {
        start: null,
        stop: null,
        toggles: { used: { yes: 3, no: 1 }, deleted: { yes: 1 } },
      },
    });
    await admin.must(202, "POST", "/projects/default/archive", { features: ["deleted"] });
    await admin.must(200, "POST", "/projects/default/delete", { features: ["deleted"] });
  });

  test("each application is listed once, by name, with the projects that it uses", async () => {
    const { body } = await admin.must<{ applications: Application[] }>(200, "GET", LIST);
    expect(body).toEqual({
      total: 3,
      applications: [
        expect.objectContaining({ appName: "blog", usage: [] }),
        {
          appName: "shop",
          sdkVersion: "node:6.1.0",
          strategies: ["default", "lunar"],
          environments: ["development", "production"],
          createdAt: TIME,
          lastSeenAt: TIME,
          missingFlagCount: 0,
          missingFlags: [],
          usage: [{ project: "default", environments: ["development"] }],
        },
        expect.objectContaining({ appName: "web" }),
      ],
    });
  });

  test.each([
    ["?limit=2", 3, ["blog", "shop"]],
    ["?limit=2&offset=2", 3, ["web"]],
    ["?sortOrder=desc&limit=1", 3, ["web"]],
    ["?query=O", 2, ["blog", "shop"]],
    ["?query=%25", 0, []],
  ])("%s lists a page", async (query, total, names) => {
    expect(await listed(query)).toEqual([total, names]);
  });

  test("an unknown order and a long query are refused", async () => {
    const expected = { status: 400, name: "BadDataError" };
    await admin.refuse({ ...expected, path: "/query/sortOrder" }, "GET", `${LIST}?sortOrder=up`);
    const long = `${LIST}?query=${"x".repeat(201)}`;
    await admin.refuse({ ...expected, path: "/query/query" }, "GET", long);
  });

  test("the details contain the instances and the flags, including deleted ones", async () => {
    const { body } = await admin.must(200, "GET", `${LIST}/shop`);
    const instance = { appName: "shop", clientIp: null, createdAt: TIME, lastSeen: TIME };
    expect(body).toEqual({
      appName: "shop",
      createdAt: TIME,
      sdkVersion: "node:6.1.0",
      strategies: ["default", "lunar"],
      instances: [
        { ...instance, environment: "development", instanceId: "one", sdkVersion: "node:6.0.0" },
        { ...instance, environment: "development", instanceId: "two", sdkVersion: "node:6.1.0" },
        { ...instance, environment: "production", instanceId: "one", sdkVersion: null },
      ],
      seenToggles: [
        { name: "deleted", notFound: true },
        { name: "used", project: "default", type: "release", description: null },
      ],
    });
  });

  test("the overview names the strategies and flags that do not exist here", async () => {
    const { body } = await admin.must(200, "GET", `${LIST}/shop/overview`);
    expect(body).toEqual({
      projects: ["default"],
      featureCount: 2,
      environments: [
        {
          name: "development",
          instanceCount: 2,
          sdks: ["node:6.0.0", "node:6.1.0"],
          backendSdks: ["node:6.0.0", "node:6.1.0"],
          frontendSdks: [],
          lastSeen: TIME,
          issues: { missingFeatures: ["deleted"], outdatedSdks: [] },
        },
        {
          name: "production",
          instanceCount: 1,
          sdks: [],
          backendSdks: [],
          frontendSdks: [],
          lastSeen: TIME,
          issues: { missingFeatures: [], outdatedSdks: [] },
        },
      ],
      issues: { missingStrategies: ["lunar"] },
    });
    const web = await admin.must(200, "GET", `${LIST}/web/overview`);
    expect(web.body).toMatchObject({
      environments: [{ sdks: ["js:3"], backendSdks: [], frontendSdks: ["js:3"] }],
    });
  });

  describe("instances", () => {
    const path = (appName: string, environment = "development") =>
      `/metrics/instances/${appName}/environment/${environment}`;
    const ids = async (appName: string) =>
      (await admin.must<Instances>(200, "GET", path(appName))).body.instances.map(
        ({ instanceId }) => instanceId,
      );
    const isRecent = (time: string): boolean => Date.now() - Date.parse(time) < 3_600_000;
    const recentIds = async (appName: string) =>
      (await admin.must<Instances>(200, "GET", path(appName))).body.instances
        .filter(({ lastSeen }) => isRecent(lastSeen))
        .map(({ instanceId }) => instanceId);

    test("instances are listed for an environment", async () => {
      const { body } = await admin.must(200, "GET", path("shop", "production"));
      expect(body).toEqual({
        instances: [{ instanceId: "one", sdkVersion: null, clientIp: null, lastSeen: TIME }],
      });
      expect(await ids("none")).toEqual([]);
    });

    test("instances stay listed while they report usage", async () => {
      const { db } = admin.storage;
      await db.execute(
        sql`update application_instances set last_seen_at = now() - interval '2 days'`,
      );
      await send("metrics", {
        appName: "shop",
        instanceId: "two",
        bucket: { start: null, stop: null, toggles: { used: { yes: 1 } } },
      });
      expect(await recentIds("shop")).toEqual(["two"]);
    });

    test.each([
      ["evaluate nothing", { bucket: { start: null, stop: null, toggles: {} } }],
      ["evaluate only unknown flags", { bucket: { toggles: { unknown: { yes: 1 } } } }],
      ["send no bucket", {}],
      ["send no instance id", { instanceId: undefined }],
    ])(
      "instances and applications stay listed while they %s but send reports",
      async (_, report) => {
        await register("idle", { instanceId: "id", ...report });
        const { db } = admin.storage;
        for (const table of ["applications", "application_instances"]) {
          await db.execute(
            sql`update ${sql.identifier(table)} set last_seen_at = now() - interval '2 days'`,
          );
        }
        await send("metrics", { appName: "idle", instanceId: "id", ...report });
        const { body } = await admin.must<{
          applications: { appName: string; lastSeenAt: string }[];
        }>(200, "GET", LIST);
        const recent = body.applications.filter(({ lastSeenAt }) => isRecent(lastSeenAt));
        expect(recent.map(({ appName }) => appName)).toEqual(["idle"]);
        expect(await recentIds("idle")).toEqual(["instanceId" in report ? "default" : "id"]);
      },
    );

    test("an application has at most 1000 instances: new ones are ignored, and known ones are still updated", async () => {
      const bulk = (first: number) => ({
        applications: Array.from({ length: 600 }, (_, index) => ({
          appName: "many",
          instanceId: `i-${String(first + index).padStart(4, "0")}`,
          sdkVersion: `v${first}`,
        })),
        metrics: [],
      });
      await send("metrics/bulk", bulk(0));
      await send("metrics/bulk", bulk(500));
      await send("metrics/bulk", bulk(1500));
      const known = await ids("many");
      expect(known).toHaveLength(1000);
      expect(known.at(-1)).toBe("i-0999");
      await register("many", { instanceId: "i-0000", sdkVersion: "new" });
      const { body } = await admin.must<Instances>(200, "GET", path("many"));
      expect(body.instances[0]).toMatchObject({ instanceId: "i-0000", sdkVersion: "new" });
      await register("other");
      expect(await ids("other")).toEqual(["one"]);
    });
  });

  describe("flags that do not exist", () => {
    interface Unknown {
      readonly unknownFlags: readonly {
        readonly name: string;
        readonly archivedAt?: string;
        readonly reports: readonly { readonly appName: string }[];
      }[];
    }
    const report = (appName: string, names: readonly string[]) =>
      send("metrics", {
        appName,
        bucket: { toggles: Object.fromEntries(names.map((name) => [name, { yes: 1 }])) },
      });
    const unknownOf = async (appName: string) =>
      (await admin.must<Unknown>(200, "GET", "/metrics/unknown-flags")).body.unknownFlags.filter(
        ({ reports }) => reports.some((one) => one.appName === appName),
      );

    test("they are listed with the applications that ask for them, until they exist", async () => {
      for (const name of ["old-flag", "good-flag"]) {
        await admin.must(201, "POST", "/projects/default/features", { name });
      }
      await admin.must(202, "POST", "/projects/default/archive", { features: ["old-flag"] });
      await register("asking");
      await report("asking", ["good-flag", "old-flag", "typo", "typo-too"]);
      await report("asking", ["typo"]);
      const asked = (name: string, more = {}) => ({
        name,
        lastSeenAt: TIME,
        ...more,
        reports: [
          { appName: "asking", environments: [{ environment: "development", seenAt: TIME }] },
        ],
      });
      const archived = { archivedAt: TIME, project: "default" };
      expect(await unknownOf("asking")).toEqual([
        asked("old-flag", archived),
        asked("typo"),
        asked("typo-too"),
      ]);
      const { body } = await admin.must<{ applications: Application[] }>(
        200,
        "GET",
        `${LIST}?query=asking`,
      );
      expect(body.applications).toEqual([
        expect.objectContaining({
          missingFlagCount: 3,
          missingFlags: [{ name: "old-flag", ...archived }, { name: "typo" }, { name: "typo-too" }],
        }),
      ]);
      const details = await admin.must(200, "GET", `${LIST}/asking`);
      const flag = { project: "default", type: "release", description: null };
      expect(details.body).toMatchObject({
        seenToggles: [
          { name: "good-flag", ...flag },
          { name: "old-flag", ...flag, archivedAt: TIME },
          { name: "typo", notFound: true },
          { name: "typo-too", notFound: true },
        ],
      });
      await admin.must(201, "POST", "/projects/default/features", { name: "typo" });
      await admin.must(200, "POST", "/archive/revive/old-flag");
      expect((await unknownOf("asking")).map(({ name }) => name)).toEqual(["typo-too"]);
    });

    test("at most 100 are stored for an application in an environment, and the time of the known ones is updated", async () => {
      const names = Array.from(
        { length: 300 },
        (_, index) => `no-${String(index).padStart(3, "0")}`,
      );
      await report("curious", names.slice(0, 60));
      await report("curious", names.slice(30));
      expect((await unknownOf("curious")).map(({ name }) => name)).toEqual(names.slice(0, 100));
      const { db } = admin.storage;
      await db.execute(sql`
        update unknown_flags set last_seen_at = now() - interval '2 days' where app_name = 'curious'`);
      await report("curious", names.slice(99));
      await deleteExpired(admin.storage, DEFAULT_RETENTION, {
        signal: AbortSignal.timeout(60_000),
      });
      expect((await unknownOf("curious")).map(({ name }) => name)).toEqual(["no-099"]);
      await register("curious");
      await admin.must(200, "DELETE", `${LIST}/curious`);
      expect(await unknownOf("curious")).toEqual([]);
    });

    test("at most 10,000 are stored, whatever names clients invent", async () => {
      const { db } = admin.storage;
      await db.execute(sql`
        insert into unknown_flags (app_name, environment, feature)
        select 'app-' || number, 'development', 'flag' from generate_series(1, 9990) as number`);
      const metrics = Array.from({ length: 500 }, (_, index) => ({
        appName: `invented-${index}`,
        featureName: "flag",
        environment: "development",
        yes: 1,
      }));
      await send("metrics/bulk", { applications: [], metrics });
      expect(await db.$count(unknownFlags)).toBe(10_000);
      await db.delete(unknownFlags);
    });
  });

  test("DELETE removes an application until it registers again, and records the removal", async () => {
    const events = await admin.eventsOf(() => admin.must(200, "DELETE", `${LIST}/blog`));
    expect(events).toEqual([
      expect.objectContaining({ type: "application-deleted", preData: { appName: "blog" } }),
    ]);
    expect(await listed("?query=blog")).toEqual([0, []]);
    await register("blog");
    expect(await listed("?query=blog")).toEqual([1, ["blog"]]);
  });

  test("an unknown application is a 404", async () => {
    const unknown = { status: 404, name: "NotFoundError" };
    await admin.refuse(unknown, "GET", `${LIST}/none`);
    await admin.refuse(unknown, "GET", `${LIST}/none/overview`);
    await admin.refuse(unknown, "DELETE", `${LIST}/none`);
  });

  test("no request caused an internal error", () => {
    expect(admin.errors).toEqual([]);
  });
});
