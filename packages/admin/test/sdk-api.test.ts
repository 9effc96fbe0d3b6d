import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { SYSTEM_ACTOR } from "../src/storage/events.ts";
import { strategies as strategyRows } from "../src/storage/schema/strategies.ts";
import {
  archiveFlag,
  createFlag,
  createSegment,
  createToken,
  reviveFlag,
  switchFlag,
  updateSegment,
} from "./_flags.ts";
import {
  BACKEND_TOKEN,
  KNOWS_SEGMENTS,
  PRODUCTION_TOKEN,
  type Service,
  startService,
  useService,
} from "./_service.ts";
import { describeStorages } from "./_storages.ts";

interface Feature {
  readonly name: string;
  readonly enabled: boolean;
  readonly strategies: readonly { readonly segments?: number[]; readonly constraints: unknown[] }[];
}

interface Document {
  readonly version: number;
  readonly features: readonly Feature[];
  readonly segments?: readonly { readonly id: number; readonly name: string }[];
  readonly query: unknown;
  readonly meta: { readonly revisionId: number; readonly etag: string; readonly queryHash: string };
}

const PATH = "/api/client/features";

async function getFeatures(service: Service, query = "", token = BACKEND_TOKEN): Promise<Document> {
  const response = await service.request(PATH + query, { token, headers: KNOWS_SEGMENTS });
  expect(response.status).toBe(200);
  return (await response.json()) as Document;
}

const names = ({ features }: Document): readonly string[] => features.map(({ name }) => name);
const find = (document: Document, name: string): Feature | undefined =>
  document.features.find((feature) => feature.name === name);

