import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { useAdmin } from "./_admin.ts";
import { describeAnyStorage } from "./_storages.ts";

const FLAG = "/projects/default/features/flag";
const ENVIRONMENT = `${FLAG}/environments/development`;
const STRATEGIES = `${ENVIRONMENT}/strategies`;
const CONFLICT = { status: 412, name: "PreconditionFailedError", path: "/headers/if-match" };

/** Computes the ETag of a resource as the documentation describes it. */
function entityTagOf(resource: unknown): string {
  return `"${createHash("sha256").update(JSON.stringify(resource)).digest("base64url")}"`;
}

describeAnyStorage("changes with If-Match", (source) => {
  const admin = useAdmin(source);
  let strategy = "";
  let segment = "";

  const tagOf = async (path: string): Promise<string> => {
    const { headers } = await admin.must(200, "GET", path);
    return headers.get("etag") ?? "";
  };
  const send = (method: string, path: string, body: unknown, ifMatch: string) =>
    admin.call(method, path, body, { headers: { "if-match": ifMatch } });

  beforeAll(async () => {
    await admin.must(201, "POST", "/projects/default/features", { name: "flag" });
    const added = await admin.must<{ id: string }>(200, "POST", STRATEGIES, { name: "default" });
    strategy = `${STRATEGIES}/${added.body.id}`;
    const created = await admin.must<{ id: number }>(201, "POST", "/segments", {
      name: "segment",
      constraints: [],
    });
    segment = `/segments/${created.body.id}`;
    await admin.must(201, "POST", "/context", { name: "region" });
  });

  const rollout = (percent: number) => ({
    name: "flexibleRollout",
    parameters: { rollout: String(percent), 10: "b", a: "c" },
  });
  const resources = [
    ["a strategy", () => strategy, rollout],
    ["a segment", () => segment, (n: number) => ({ name: `segment-${n}`, constraints: [] })],
    ["a context field", () => "/context/region", (n: number) => ({ description: String(n) })],
    ["a flag", () => FLAG, (n: number) => ({ description: String(n) })],
    ["a project", () => "/projects/default", (n: number) => ({ description: String(n) })],
    [
      "variants of an environment",
      () => `${ENVIRONMENT}/variants`,
      (n: number) => [{ name: `v${n}`, weight: 1 }],
    ],
  ] as const;

  describe.each(resources)("%s", (_name, pathOf, bodyOf) => {
    test("a resource is changed if If-Match contains its current ETag or is missing", async () => {
      const path = pathOf();
      const tag = await tagOf(path);
      expect(tag).toMatch(/^"[\w-]{43}"$/);
      expect((await send("PUT", path, bodyOf(1), tag)).status).toBeLessThan(300);
      const changed = await tagOf(path);
      expect(changed).not.toBe(tag);
      expect((await admin.call("PUT", path, bodyOf(2))).status).toBeLessThan(300);
      expect(await tagOf(path)).not.toBe(changed);
    });

    test("a resource is not overwritten if somebody else has changed it, and the error names them", async () => {
      const path = pathOf();
      const tag = await tagOf(path);
      await admin.call("PUT", path, bodyOf(3));
      const { body } = await admin.refuse(CONFLICT, "PUT", path, bodyOf(4), {
        headers: { "if-match": tag },
      });
      expect(body.message).toMatch(
        /^The [a-z ]+ has changed since it was read, last by "init-admin" at \d{4}-\d\d-\d\dT[\d:.]+Z: read it again and repeat your change$/,
      );
    });

    test("exactly one of several concurrent requests with the same ETag changes a resource", async () => {
      const path = pathOf();
      const tag = await tagOf(path);
      const numbers = [10, 11, 12, 13];
      const responses = await Promise.all(numbers.map((n) => send("PUT", path, bodyOf(n), tag)));
      const statuses = responses.map(({ status }) => status).toSorted((a, b) => a - b);
      expect(statuses.slice(1)).toEqual([412, 412, 412]);
      expect(statuses[0]).toBeLessThan(300);
    });

    test("the ETag of a resource changes only with the resource", async () => {
      const path = pathOf();
      const tag = await tagOf(path);
      await admin.must(201, "POST", "/projects", { name: "Unrelated" });
      expect(await tagOf(path)).toBe(tag);
    });
  });

  test("lists of tags, weak tags and * are accepted, other tags are not", async () => {
    const tag = await tagOf(strategy);
    for (const accepted of ["*", `"other", ${tag}`, `W/${tag}`, ` ${tag} `]) {
      const response = await send("PATCH", strategy, [], accepted);
      expect([accepted, response.status]).toEqual([accepted, 200]);
    }
    for (const refused of ['"other"', '"a", "b"', '"*"', tag.toUpperCase()]) {
      await admin.refuse(CONFLICT, "PATCH", strategy, [], { headers: { "if-match": refused } });
    }
    const invalid = { status: 400, name: "BadDataError", path: "/headers/if-match" };
    await admin.refuse(invalid, "PATCH", strategy, [], { headers: { "if-match": "" } });
  });

  test("PATCH and DELETE also honour If-Match", async () => {
    const headers = { "if-match": '"old"' };
    for (const path of [strategy, FLAG, `${ENVIRONMENT}/variants`]) {
      await admin.refuse(CONFLICT, "PATCH", path, [], { headers });
    }
    for (const path of [strategy, segment, "/context/region"]) {
      await admin.refuse(CONFLICT, "DELETE", path, undefined, { headers });
    }
  });

  test("responses with the changed resource contain its new ETag", async () => {
    const variants = `${ENVIRONMENT}/variants`;
    const id = Number(segment.split("/").at(-1));
    const other = await admin.must<{ id: number }>(201, "POST", "/segments", {
      name: "other-segment",
      constraints: [],
    });
    for (const [path, body] of [
      [strategy, { ...rollout(50), segments: [other.body.id, id, id] }],
      [FLAG, { description: "new" }],
      [variants, [{ name: "v", weight: 1 }]],
    ] as const) {
      for (const [method, sent] of [
        ["PUT", body],
        ["PATCH", []],
      ] as const) {
        const { headers } = await admin.must(200, method, path, sent);
        expect([method, path, headers.get("etag")]).toEqual([method, path, await tagOf(path)]);
      }
    }
  });

  test("a resource that does not exist is a 404", async () => {
    const headers = { "if-match": "*" };
    const unknown = { status: 404, name: "NotFoundError" };
    await admin.refuse(unknown, "PUT", `${STRATEGIES}/none`, {}, { headers });
    await admin.refuse(unknown, "PUT", "/segments/99", { name: "s", constraints: [] }, { headers });
    await admin.refuse(unknown, "PUT", "/context/none", {}, { headers });
    await admin.refuse(unknown, "PUT", `${FLAG}-none`, {}, { headers });
  });

  test("the ETag is the hash of the JSON, so the ETag of a strategy can be computed from its flag", async () => {
    for (const path of [strategy, segment, "/context/region", `${ENVIRONMENT}/variants`]) {
      const { body, headers } = await admin.must(200, "GET", path);
      expect(headers.get("etag")).toBe(entityTagOf(body));
    }
    const { body } = await admin.must<{ environments: { strategies: unknown[] }[] }>(
      200,
      "GET",
      FLAG,
    );
    expect(entityTagOf(body.environments[0]?.strategies[0])).toBe(await tagOf(strategy));
  });

  test("the ETag of a flag changes only with its settings", async () => {
    const tag = await tagOf(FLAG);
    await admin.must(200, "POST", `${ENVIRONMENT}/on`);
    await admin.must(200, "PUT", strategy, rollout(99));
    await admin.must(201, "POST", "/features/flag/tags", { type: "simple", value: "tagged" });
    expect(await tagOf(FLAG)).toBe(tag);
    await admin.must(202, "POST", "/projects/default/stale", { features: ["flag"], stale: true });
    expect(await tagOf(FLAG)).not.toBe(tag);
  });

  test("the ETag of a project changes only with its settings", async () => {
    const tag = await tagOf("/projects/default");
    await admin.must(200, "DELETE", "/projects/default/environments/production");
    await admin.must(201, "POST", "/projects/default/features", { name: "another" });
    expect(await tagOf("/projects/default")).toBe(tag);
    await admin.must(200, "PUT", "/projects/default", { defaultStickiness: "random" });
    expect(await tagOf("/projects/default")).not.toBe(tag);
  });

  test("a change to the order or the segments of strategies is also a conflict", async () => {
    const before = await tagOf(strategy);
    const id = strategy.split("/").at(-1);
    await admin.must(200, "POST", `${STRATEGIES}/set-sort-order`, [{ id, sortOrder: 7 }]);
    const moved = await tagOf(strategy);
    expect(moved).not.toBe(before);
    await admin.must(201, "POST", "/segments/strategies", {
      projectId: "default",
      environmentId: "development",
      strategyId: id,
      segmentIds: [Number(segment.split("/").at(-1))],
    });
    expect(await tagOf(strategy)).not.toBe(moved);
  });

  test("the error names nobody if no event records a change", async () => {
    const { body } = await admin.refuse(
      CONFLICT,
      "PUT",
      "/context/userId",
      {},
      {
        headers: { "if-match": '"old"' },
      },
    );
    expect(body.message).toBe(
      "The context field has changed since it was read: read it again and repeat your change",
    );
  });
});
