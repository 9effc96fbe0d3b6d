import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { LIMITS } from "../src/limits.ts";
import { version } from "../src/version.ts";
import { useAdmin } from "./_admin.ts";
import { sendLines } from "../../server-kit/test/_raw-request.ts";
import { ADMIN_TOKEN, BACKEND_TOKEN, startService } from "./_service.ts";
import { describeAnyStorage, describeEachStorage } from "./_storages.ts";

const STATISTICS = "/instance-admin/statistics";

interface Statistics {
  readonly instanceId: string;
  readonly timestamp: string;
}

describeEachStorage("statistics and authors", (source) => {
  const admin = useAdmin(source);
  const read = async () => (await admin.must<Statistics>(200, "GET", STATISTICS)).body;

  beforeAll(async () => {
    await admin.must(201, "POST", "/projects/default/features", { name: "active" });
    await admin.must(201, "POST", "/projects/default/features", { name: "archived" });
    await admin.must(202, "POST", "/projects/default/archive", { features: ["archived"] });
    for (const environment of ["development", "production"]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await admin.must(
        200,
        "POST",
        `/projects/default/features/active/environments/${environment}/on`,
      );
    }
    // Changes in production, 40, 70 and 100 days ago, by other authors.
    await admin.storage.db.execute(sql`
      insert into events (type, created_by, actor_kind, environment, created_at)
      select 'feature-environment-enabled', author, kind, 'production', now() - make_interval(days => days)
      from (values ('anna', 'openid', 40), ('anna', 'token', 70), ('system', 'system', 100),
        ('Änne', 'token', 100)) as old (author, kind, days)`);
  });

  test("the statistics are numbers of what exists", async () => {
    const { timestamp, ...statistics } = await read();
    expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(60_000);
    expect(statistics).toEqual({
      instanceId: expect.stringMatching(/^[\da-f-]{36}$/),
      versionOSS: version,
      users: 1,
      activeUsers: { last7: 0, last30: 0, last60: 0, last90: 0 },
      // Today a token, a strategy and the switch.
      productionChanges: { last30: 3, last60: 4, last90: 5 },
      featureToggles: 1,
      projects: 1,
      contextFields: 5,
      roles: 3,
      groups: 0,
      environments: 2,
      segments: 0,
      strategies: 8,
      SAMLenabled: false,
      OIDCenabled: false,
      clientApps: [
        { range: "allTime", count: 0 },
        { range: "30d", count: 0 },
        { range: "7d", count: 0 },
      ],
      featureExports: 0,
      featureImports: 0,
      apiTokens: { admin: 1, client: 2, frontend: 1 },
    });
  });

  test("the id of the installation is stored once, also by concurrent requests", async () => {
    await admin.storage.db.execute(sql`delete from installations`);
    const all = await Promise.all([read(), read(), read()]);
    expect(new Set(all.map(({ instanceId }) => instanceId)).size).toBe(1);
    expect((await read()).instanceId).toBe(all[0]?.instanceId);
  });

  test("the statistics are available as CSV", async () => {
    const { text, headers } = await admin.must(200, "GET", `${STATISTICS}/csv`);
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const [names, values, ...rest] = text.split("\n");
    expect(names).toMatch(/^"instanceId","timestamp",.*,"productionChanges",/);
    expect(values).toContain('"{""last30"":3,""last60"":4,""last90"":5}"');
    expect(rest).toEqual([""]);
  });

  test("the authors of events are listed once, with names that the filter accepts", async () => {
    const { body } = await admin.must<{ id: number; name: string }[]>(
      200,
      "GET",
      "/event-creators",
    );
    expect(body).toEqual([
      { id: -43, name: "anna" },
      { id: -42, name: "anna" },
      { id: -42, name: "init-admin" },
      { id: -1337, name: "system" },
      { id: -42, name: "Änne" },
    ]);
    for (const { name } of body) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const found = await admin.must<{ events: { createdBy: string }[] }>(
        200,
        "GET",
        `/search/events?createdBy=IS:${encodeURIComponent(name)}`,
      );
      expect(found.body.events.length).toBeGreaterThan(0);
      for (const event of found.body.events) expect(event.createdBy).toBe(name);
    }
  });

  test("the creators of the flags of a project are listed", async () => {
    const path = "/projects/default/flag-creators";
    const { body } = await admin.must(200, "GET", path);
    expect(body).toEqual([{ id: -42, name: "init-admin" }]);
    await admin.refuse(
      { status: 404, name: "NotFoundError" },
      "GET",
      path.replace("default", "no"),
    );
  });

  test("no request caused an internal error", () => {
    expect(admin.errors).toEqual([]);
  });
});