describeStorages("GET /api/client/features", (source) => {
  const service = useService(source);

  test("the document contains flags, segments, the query and metadata", async () => {
    const fresh = await source.openFresh();
    const service = await startService(fresh);
    const used = await createSegment(service, "used", ["1", "2"]);
    await createSegment(service, "unused", ["3"]);
    await createFlag(service, "b", {
      strategies: [
        {
          name: "flexibleRollout",
          parameters: { rollout: "50", stickiness: "userId", groupId: "g" },
          segments: [used],
          constraints: [{ contextName: "appName", operator: "IN", values: ["x"] }],
          variants: [{ name: "v", weight: 1000, weightType: "variable", stickiness: "default" }],
        },
        { name: "default" },
      ],
    });
    await createFlag(service, "a", { enabled: false, strategies: [] });
    const document = await getFeatures(service);
    const revision = await fresh.revision();
    expect(document).toEqual({
      version: 2,
      features: [
        {
          name: "a",
          type: "release",
          enabled: false,
          project: "default",
          stale: false,
          description: null,
          impressionData: false,
          strategies: [],
          variants: [],
        },
        {
          name: "b",
          type: "release",
          enabled: true,
          project: "default",
          stale: false,
          description: null,
          impressionData: false,
          strategies: [
            {
              name: "flexibleRollout",
              parameters: { rollout: "50", stickiness: "userId", groupId: "g" },
              constraints: [
                expect.objectContaining({ contextName: "appName", operator: "IN", values: ["x"] }),
              ],
              variants: [expect.objectContaining({ name: "v", weight: 1000 })],
              segments: [used],
            },
            { name: "default", parameters: {}, constraints: [], variants: [] },
          ],
          variants: [],
        },
      ],
      segments: [
        {
          id: used,
          name: "used",
          constraints: [expect.objectContaining({ contextName: "userId", values: ["1", "2"] })],
        },
      ],
      query: { environment: "development", inlineSegmentConstraints: false },
      meta: {
        revisionId: revision,
        etag: expect.stringMatching(new RegExp(`^"[0-9a-f]{8}:${revision}:v1"$`)),
        queryHash: expect.stringMatching(/^[0-9a-f]{8}$/),
      },
    });
  });

  test("an archived flag is omitted; once revived, it is off, with its strategies", async () => {
    await createFlag(service, "comes-and-goes");
    expect(find(await getFeatures(service), "comes-and-goes")?.enabled).toBe(true);
    await archiveFlag(service, "comes-and-goes");
    expect(find(await getFeatures(service), "comes-and-goes")).toBeUndefined();
    await reviveFlag(service, "comes-and-goes");
    expect(find(await getFeatures(service), "comes-and-goes")).toMatchObject({
      enabled: false,
      strategies: [{ name: "default" }],
    });
  });

  test("disabled strategies are omitted; a flag without other strategies is off", async () => {
    await createFlag(service, "half", {
      strategies: [{ disabled: true }, { parameters: { rest: "1" } }],
    });
    expect(find(await getFeatures(service), "half")).toMatchObject({
      enabled: true,
      strategies: [{ parameters: { rest: "1" } }],
    });
    const base = "/projects/default/features/half/environments/development/strategies";
    const strategies = (await service.admin("GET", base)) as { id: string; disabled: boolean }[];
    const enabled = strategies.find(({ disabled }) => !disabled);
    await service.storage.write(SYSTEM_ACTOR, async ({ db, record }) => {
      await db
        .update(strategyRows)
        .set({ disabled: true })
        .where(eq(strategyRows.id, enabled?.id ?? ""));
      await record({ type: "feature-strategy-update", feature: "half", before: 1, after: 2 });
    });
    expect(find(await getFeatures(service), "half")).toMatchObject({
      enabled: false,
      strategies: [],
    });
  });

  test("a dependency is part of the flag, once", async () => {
    await createFlag(service, "parent", {
      strategies: [
        {
          variants: [{ name: "red", weight: 1000, weightType: "variable", stickiness: "default" }],
        },
      ],
    });
    for (const [name, body] of [
      ["child-1", { feature: "parent" }],
      ["child-2", { feature: "parent", variants: ["red"] }],
      ["child-3", { feature: "parent", enabled: false }],
    ] as const) {
      await createFlag(service, name, { strategies: [{}, { parameters: { second: "1" } }] });
      await service.admin("POST", `/projects/default/features/${name}/dependencies`, body);
    }
    const document = await getFeatures(service);
    expect(find(document, "child-1")).toMatchObject({
      dependencies: [{ feature: "parent", enabled: true }],
    });
    expect(find(document, "child-2")).toMatchObject({
      dependencies: [{ feature: "parent", enabled: true, variants: ["red"] }],
    });
    expect(find(document, "child-3")).toMatchObject({
      dependencies: [{ feature: "parent", enabled: false }],
    });
    expect(find(document, "parent")).not.toHaveProperty("dependencies");
  });

  describe("the scope of a token", () => {
    test("the token determines the environment, whatever the request says", async () => {
      await createFlag(service, "only-development");
      const document = await getFeatures(service, "?environment=development", PRODUCTION_TOKEN);
      expect(document.query).toMatchObject({ environment: "production" });
      expect(find(document, "only-development")?.enabled).toBe(false);
    });

    test("the token limits the projects, and filters can only narrow them", async () => {
      const fresh = await source.openFresh();
      const service = await startService(fresh);
      for (const id of ["p1", "p2", "p3"]) {
        await service.admin("POST", "/projects", { id, name: id });
        await createFlag(service, `in-${id}`, { project: id });
      }
      const { secret } = await createToken(service, { projects: ["p1", "p2"] });
      const namesFor = async (query: string) => names(await getFeatures(service, query, secret));
      expect(await namesFor("")).toEqual(["in-p1", "in-p2"]);
      expect(await namesFor("?project=p1")).toEqual(["in-p1"]);
      expect(await namesFor("?project=p1&project=p3")).toEqual(["in-p1"]);
      expect(await namesFor("?project=p3")).toEqual([]);
      expect(await namesFor("?project=*")).toEqual(["in-p1", "in-p2"]);
      expect(await namesFor("?project=p3&project=*")).toEqual(["in-p1", "in-p2"]);
      expect((await getFeatures(service, "", secret)).query).toMatchObject({
        project: ["p1", "p2"],
      });

      const one = await createToken(service, { projects: ["p1"] });
      for (const [name, status] of [
        ["in-p1", 200],
        ["in-p3", 404],
      ] as const) {
        const path = `${PATH}/${name}`;
        expect((await service.request(path, { token: one.secret })).status).toBe(status);
      }
    });

    test("archiving a project does not widen the scope of a token", async () => {
      const fresh = await source.openFresh();
      const service = await startService(fresh);
      await service.admin("POST", "/projects", { id: "gone", name: "Gone" });
      await createFlag(service, "elsewhere");
      const { secret } = await createToken(service, { projects: ["gone"] });
      await service.admin("POST", "/projects/archive/gone");
      expect(names(await getFeatures(service, "", secret))).toEqual([]);
    });
  });

  describe("filters", () => {
    test("namePrefix is taken literally: no character is a wildcard", async () => {
      for (const name of ["pre.one", "pre.two", "Pre.three", "other"]) {
        await createFlag(service, name, { strategies: [] });
      }
      expect(names(await getFeatures(service, "?namePrefix=pre."))).toEqual(["pre.one", "pre.two"]);
      expect(names(await getFeatures(service, "?namePrefix=p%25"))).toEqual([]);
      expect(names(await getFeatures(service, "?namePrefix=pr_."))).toEqual([]);
      expect((await getFeatures(service, "?namePrefix=pre.")).query).toMatchObject({
        namePrefix: "pre.",
      });
    });

    test("tag selects the flags with at least one of these tags", async () => {
      await createFlag(service, "t1", { tags: [{ type: "simple", value: "red" }] });
      await createFlag(service, "t2", { tags: [{ type: "simple", value: "a:b" }] });
      await createFlag(service, "t3", { tags: [{ type: "simple", value: "blue" }] });
      expect(names(await getFeatures(service, "?tag=simple:red"))).toEqual(["t1"]);
      expect(names(await getFeatures(service, "?tag=simple:a:b"))).toEqual(["t2"]);
      expect(names(await getFeatures(service, "?tag=simple:red&tag=simple:blue"))).toEqual([
        "t1",
        "t3",
      ]);
      expect(names(await getFeatures(service, "?tag=simple:none"))).toEqual([]);
      expect((await getFeatures(service, "?tag=simple:red")).query).toMatchObject({
        tag: [["simple", "red"]],
      });
    });

    test.each(["?tag=red", "?tag=:red", "?tag=simple:", "?tag=", "?tag=a:b&tag=c"])(
      "the filter %s is a 400",
      async (query) => {
        const response = await service.request(PATH + query, { token: BACKEND_TOKEN });
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({
          name: "BadDataError",
          details: [{ path: "/query/tag" }],
        });
      },
    );

    test("only the segments that the selected flags refer to are sent", async () => {
      const one = await createSegment(service, "of-one", ["1"]);
      const two = await createSegment(service, "of-two", ["1"]);
      await createFlag(service, "seg-one", { strategies: [{ segments: [one] }] });
      await createFlag(service, "seg-two", { strategies: [{ segments: [two, one] }] });
      const ids = async (query: string) =>
        (await getFeatures(service, query)).segments?.map(({ id }) => id);
      expect(await ids("?namePrefix=seg-one")).toEqual([one]);
      expect(await ids("?namePrefix=seg-")).toEqual([one, two]);
      expect(await ids("?namePrefix=nothing")).toEqual([]);
      const document = await getFeatures(service, "?namePrefix=seg-two");
      expect(document.features[0]?.strategies[0]?.segments).toEqual([one, two]);
    });
  });

  describe("Unleash-Client-Spec", () => {
    test.each([
      [undefined, false],
      ["3.0.0", false],
      ["4.1.9", false],
      ["4.2.0-beta.1", false],
      ["4.2.0", true],
      ["5.2.0", true],
      ["10.0.0", true],
    ])("%s: supports segments: %s", async (version, isKnown) => {
      const name = `spec-${version}-end`;
      const id = await createSegment(service, name, ["7"]);
      const constraints = [{ contextName: "appName", operator: "IN", values: ["x"] }];
      await createFlag(service, name, { strategies: [{ segments: [id], constraints }] });
      const headers = version === undefined ? {} : { "unleash-client-spec": version };
      const read = async <T>(path: string): Promise<T> =>
        (await (await service.request(path, { token: BACKEND_TOKEN, headers })).json()) as T;
      const document = await read<Document>(`${PATH}?namePrefix=${name}`);
      expect("segments" in document).toBe(isKnown);
      expect(document.query).toMatchObject({ inlineSegmentConstraints: !isKnown });
      const feature = await read<Feature>(`${PATH}/${name}`);
      expect(document.features).toEqual([feature]);
      expect(feature.strategies[0]?.segments).toEqual(isKnown ? [id] : undefined);
      expect(feature.strategies[0]?.constraints).toHaveLength(isKnown ? 1 : 2);
    });

    test.each(["", "latest", "5", "v5.0.0", "5.0.0.1"])("%j is a 400", async (version) => {
      const headers = { "unleash-client-spec": version };
      const response = await service.request(PATH, { token: BACKEND_TOKEN, headers });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ name: "BadDataError" });
    });
  });

  describe("Accept-Encoding", () => {
    const request = (acceptEncoding: string, ifNoneMatch = "") =>
      service.request(PATH, {
        token: BACKEND_TOKEN,
        headers: {
          ...KNOWS_SEGMENTS,
          "accept-encoding": acceptEncoding,
          "if-none-match": ifNoneMatch,
        },
      });

    test.each([
      ["gzip", "gzip"],
      ["gzip, deflate, br", "br"],
      ["deflate", null],
      ["identity", null],
    ])("%s: the coding of the response is %s, with the same content", async (accepted, coding) => {
      await service.admin("POST", "/projects/default/features", {
        name: `long-${accepted.replaceAll(/\W/g, "")}`,
        description: "x".repeat(2000),
      });
      const plain = await request("identity");
      const response = await request(accepted);
      expect(response.headers.get("content-encoding")).toBe(coding);
      expect(response.headers.get("vary")).toContain("Accept-Encoding");
      const tag = plain.headers.get("etag");
      const tagHere = coding === null ? tag : `W/${tag}`;
      expect(response.headers.get("etag")).toBe(tagHere);
      expect(await response.json()).toEqual(await plain.json());

      const again = await request(accepted, tag ?? "");
      expect([again.status, again.headers.get("etag")]).toEqual([304, tagHere]);
      expect(again.headers.get("content-encoding")).toBeNull();
    });
  });

  describe("ETag", () => {
    const tagOf = async (service: Service, query = "", token = BACKEND_TOKEN): Promise<string> => {
      const headers = { ...KNOWS_SEGMENTS, "accept-encoding": "identity" };
      const response = await service.request(PATH + query, { token, headers });
      await response.text();
      return response.headers.get("etag") ?? "";
    };

    test("the response is a 304 without a body if the client has the current version", async () => {
      const tag = await tagOf(service);
      expect(tag).toMatch(/^"[0-9a-f]{8}:\d+:v1"$/);
      for (const header of [tag, `W/${tag}`, tag.slice(1, -1), `"a", W/${tag}`, "*"]) {
        const response = await service.request(PATH, {
          token: BACKEND_TOKEN,
          headers: { ...KNOWS_SEGMENTS, "accept-encoding": "identity", "if-none-match": header },
        });
        expect(response.status).toBe(304);
        expect(await response.text()).toBe("");
        expect(response.headers.get("etag")).toBe(tag);
      }
      const response = await service.request(PATH, {
        token: BACKEND_TOKEN,
        headers: { ...KNOWS_SEGMENTS, "if-none-match": '"other:1:v1"' },
      });
      expect(response.status).toBe(200);
    });

    test("different queries have different ETags", async () => {
      const { secret } = await createToken(service, { projects: ["default"] });
      const inlined = await service.request(PATH, { token: BACKEND_TOKEN });
      const tags = [
        await tagOf(service),
        await tagOf(service, "?namePrefix=x"),
        await tagOf(service, "?project=default"),
        await tagOf(service, "", PRODUCTION_TOKEN),
        inlined.headers.get("etag"),
      ];
      expect(new Set(tags).size).toBe(tags.length);
      expect(await tagOf(service, "", secret)).toBe(await tagOf(service, "?project=default"));
    });

    test("every change that SDKs can read changes the ETag of the next response", async () => {
      const tags = [await tagOf(service)];
      const after = async (change: Promise<unknown>): Promise<void> => {
        await change;
        tags.push(await tagOf(service));
      };
      await after(createFlag(service, "watched", { enabled: false }));
      await after(switchFlag(service, "watched", { on: true }));
      await after(switchFlag(service, "watched", { on: false }));
      const id = await createSegment(service, "watched-segment", ["1"]);
      await after(
        service.admin(
          "POST",
          "/projects/default/features/watched/environments/development/strategies",
          { name: "default", segments: [id] },
        ),
      );
      await after(updateSegment(service, { id, name: "watched-segment", values: ["2"] }));
      await after(
        service.admin("PUT", "/projects/default/features/watched", { description: "new" }),
      );
      await after(archiveFlag(service, "watched"));
      await after(reviveFlag(service, "watched"));
      expect(new Set(tags).size).toBe(tags.length);
    });

    test("changes that SDKs cannot read, or in another environment, do not change the ETag", async () => {
      await createFlag(service, "elsewhere", { environment: "production", enabled: false });
      const before = await tagOf(service);
      await service.admin("PUT", "/context/userId", { description: "a user" });
      await createToken(service);
      await service.admin("POST", "/projects", { id: "empty", name: "Empty" });
      await switchFlag(service, "elsewhere", { environment: "production", on: true });
      expect(await tagOf(service)).toBe(before);
    });
  });

  test("GET /api/client/features/{name}: one flag, or a 404", async () => {
    await createFlag(service, "single");
    const response = await service.request(`${PATH}/single`, {
      token: BACKEND_TOKEN,
      headers: KNOWS_SEGMENTS,
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(find(await getFeatures(service), "single"));
    for (const name of ["unknown", "constructor", "__proto__", "%00", "single%2F"]) {
      const unknown = await service.request(`${PATH}/${name}`, { token: BACKEND_TOKEN });
      expect(unknown.status).toBe(404);
      expect(await unknown.json()).toMatchObject({ name: "NotFoundError" });
    }
    await archiveFlag(service, "single");
    expect((await service.request(`${PATH}/single`, { token: BACKEND_TOKEN })).status).toBe(404);
  });

  test("many concurrent requests after a change all receive it", async () => {
    await createFlag(service, "flips");
    for (let round = 0; round < 5; round++) {
      const on = round % 2 === 1;
      await switchFlag(service, "flips", { on });
      const documents = await Promise.all(Array.from({ length: 20 }, () => getFeatures(service)));
      expect(documents.map((document) => find(document, "flips")?.enabled)).toEqual(
        Array.from({ length: 20 }, () => on),
      );
    }
  });

  test("POST /edge/validate returns the valid tokens and their scopes", async () => {
    const { secret, id } = await createToken(service, { projects: ["default"] });
    const frontend = await createToken(service, { type: "frontend", environment: "production" });
    const admin = await createToken(service, { type: "admin" });
    const validate = async (tokens: unknown) => {
      const response = await service.request("/edge/validate", {
        method: "POST",
        body: { tokens },
      });
      return [response.status, await response.json()] as const;
    };
    expect(
      await validate([secret, "nonsense", admin.secret, frontend.secret, secret, "", "*:*.x"]),
    ).toEqual([
      200,
      {
        tokens: [
          { token: secret, type: "client", projects: ["default"], environment: "development" },
          {
            token: frontend.secret,
            type: "frontend",
            projects: ["*"],
            environment: "production",
          },
        ],
      },
    ]);
    await service.admin("DELETE", `/api-tokens/${id}`);
    expect(await validate([secret])).toEqual([200, { tokens: [] }]);
    expect(await validate(["x".repeat(250 * 1024)])).toEqual([413, expect.anything()]);
    expect(await validate([])).toEqual([200, { tokens: [] }]);
    for (const wrong of [undefined, "x", [1], [null], Array.from({ length: 1001 }, () => "t")]) {
      expect((await validate(wrong))[0]).toBe(400);
    }
  });
});
