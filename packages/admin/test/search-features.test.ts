import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { useAdmin } from "./_admin.ts";
import type { FeaturePage } from "./_responses.ts";
import { describeAnyStorage } from "./_storages.ts";

describeAnyStorage("GET /api/admin/search/features", (source) => {
  const admin = useAdmin(source);

  const find = async (query: string): Promise<string[]> => {
    const { body } = await admin.must<FeaturePage>(200, "GET", `/search/features?${query}`);
    expect(body.total).toBe(body.features.length);
    return body.features.map(({ name }) => name);
  };

  beforeAll(async () => {
    await admin.must(201, "POST", "/projects", { id: "shop", name: "Shop" });
    await admin.must(201, "POST", "/segments", { name: "members", constraints: [] });
    await admin.must(201, "POST", "/projects/default/features", {
      name: "a",
      tags: [
        { type: "simple", value: "one" },
        { type: "simple", value: "two" },
      ],
    });
    await admin.must(201, "POST", "/projects/default/features", {
      name: "b",
      tags: [{ type: "simple", value: "one" }],
    });
    await admin.must(201, "POST", "/projects/shop/features", { name: "c", type: "experiment" });
    await admin.must(202, "POST", "/projects/default/stale", { features: ["b"], stale: true });
    const environment = "/projects/default/features/a/environments/production";
    await admin.must(200, "POST", `${environment}/strategies`, { name: "default", segments: [1] });
    await admin.must(200, "POST", `${environment}/on`);
    await admin.storage.db.execute(sql`
      update feature_environments set last_seen_at = '2026-03-05T12:00:00Z'
      where feature = 'b' and environment = 'production'`);
    await admin.storage.db.execute(sql`
      update features set created_at = '2026-01-31T00:00:00Z' where name = 'c'`);
    await admin.storage.db.execute(sql`insert into lifecycles (feature, live_at, potentially_stale)
      values ('a', now(), false), ('b', null, true), ('c', null, true)`);
    await admin.storage.db.execute(sql`update features set created_by = 'Ada' where name = 'b'`);
  });

  test.each([
    ["project=IS:shop", ["c"]],
    ["project=IS_NOT:shop", ["a", "b"]],
    ["project=IS_NONE_OF:shop,default", []],
    ["type=IS_NOT:release", ["c"]],
    ["createdBy=IS:Ada", ["b"]],
    ["state=IS:stale", ["b"]],
    ["state=IS_NOT:stale", ["a", "c"]],
    ["state=IS:potentially-stale", ["c"]],
    ["state=IS:active", ["a"]],
    ["status[]=production:enabled", ["a"]],
    ["status=production:disabled", ["b", "c"]],
    ["status=production:enabled&status=production:disabled", ["a", "b", "c"]],
    ["status=none:enabled", []],
    ["tag=INCLUDE:simple:one", ["a", "b"]],
    ["tag=INCLUDE_ALL_OF:simple:one,simple:two", ["a"]],
    ["tag=INCLUDE_ANY_OF:simple:two,simple:none", ["a"]],
    ["tag=DO_NOT_INCLUDE:simple:one", ["c"]],
    ["tag=EXCLUDE_IF_ANY_OF:simple:two,simple:none", ["b", "c"]],
    ["tag=EXCLUDE_ALL:simple:one,simple:two", ["b", "c"]],
    ["segment=INCLUDE:members", ["a"]],
    ["segment=DO_NOT_INCLUDE:members", ["b", "c"]],
    ["createdAt=IS_BEFORE:2026-02-01", ["c"]],
    ["createdAt=IS_ON_OR_AFTER:2026-02-01", ["a", "b"]],
    ["lastSeenAt=IS_BEFORE:2026-03-06", ["b"]],
    ["lastSeenAt=IS_ON_OR_AFTER:2026-03-06", []],
    ["lifecycle=IS:archived", []],
    ["lifecycle=IS:live", ["a"]],
    ["lifecycle=IS_ANY_OF:initial,archived", ["b", "c"]],
    ["lifecycle=IS_NOT:initial", ["a"]],
    ["lifecycle=IS_NOT:archived&favoritesFirst=true", ["a", "b", "c"]],
    ["state=IS_NOT:stale&tag=INCLUDE:simple:one", ["a"]],
  ])("%s finds %j", async (query, names) => {
    expect((await find(query)).toSorted()).toEqual(names);
  });

  test.each([
    ["sortBy=lastSeenAt", "b"],
    ["sortBy=environment:production&sortOrder=desc", "a"],
    ["sortBy=createdAt", "c"],
  ])("%s lists %s first", async (query, first) => {
    expect((await find(query))[0]).toBe(first);
  });

  test.each([
    ["project=shop", "project"],
    ["state=IS:gone", "state"],
    ["status=production", "status"],
    ["tag=simple:one", "tag"],
    ["tag=INCLUDE:simple", "tag"],
    ["segment=IS:members", "segment"],
    ["createdAt=IS_BEFORE:2026-02-30", "createdAt"],
    ["lastSeenAt=2026-02-01", "lastSeenAt"],
    ["lifecycle=IS:alive", "lifecycle"],
    ["archived=IS_NOT:true", "archived"],
    ["sortBy=secret", "sortBy"],
    ["favoritesFirst=yes", "favoritesFirst"],
  ])("%s is a 400 that names %s", async (query, parameter) => {
    const expected = { status: 400, name: "BadDataError", path: `/query/${parameter}` };
    await admin.refuse(expected, "GET", `/search/features?${query}`);
  });
});