describeAnyStorage("an installation", (source) => {
  const admin = useAdmin(source);

  test("shows its version, address and limits", async () => {
    const { body: statistics } = await admin.must<Statistics>(200, "GET", STATISTICS);
    const { body } = await admin.must<{ unleashUrl: string }>(200, "GET", "/ui-config");
    expect(body).toMatchObject({
      version,
      unleashUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      baseUriPath: "",
      flags: {},
      resourceLimits: {
        featureFlags: LIMITS.features,
        segmentValues: 10_000,
        segmentBytes: 1_048_576,
        repeatedSegmentsBytes: 32 * 1_048_576,
        releaseTemplates: 0,
      },
      versionInfo: { current: { oss: version }, instanceId: statistics.instanceId },
    });
  });

  test("shows its address for any host that a request may name", async () => {
    const { port } = admin.app.server.address() as { port: number };
    const { status, text } = await sendLines(
      port,
      "GET /api/admin/ui-config HTTP/1.1",
      "host: localhost:99999",
      `authorization: ${ADMIN_TOKEN}`,
    );
    expect([status, text]).toEqual([200, expect.stringContaining('"http://localhost:99999"')]);
  });

  test("shows what apps need to read flags, if it is configured", async () => {
    const frontend = { frontendUrl: "https://proxy.example.com/proxy", frontendKey: "web-key" };
    const service = await startService(admin.storage, frontend);
    expect(await service.admin("GET", "/ui-config")).toMatchObject(frontend);
    const { body } = await admin.must(200, "GET", "/ui-config");
    expect(body).not.toHaveProperty("frontendKey");
  });

  test("shows PUBLIC_URL as its address", async () => {
    const service = await startService(admin.storage, {
      publicUrl: "https://flags.example.com/base/",
    });
    expect(await service.admin("GET", "/ui-config")).toMatchObject({
      unleashUrl: "https://flags.example.com/base",
      baseUriPath: "/base",
    });
  });

  describe("the applications of a project", () => {
    const listed = async (query: string) => {
      const { body } = await admin.must<{ total: number; applications: { name: string }[] }>(
        200,
        "GET",
        `/projects/default/applications${query}`,
      );
      return [body.total, body.applications.map(({ name }) => name)];
    };

    beforeAll(async () => {
      const send = async (path: string, payload: object): Promise<void> => {
        const response = await admin.app.inject({
          method: "POST",
          url: `/api/client/${path}`,
          headers: { authorization: BACKEND_TOKEN },
          payload,
        });
        expect(response.statusCode).toBe(202);
      };
      await admin.must(201, "POST", "/projects/default/features", { name: "used" });
      await admin.must(201, "POST", "/projects", { id: "other", name: "Other" });
      await admin.must(201, "POST", "/projects/other/features", { name: "foreign" });
      for (const [appName, flag] of [
        ["shop", "used"],
        ["Blog", "used"],
        ["elsewhere", "foreign"],
      ] as const) {
        for (const [instanceId, sdkVersion] of [
          ["a", "node:6.0.0"],
          ["b", "node:6.1.0"],
        ]) {
          // oxlint-disable-next-line no-await-in-loop -- one after the other
          await send("register", { appName, instanceId, sdkVersion, strategies: [] });
        }
        const bucket = { start: null, stop: null, toggles: { [flag]: { yes: 1 } } };
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await send("metrics", { appName, instanceId: "a", bucket });
      }
    });

    test("are those that use its flags, with their instances and SDKs", async () => {
      const { body } = await admin.must(200, "GET", "/projects/default/applications?query=SHO");
      expect(body).toEqual({
        total: 1,
        applications: [
          {
            name: "shop",
            environments: ["development"],
            instances: ["a", "b"],
            sdks: [{ name: "node", versions: ["6.0.0", "6.1.0"] }],
          },
        ],
      });
    });

    test.each([
      ["", 2, ["Blog", "shop"]],
      ["?sortBy=appName&sortOrder=desc", 2, ["shop", "Blog"]],
      ["?limit=1&offset=1", 2, ["shop"]],
      ["?query=none", 0, []],
    ])("%j lists a page", async (query, total, names) => {
      expect(await listed(query)).toEqual([total, names]);
    });

    test("an unknown order is refused, and an unknown project not found", async () => {
      const path = "/projects/default/applications";
      const bad = { status: 400, name: "BadDataError", path: "/query/sortBy" };
      await admin.refuse(bad, "GET", `${path}?sortBy=lastSeen`);
      const missing = { status: 404, name: "NotFoundError" };
      await admin.refuse(missing, "GET", path.replace("default", "none"));
    });
  });

  test("no request caused an internal error", () => {
    expect(admin.errors).toEqual([]);
  });
});
