import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { sized } from "../../../scripts/test-size.ts";
import type { Database } from "../src/storage/database.ts";
import type { Storage } from "../src/storage/storage.ts";
import { createUsageIngestion } from "../src/usage/ingestion-routes.ts";
import { featureEnvironments } from "../src/storage/schema/features.ts";
import { applications, featureUsage, variantUsage } from "../src/storage/schema/usage.ts";
import { createFlag, createToken } from "./_flags.ts";
import { BACKEND_TOKEN, FRONTEND_TOKEN, type Service, useService } from "./_service.ts";
import { describeStorages } from "./_storages.ts";

const METRICS = "/api/client/metrics";
const BULK = "/api/client/metrics/bulk";
const REGISTER = "/api/client/register";
const HOUR_MS = 3_600_000;

const hourOf = (moment: number): string =>
  new Date(Math.floor(moment / HOUR_MS) * HOUR_MS).toISOString();

function report(appName: string, toggles: Readonly<Record<string, unknown>>) {
  const now = new Date().toISOString();
  return { appName, instanceId: "i", bucket: { start: now, stop: now, toggles } };
}

async function post(service: Service, path: string, body: unknown, token = BACKEND_TOKEN) {
  const response = await service.request(path, { method: "POST", token, body });
  return { status: response.status, text: await response.text() };
}

interface Raw {
  readonly version: number;
  readonly maturity: string;
  readonly data: readonly {
    readonly appName: string;
    readonly environment: string;
    readonly timestamp: string;
    readonly yes: number;
    readonly no: number;
    readonly variants?: Readonly<Record<string, number>>;
  }[];
}

const rawOf = async (service: Service, feature: string, query = ""): Promise<Raw> =>
  (await service.admin("GET", `/client-metrics/features/${feature}/raw${query}`)) as Raw;

const countedIn = ({ data }: Raw) => data.filter(({ yes, no }) => yes > 0 || no > 0);

