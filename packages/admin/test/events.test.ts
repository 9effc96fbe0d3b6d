import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { findEvents } from "../src/domain/events/find-events.ts";
import type { Storage } from "../src/storage/storage.ts";
import { EVERYWHERE } from "./_access.ts";
import { useAdmin } from "./_admin.ts";
import { ADMIN_TOKEN } from "./_service.ts";
import { describeAnyStorage } from "./_storages.ts";

interface EventResponse {
  readonly id: number;
  readonly featureName: string | null;
}

interface Events {
  readonly total: number;
  readonly events: readonly EventResponse[];
}

describeAnyStorage("events", (source) => {
  const admin = useAdmin(source);

  beforeAll(async () => {
    await admin.must(201, "POST", "/projects/default/features", { name: "flag" });
    await admin.must(201, "POST", "/projects/default/features", { name: "flag-2" });
    await admin.must(201, "POST", "/projects", { id: "other", name: "Other" });
    await admin.must(201, "POST", "/projects/other/features", { name: "foreign" });
    await admin.must(201, "POST", "/tags", { type: "simple", value: "a/b ü" });
    await admin.must(201, "POST", "/features/flag/tags", { type: "simple", value: "both" });
  });

  const search = async (query: string) =>
    (await admin.must<Events>(200, "GET", `/search/events?${query}`)).body;

  test("events contain the author, the time, and the previous and new state, newest first", async () => {
    await admin.must(200, "POST", "/projects/default/features/flag/environments/production/on");
    const { events, total } = await search("limit=2");
    expect(total).toBeGreaterThan(2);
    expect(events).toEqual([
      {
        id: expect.any(Number),
        type: "feature-environment-enabled",
        createdBy: "init-admin",
        createdByUserId: -42,
        createdByTokenId: expect.any(String),
        createdAt: expect.any(String),
        project: "default",
        featureName: "flag",
        environment: "production",
        preData: { enabled: false },
        data: { enabled: true },
        tags: [{ type: "simple", value: "both" }],
      },
      expect.objectContaining({ type: "feature-strategy-add" }),
    ]);
    expect(events[0]?.id).toBeGreaterThan(events[1]?.id ?? Infinity);
  });

  test("events can be filtered", async () => {
    const idsOf = async (query: string): Promise<number[]> =>
      (await search(query)).events.map(({ id }) => id);
    const [latest] = await idsOf("limit=1");
    const today = new Date().toISOString().slice(0, 10);
    expect(await idsOf(`id=IS:${latest}`)).toEqual([latest]);
    expect(await idsOf(`type=IS:feature-environment-enabled`)).toEqual([latest]);
    expect(await idsOf("environment=IS:production&type=IS:feature-environment-enabled")).toEqual([
      latest,
    ]);
    expect(await idsOf("feature=IS_ANY_OF:flag,none&project=IS:default&limit=1")).toEqual([latest]);
    expect(await idsOf("feature=IS:none")).toEqual([]);
    expect(await idsOf("createdBy=IS:nobody")).toEqual([]);
    expect((await search(`from=IS:${today}&to=IS:${today}&createdBy=IS:init-admin`)).total).toBe(
      (await search("createdBy=IS:init-admin")).total,
    );
    expect(await idsOf("to=IS:2001-01-01")).toEqual([]);
    const all = await search("");
    expect((await search("from=IS:0000-01-01&to=IS:9999-12-31")).total).toBe(all.total);
    expect(await idsOf("to=IS:0000-12-31")).toEqual([]);
    expect((await search("query=a/b%20ü")).total).toBeGreaterThan(0);
    expect((await search("query=%25%25%25")).total).toBe(0);
  });

  test("events are returned in pages", async () => {
    const first = await search("limit=3");
    const second = await search("limit=3&offset=3");
    const ids = [...first.events, ...second.events].map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    expect(new Set(ids).size).toBe(6);
    for (const query of ["limit=0", "limit=1001", "limit=many", "offset=-1"]) {
      expect((await search(query)).events.length).toBeLessThanOrEqual(50);
    }
  });

  test("searching events in several statements gives the same pages as in one", async () => {
    const find = (searchedRows: number, offset: number) =>
      findEvents(
        admin.storage,
        { access: EVERYWHERE, text: '"name"', projects: ["default"] },
        { offset, limit: 2 },
        { searchedRows },
      );
    const all = await find(10_000, 0);
    expect(all.total).toBeGreaterThan(2);
    for (const searchedRows of [1, 2, 3, all.total]) {
      for (const offset of [0, 1, all.total - 1, all.total]) {
        expect(await find(searchedRows, offset)).toEqual(await find(10_000, offset));
      }
    }
    expect((await find(1, all.total)).events).toEqual([]);
  });

  test("large events are searched in shorter statements", async () => {
    const search = async (searchedBytes?: number) => {
      let statements = 0;
      const read: Storage["read"] = (work) => {
        statements += 1;
        return admin.storage.read(work);
      };
      const filter = { access: EVERYWHERE, text: '"name"', projects: ["default"] };
      const page = { offset: 0, limit: 2 };
      const found = await findEvents({ read }, filter, page, {
        ...(searchedBytes !== undefined && { searchedBytes }),
      });
      return { found, statements };
    };
    const all = await search();
    const each = await search(1);
    expect(each.found).toEqual(all.found);
    expect(each.statements).toBeGreaterThan(all.found.total);
    expect(all.statements).toBe(3);
  });

  test("a search for text that takes too long fails, and says how to restrict it", async () => {
    const page = { offset: 0, limit: 2 };
    const options = { searchedRows: 1, maxSearchMs: 0 };
    await expect(
      findEvents(admin.storage, { access: EVERYWHERE, text: "x" }, page, options),
    ).rejects.toMatchObject({
      name: "BadDataError",
      message: expect.stringMatching(
        /^Bad request: \/query\/query .* restrict the search .* `from`/,
      ),
    });
    // Without text, all filters use an index.
    expect(
      (await findEvents(admin.storage, { access: EVERYWHERE }, page, options)).events,
    ).toHaveLength(2);
  });

  test("events are also available as lists", async () => {
    const { body } = await admin.must(200, "GET", "/events?project=other");
    expect(body).toMatchObject({ version: 1, totalEvents: 2 });
    const one = await admin.must<Pick<Events, "events">>(200, "GET", "/events/flag-2");
    expect(one.body).toMatchObject({ version: 1, toggleName: "flag-2" });
    expect(new Set(one.body.events.map(({ featureName }) => featureName))).toEqual(
      new Set(["flag-2"]),
    );
  });

  test.each([
    ["/query/type", "type=feature-created"],
    ["/query/id", "id=IS:one"],
    ["/query/from", "from=2026-01-01"],
    ["/query/to", "to=IS:2026-13-45"],
    ["/query/to", "to=IS:2026-02-30"],
    ["/query/type", "type=IS:a&type=IS:b"],
    ["/query/query", "query=%00"],
    ["/query/query", `query=${"x".repeat(201)}`],
  ])("events are not searched with an invalid filter at %s: %s", async (path, query) => {
    await admin.refuse(
      { status: 400, name: "BadDataError", path },
      "GET",
      `/search/events?${query}`,
    );
  });

  test("a page of large events ends early, and the next one begins after it", async () => {
    await admin.must(201, "POST", "/projects/default/features", { name: "large" });
    for (const round of Array.from({ length: 12 }, (_, index) => index)) {
      await admin.must(
        200,
        "PUT",
        "/projects/default/features/large/environments/development/variants",
        Array.from({ length: 10 }, (_, index) => ({
          name: `${index}`,
          weight: 0,
          payload: { type: "string", value: `${round}`.padEnd(90_000) },
        })),
      );
    }
    const query = "feature=IS:large&type=IS:feature-environment-variants-updated&limit=1000";
    const first = await search(query);
    expect(first.total).toBe(12);
    expect(first.events.length).toBeLessThan(12);
    expect(first.events.length).toBeGreaterThan(5);
    const second = await search(`${query}&offset=${first.events.length}`);
    const ids = [...first.events, ...second.events].map(({ id }) => id);
    expect(ids).toHaveLength(12);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
  });

  describe("export", () => {
    const exported = (query: string) => admin.call("GET", `/search/events/export?${query}`);

    test("a JSON file contains all events that a search finds, also more than a page", async () => {
      await admin.storage.db.execute(sql`
        insert into events (type, created_by, actor_kind, feature_name, created_at)
        select 'feature-stale-on', 'somebody', 'token', 'exported-' || number,
          timestamptz '2020-01-31 23:59:59Z' + make_interval(days => number % 2)
        from generate_series(1, 450) as number`);
      const { body, headers } = await exported("type=IS:feature-stale-on&createdBy=IS:somebody");
      const found = await search("type=IS:feature-stale-on&createdBy=IS:somebody&limit=1000");
      expect(body).toEqual(found);
      expect(found.total).toBe(450);
      expect(headers.get("content-disposition")).toMatch(
        /^attachment; filename="events-\d{4}-\d\d-\d\d\.json"$/,
      );
      const inJanuary = await exported("from=IS:2020-01-31&to=IS:2020-01-31");
      expect(inJanuary.body).toMatchObject({ total: 225 });
      // By text: some pages of the search contain no match.
      const byText = await exported("query=a/b");
      expect(byText.body).toEqual(await search("query=a/b&limit=1000"));
      const none = await exported("feature=IS:none");
      expect(none.body).toEqual({ events: [], total: 0 });
    });

    test("a CSV file has a line per event, without formulas", async () => {
      const data = JSON.stringify({ a: 'x,"y' });
      await admin.storage.db.execute(sql`
        insert into events (type, created_by, actor_kind, feature_name, data) values
        ('feature-stale-off', '=HYPERLINK("http://evil")', 'token', 'csv-flag', ${data}::jsonb)`);
      const path = "format=csv&feature=IS:csv-flag";
      const { text, headers } = await exported(path);
      // Spreadsheets recognize UTF-8 by it; `text` is without it.
      const { rawPayload } = await admin.app.inject({
        url: `/api/admin/search/events/export?${path}`,
        headers: { authorization: ADMIN_TOKEN },
      });
      expect([...rawPayload.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
      expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
      const [head, line, end] = text.split("\r\n");
      expect(head).toBe(
        '"id","createdAt","type","createdBy","project","featureName","environment","preData","data","tags"',
      );
      expect(line?.replace(/^"\d+","[^"]+",/, "")).toBe(
        `"feature-stale-off","'=HYPERLINK(""http://evil"")","","csv-flag","","","{""a"":""x,\\""y""}","[]"`,
      );
      expect(end).toBe("");
    });

    test("invalid parameters are refused before a file begins", async () => {
      const refused = { status: 400, name: "BadDataError" };
      for (const [query, path] of [
        ["from=IS:2026-02-30", "/query/from"],
        ["format=xml", "/query/format"],
        ["limit=1", "/query/limit"],
      ] as const) {
        await admin.refuse({ ...refused, path }, "GET", `/search/events/export?${query}`);
      }
    });
  });

  test("no request caused an internal error", () => {
    expect(admin.errors).toEqual([]);
  });
});