describeStorages("usage", (source) => {
  const service = useService(source);

  describe("POST /api/client/metrics", () => {
    test("responds with 202 and an empty body, and adds the counts at once", async () => {
      await createFlag(service, "counted");
      for (let round = 0; round < 2; round++) {
        const body = report("shop", { counted: { yes: 3, no: 1, variants: { red: 2, blue: 1 } } });
        expect(await post(service, METRICS, body)).toEqual({ status: 202, text: "" });
      }
      const raw = await rawOf(service, "counted");
      expect(raw).toMatchObject({ version: 1, maturity: "stable", hoursKept: 48, daysKept: 91 });
      expect(raw.data).toHaveLength(24);
      expect(countedIn(raw)).toEqual([
        {
          featureName: "counted",
          appName: "shop",
          environment: "development",
          timestamp: hourOf(Date.now()),
          yes: 6,
          no: 2,
          variants: { red: 4, blue: 2 },
        },
      ]);
      expect(await service.admin("GET", "/client-metrics/features/counted")).toEqual({
        version: 1,
        maturity: "stable",
        featureName: "counted",
        lastHourUsage: [
          { environment: "development", timestamp: hourOf(Date.now()), yes: 6, no: 2 },
        ],
        seenApplications: ["shop"],
      });
    });

    test("accepts the formats of all SDKs: null for text, counts as text, dates as numbers", async () => {
      await createFlag(service, "lenient");
      const now = Date.now();
      for (const body of [
        {
          appName: "node",
          instanceId: "i",
          connectionId: "c",
          bucket: {
            start: new Date(now).toISOString(),
            stop: new Date(now).toISOString(),
            toggles: { lenient: { yes: 1, no: 0, variants: {} } },
          },
          platformName: "node",
          platformVersion: "20",
          yggdrasilVersion: null,
          specVersion: "5.2.0",
          impactMetrics: [{ name: "m", samples: [] }],
        },
        { appName: "b", bucket: { start: now, stop: now, toggles: { lenient: { yes: "1" } } } },
        { appName: "c", bucket: { toggles: { lenient: { yes: 1, no: null, variants: null } } } },
        {
          appName: "d",
          bucket: { start: null, stop: "no date", toggles: { lenient: { yes: 1 } } },
        },
        { appName: "e", bucket: null },
        { appName: "f" },
        { appName: 7, bucket: { toggles: { lenient: { yes: 1.9, no: 0.1 } } } },
      ]) {
        expect(await post(service, METRICS, body)).toEqual({ status: 202, text: "" });
      }
      const counted = countedIn(await rawOf(service, "lenient"));
      expect(counted.map(({ appName, yes, no }) => [appName, yes, no])).toEqual([
        ["7", 1, 0],
        ["b", 1, 0],
        ["c", 1, 0],
        ["d", 1, 0],
        ["node", 1, 0],
      ]);
    });

    test.each([
      [{}, "/body/appName"],
      [{ appName: "" }, "/body/appName"],
      [{ appName: null }, "/body/appName"],
      [{ appName: ["a"] }, "/body/appName"],
      [{ appName: "a", bucket: {} }, "/body/bucket/toggles"],
      [{ appName: "a", bucket: { toggles: [] } }, "/body/bucket/toggles"],
      [{ appName: "a", bucket: { toggles: { f: 1 } } }, "/body/bucket/toggles/f"],
      [{ appName: "a", bucket: { toggles: { "a\nb": 1 } } }, "/body/bucket/toggles/a\nb"],
      [{ appName: "a", bucket: { toggles: { f: { yes: -1 } } } }, "/body/bucket/toggles/f/yes"],
      [{ appName: "a", bucket: { toggles: { f: { yes: "x" } } } }, "/body/bucket/toggles/f/yes"],
      [
        { appName: "a", bucket: { toggles: { f: { variants: { v: {} } } } } },
        "/body/bucket/toggles/f/variants/v",
      ],
    ])("%j responds with a 400 that names %s", async (body, path) => {
      const { status, text } = await post(service, METRICS, body);
      expect(status).toBe(400);
      expect(JSON.parse(text)).toMatchObject({
        name: "BadDataError",
        details: expect.arrayContaining([expect.objectContaining({ path })]),
      });
    });

    test("ignores unknown flags, flags of other projects and counts of zero", async () => {
      await createFlag(service, "known");
      await service.admin("POST", "/projects", { id: "other", name: "Other" });
      await createFlag(service, "foreign", { project: "other" });
      const { secret } = await createToken(service, { projects: ["default"] });
      const body = report("app", {
        known: { yes: 1, no: 0 },
        foreign: { yes: 1, no: 0 },
        unknown: { yes: 1, no: 0 },
        "x\0y": { yes: 1, no: 0 },
        "\ud800": { yes: 1, no: 0 },
        ["long".repeat(500)]: { yes: 1 },
      });
      expect((await post(service, METRICS, body, secret)).status).toBe(202);
      expect((await post(service, METRICS, report("app", { known: {} }), secret)).status).toBe(202);
      const rows = await service.storage.db.select().from(featureUsage);
      expect(rows.filter(({ appName }) => appName === "app").map(({ feature }) => feature)).toEqual(
        ["known"],
      );
      expect(service.errors).toEqual([]);
    });

    test("accepts text that the database cannot store, without invalid names of variants, and huge counts", async () => {
      await createFlag(service, "odd");
      const variants = { "a\0b": 1, "\udfff": 1, ["v".repeat(5000)]: 1, __proto: 2 };
      const body = report(`app\0${"é".repeat(3000)}`, {
        odd: { yes: 1e300, no: 999_999_999_999_999, variants },
      });
      expect(await post(service, METRICS, body)).toEqual({ status: 202, text: "" });
      expect(await post(service, METRICS, body)).toEqual({ status: 202, text: "" });
      const [counted] = countedIn(await rawOf(service, "odd"));
      expect(counted).toMatchObject({ yes: 2e15, no: 1_999_999_999_999_998 });
      expect(counted?.appName).toHaveLength(255);
      expect(counted?.variants).toEqual({ "\uFFFD": 2, __proto: 4 });
    });

    test("names of members of objects are ordinary, and have no side effects", async () => {
      for (const name of ["__proto__", "constructor"]) await createFlag(service, name);
      const counts = '{"yes":1,"no":0,"variants":{"__proto__":1,"constructor":1}}';
      const toggles = `{"__proto__":${counts},"constructor":${counts}}`;
      // NOTE: parsing creates a member of this name, whereas a literal would set the prototype.
      const body = JSON.parse(`{"appName":"__proto__","bucket":{"toggles":${toggles}}}`) as object;
      expect((await post(service, METRICS, body)).status).toBe(202);
      for (const name of ["__proto__", "constructor"]) {
        const [counted] = countedIn(await rawOf(service, name));
        expect(counted?.appName).toBe("__proto__");
        expect(Object.entries(counted?.variants ?? {})).toEqual([
          ["__proto__", 1],
          ["constructor", 1],
        ]);
      }
      expect(Object.keys(Object.prototype)).toEqual([]);
      expect(Reflect.get({}, "yes")).toBeUndefined();
    });

    test("treats a time in the future as now, and a time too far in the past as the oldest hour", async () => {
      await createFlag(service, "clocks");
      const now = Date.now();
      for (const stop of [now + 1e12, 8.64e15 * 10, now - 1e12, 0, -1e20]) {
        const body = { appName: "a", bucket: { stop, toggles: { clocks: { yes: 1 } } } };
        expect((await post(service, METRICS, body)).status).toBe(202);
      }
      const counted = countedIn(await rawOf(service, "clocks", "?hoursBack=48"));
      expect(counted.map(({ timestamp, yes }) => [timestamp, yes])).toEqual([
        [hourOf(now - 47 * HOUR_MS), 2],
        [hourOf(now), 3],
      ]);
    });

    test("stores the 100 variants of a flag with the largest counts", async () => {
      await createFlag(service, "many-variants");
      const variants = Object.fromEntries(
        Array.from({ length: 150 }, (_, index) => [`v${index}`, index + 1]),
      );
      await post(service, METRICS, report("a", { "many-variants": { yes: 1, no: 0, variants } }));
      const stored = await service.storage.db
        .select({ count: variantUsage.count })
        .from(variantUsage)
        .where(eq(variantUsage.feature, "many-variants"));
      expect(stored).toHaveLength(100);
      expect(Math.min(...stored.map(({ count }) => count))).toBe(51);
    });

    test("stores a large report completely, with at most 10,000 rows per transaction", async () => {
      await createFlag(service, "large");
      const count = async (db: Database): Promise<number> =>
        (await db.$count(featureUsage)) + (await db.$count(variantUsage));
      const written: number[] = [];
      const transact: Storage["transact"] = (work) =>
        service.storage.transact(async (db) => {
          const before = await count(db);
          const result = await work(db);
          written.push((await count(db)) - before);
          return result;
        });
      const variants = new Map(Array.from({ length: 100 }, (_, index) => [`v${index}`, 1]));
      const entry = { feature: "large", environment: "development" };
      await createUsageIngestion({ ...service.storage, transact }).addUsage({
        entries: Array.from({ length: 120 }, (_, index) => {
          const hour = new Date(index * HOUR_MS);
          return { ...entry, appName: `app-${index}`, hour, yes: 1, no: 0, variants };
        }),
        projects: ["*"],
        instance: { appName: "app-0", environment: "development", instanceId: "i" },
      });
      expect(written.reduce((sum, rows) => sum + rows)).toBe(120 * 101);
      expect(Math.max(...written)).toBeLessThanOrEqual(10_000);
    });

    test("counts all concurrent reports", async () => {
      const total = sized(60, 200);
      await createFlag(service, "busy");
      const statuses = await Promise.all(
        Array.from({ length: total }, async (_, index) => {
          const body = report(`app-${index % 3}`, {
            busy: { yes: 1, no: 2, variants: { v: 1 } },
          });
          return (await post(service, METRICS, body)).status;
        }),
      );
      expect(new Set(statuses)).toEqual(new Set([202]));
      const counted = countedIn(await rawOf(service, "busy"));
      expect(counted.reduce((sum, { yes }) => sum + yes, 0)).toBe(total);
      expect(counted.reduce((sum, { no }) => sum + no, 0)).toBe(2 * total);
      expect(counted.reduce((sum, { variants }) => sum + (variants?.["v"] ?? 0), 0)).toBe(total);
    });

    test("accepts a large report completely", async () => {
      await createFlag(service, "in-the-crowd");
      const unknown = Array.from({ length: 9000 }, (_, index) => [
        `unknown-${index}`,
        { yes: 1, no: 1, variants: { a: 1 } },
      ]);
      const body = report("big", { ...Object.fromEntries(unknown), "in-the-crowd": { yes: 5 } });
      expect((await post(service, METRICS, body)).status).toBe(202);
      expect(countedIn(await rawOf(service, "in-the-crowd"))).toMatchObject([{ yes: 5 }]);
    });

    test("updates when a flag was last seen", async () => {
      await createFlag(service, "seen");
      await post(service, METRICS, report("a", { seen: { yes: 1 } }));
      const rows = await service.storage.db
        .select()
        .from(featureEnvironments)
        .where(eq(featureEnvironments.feature, "seen"));
      const seenIn = rows.filter(({ lastSeenAt }) => lastSeenAt !== null);
      expect(seenIn.map(({ environment }) => environment)).toEqual(["development"]);
    });
  });

  describe("POST /api/client/metrics/bulk", () => {
    const metric = (over: Readonly<Record<string, unknown>> = {}) => ({
      featureName: "bulk",
      appName: "mobile",
      environment: "development",
      timestamp: new Date().toISOString(),
      yes: 1,
      no: 1,
      variants: { v: 1 },
      ...over,
    });

    test("responds with 202 and stores counts and applications", async () => {
      await createFlag(service, "bulk");
      const body = {
        applications: [
          { appName: "mobile", instanceId: "i", environment: "default", sdkType: "frontend" },
          { appName: "mobile", instanceId: "j", environment: "default", strategies: ["default"] },
        ],
        metrics: [metric(), metric({ yes: 2 }), metric({ appName: "web", variants: null })],
      };
      expect(await post(service, BULK, body)).toEqual({ status: 202, text: "" });
      const counted = countedIn(await rawOf(service, "bulk"));
      expect(counted.map(({ appName, yes, no }) => [appName, yes, no])).toEqual([
        ["mobile", 3, 2],
        ["web", 1, 1],
      ]);
      const rows = await service.storage.db.select().from(applications);
      expect(rows).toContainEqual(
        expect.objectContaining({ appName: "mobile", environment: "development" }),
      );
    });

    test("sums of huge counts stop growing at the largest exact integer", async () => {
      await createFlag(service, "huge");
      const largest = { featureName: "huge", yes: 1e15, no: 1, variants: { v: 1e15 } };
      const metrics = Array.from({ length: 5000 }, () => metric(largest));
      for (let round = 0; round < 2; round++) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        expect(await post(service, BULK, { applications: [], metrics })).toMatchObject({
          status: 202,
        });
      }
      expect(countedIn(await rawOf(service, "huge"))).toMatchObject([
        { yes: Number.MAX_SAFE_INTEGER, no: 10_000, variants: { v: Number.MAX_SAFE_INTEGER } },
      ]);
    });

    test("accepts valid entries although others have no application name", async () => {
      await createFlag(service, "named");
      const body = {
        applications: [{ appName: "" }, { appName: "named-app" }, { appName: null }],
        metrics: [
          metric({ appName: "" }),
          metric({ featureName: "" }),
          metric({ featureName: "named", yes: 7 }),
        ],
      };
      expect(await post(service, BULK, body)).toEqual({ status: 202, text: "" });
      const counted = countedIn(await rawOf(service, "named"));
      expect(counted.map(({ appName, yes }) => [appName, yes])).toEqual([["mobile", 7]]);
      const rows = await service.storage.db.select().from(applications);
      expect(rows.map(({ appName }) => appName)).toContain("named-app");
      expect(rows.map(({ appName }) => appName)).not.toContain("");
    });

    test("rejects a report that contains metrics for another environment", async () => {
      await createFlag(service, "refused");
      const own = metric({ featureName: "refused" });
      const body = { applications: [], metrics: [own, metric({ environment: "production" })] };
      const { status, text } = await post(service, BULK, body);
      expect(status).toBe(400);
      expect(JSON.parse(text)).toMatchObject({
        name: "BadDataError",
        details: [{ path: "/body/metrics/1/environment" }],
      });
      expect(countedIn(await rawOf(service, "refused"))).toEqual([]);
    });

    test.each([
      [{}, "/body/applications"],
      [{ applications: [] }, "/body/metrics"],
      [{ applications: {}, metrics: [] }, "/body/applications"],
      [{ applications: [{}], metrics: [] }, "/body/applications/0/appName"],
      [{ applications: [{ appName: "" }], metrics: [] }, "/body/applications/0/appName"],
      [{ applications: [], metrics: [{}] }, "/body/metrics/0/featureName"],
      [{ applications: [], metrics: [metric({ appName: "" })] }, "/body/metrics/0/appName"],
      [{ applications: [], metrics: [metric({ yes: -1 })] }, "/body/metrics/0/yes"],
    ])("%j responds with a 400 that names %s", async (body, path) => {
      const { status, text } = await post(service, BULK, body);
      expect(status).toBe(400);
      expect(JSON.parse(text)).toMatchObject({ details: [{ path }] });
    });
  });

  describe("POST /api/client/register", () => {
    test("responds with 202 and an empty body, and lists the latest registration", async () => {
      const body = {
        appName: "registered",
        instanceId: "i",
        sdkVersion: "unleash-node-sdk:6.12.1",
        strategies: ["default", "custom"],
        started: new Date().toISOString(),
        interval: 1000,
        yggdrasilVersion: null,
      };
      expect(await post(service, REGISTER, body)).toEqual({ status: 202, text: "" });
      const find = async () => {
        const response = await service.admin("GET", "/metrics/applications");
        const { applications } = response as { applications: { appName: string }[] };
        return applications.filter(({ appName }) => appName === "registered");
      };
      expect(await find()).toEqual([
        {
          appName: "registered",
          environments: ["development"],
          sdkVersion: "unleash-node-sdk:6.12.1",
          strategies: ["custom", "default"],
          createdAt: expect.any(String),
          lastSeenAt: expect.any(String),
          missingFlagCount: 0,
          missingFlags: [],
          usage: [],
        },
      ]);
      await post(service, REGISTER, { appName: "registered", strategies: null, sdkVersion: null });
      expect(await find()).toMatchObject([{ sdkVersion: null, strategies: [] }]);
    });

    test("the response contains the version of the service", async () => {
      const call = { method: "POST", token: BACKEND_TOKEN, body: { appName: "curious" } };
      const response = await service.request(REGISTER, call);
      expect(response.headers.get("x-flags-version")).toMatch(/^\d+\.\d+\.\d+/);
    });

    test.each([[{}], [{ appName: "" }], [{ appName: {} }], [{ appName: "a", strategies: "x" }]])(
      "%j responds with 400",
      async (body) => {
        expect((await post(service, REGISTER, body)).status).toBe(400);
      },
    );
  });

  test.each([METRICS, BULK, REGISTER])(
    "%s responds with 415 to formats other than JSON, and with 413 to large bodies",
    async (path) => {
      const send = async (body: string, type: string) => {
        const headers = { "content-type": type };
        const call = { method: "POST", token: BACKEND_TOKEN, body, headers };
        return (await service.request(path, call)).status;
      };
      expect(await send("x", "text/plain")).toBe(415);
      expect(await send("{", "application/json")).toBe(400);
      expect(await send(`"${"x".repeat(1024 * 1024)}"`, "application/json")).toBe(413);
      expect((await post(service, path, {}, FRONTEND_TOKEN)).status).toBe(403);
    },
  );

  test.each([
    ["", 24],
    ["?hoursBack=1", 1],
    ["?hoursBack=48", 48],
    ["?hoursBack=0", 24],
    ["?hoursBack=49", 24],
    ["?hoursBack=x", 24],
    ["?hoursBack=1.5", 24],
  ])("GET …/raw%s returns %i hours", async (query, hours) => {
    await post(service, METRICS, report("a", { hours: { yes: 1 } }));
    await createFlag(service, "hours").catch(() => undefined);
    await post(service, METRICS, report("a", { hours: { yes: 1 } }));
    const { data } = await rawOf(service, "hours", query);
    expect(data).toHaveLength(hours);
    const times = data.map(({ timestamp }) => timestamp);
    expect(times).toEqual(times.toSorted());
    expect(times.at(-1)).toBe(hourOf(Date.now()));
  });

  test("GET …/raw sums up all but the 100 applications and variants with the most evaluations", async () => {
    await createFlag(service, "popular");
    await service.storage.db.execute(sql`
      insert into feature_usage (feature, app_name, environment, hour, yes)
      select 'popular', 'app-' || app, environment, date_trunc('hour', now()), app
      from generate_series(1, 300) as app, unnest(array['development', 'production']) as environment`);
    await service.storage.db.execute(sql`
      insert into variant_usage (feature, app_name, environment, hour, variant, count)
      select 'popular', 'app-' || app, 'development', date_trunc('hour', now()), 'v' || variant, variant
      from generate_series(199, 300) as app, generate_series(1, 150) as variant`);
    const raw = await rawOf(service, "popular", "?hoursBack=2");
    expect(raw.data).toHaveLength(2 * 2 * 101);
    const counted = countedIn(raw);
    const others = counted.filter(({ appName }) => appName === "(other applications)");
    expect(others.map(({ environment, yes }) => [environment, yes])).toEqual([
      ["development", (200 * 201) / 2],
      ["production", (200 * 201) / 2],
    ]);
    const names = new Set(counted.map(({ appName }) => appName));
    expect([names.size, names.has("app-201"), names.has("app-200")]).toEqual([101, true, false]);
    const { variants = {} } = others[0] ?? {};
    expect([Object.keys(variants).length, variants["v150"], variants["v50"]]).toEqual([
      100,
      300,
      undefined,
    ]);
  });

  test("an unknown flag has no usage, which is not an error", async () => {
    expect(await rawOf(service, "nothing")).toMatchObject({ data: [] });
    expect(await service.admin("GET", "/client-metrics/features/nothing")).toMatchObject({
      lastHourUsage: [],
      seenApplications: [],
    });
  });

  test("usage reports and changes by administrators do not block each other", async () => {
    await createFlag(service, "contended");
    const stopping = new AbortController();
    const reporting = (async () => {
      while (!stopping.signal.aborted) {
        const { status } = await post(service, METRICS, report("a", { contended: { yes: 1 } }));
        expect(status).toBe(202);
      }
    })();
    for (let round = 0; round < 10; round++) {
      const path = "/projects/default/features/contended/environments/development";
      await service.admin("POST", `${path}/${round % 2 === 0 ? "off" : "on"}`);
    }
    stopping.abort();
    await reporting;
    expect(service.errors).toEqual([]);
  });
});
