import { expect, test } from "vitest";
import { flag } from "./_documents.ts";
import { SERVER_TOKEN, startProxy, type TestProxy } from "./_proxy.ts";

const CONSTRAINT = { contextName: "plan", operator: "IN", values: ["gold"] };
const OWN = { contextName: "userId", operator: "IN", values: ["1"] };
const DOCUMENT = {
  version: 2,
  features: [
    flag("shop.a", {
      project: "shop",
      strategies: [{ name: "default", parameters: {}, constraints: [OWN], segments: [1] }],
    }),
    flag("shop.b", { strategies: [{ name: "default", segments: [9] }] }),
    flag("other", { project: "other", enabled: false }),
  ],
  segments: [{ id: 1, name: "gold", constraints: [CONSTRAINT] }],
};

interface Definitions {
  readonly version: number;
  readonly features: readonly { readonly name: string; readonly strategies: readonly object[] }[];
  readonly segments?: readonly object[];
}

function getFeatures({ request }: TestProxy, query = "", headers: Record<string, string> = {}) {
  return request(`/proxy/client/features${query}`, {
    headers: { authorization: SERVER_TOKEN, ...headers },
  });
}

const MODERN = { "unleash-client-spec": "5.2.0" };

test("GET /proxy/client/features: all definitions with segments, to a server token", async () => {
  const response = await getFeatures(await startProxy({ document: DOCUMENT }), "", MODERN);
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(await response.json()).toEqual(DOCUMENT);
});

test.each([
  [{}],
  [{ "unleash-client-spec": "4.1.9" }],
  [{ "unleash-client-spec": "4.2.0-beta.1" }],
])(
  "GET /proxy/client/features: segments are inlined for an SDK that does not support them (%j)",
  async (headers) => {
    const response = await getFeatures(await startProxy({ document: DOCUMENT }), "", headers);
    const { features, segments } = (await response.json()) as Definitions;
    expect(segments).toBeUndefined();
    expect(features[0]?.strategies).toEqual([
      { name: "default", parameters: {}, constraints: [OWN, CONSTRAINT] },
    ]);
    // A segment that does not exist contains nobody.
    expect(features[1]?.strategies).toEqual([
      { name: "default", constraints: [{ contextName: "userId", operator: "IN", values: [] }] },
    ]);
  },
);

test("GET /proxy/client/features: Vary names the headers that the response depends on", async () => {
  const response = await getFeatures(await startProxy({ document: DOCUMENT }));
  expect(response.headers.get("vary")).toBe("authorization, accept-encoding, unleash-client-spec");
});

test("GET /proxy/client/features: 400 for a client specification that is not a version", async () => {
  const proxy = await startProxy({ document: DOCUMENT });
  expect((await getFeatures(proxy, "", { "unleash-client-spec": "latest" })).status).toBe(400);
});

test("GET /proxy/client/features: 400 if inlined segments would add more than 32 MiB", async () => {
  const values = Array.from({ length: 10 }, (_, index) => `${index}`.repeat(100_000));
  const segments = [{ id: 1, constraints: [{ contextName: "userId", operator: "IN", values }] }];
  const strategies = Array.from({ length: 40 }, () => ({ name: "default", segments: [1] }));
  const document = { version: 2, features: [{ name: "a", enabled: true, strategies }], segments };
  const proxy = await startProxy({ document });
  for (const path of ["", "/a"]) {
    const response = await getFeatures(proxy, path);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("`Unleash-Client-Spec` must be 4.2.0 or later");
    expect((await getFeatures(proxy, path, MODERN)).status).toBe(200);
  }
});

test("GET /proxy/client/features: ETag, and 304 until a definition changes", async () => {
  const proxy = await startProxy({ document: DOCUMENT });
  const etag = (await getFeatures(proxy, "", MODERN)).headers.get("etag") ?? "";
  expect(etag).toMatch(/^W\/"/);
  const conditional = { ...MODERN, "if-none-match": etag };
  expect((await getFeatures(proxy, "", conditional)).status).toBe(304);
  expect((await getFeatures(proxy, "", { "if-none-match": etag })).status).toBe(200);
  proxy.source.replace({ ...DOCUMENT, features: [flag("new")] });
  expect((await getFeatures(proxy, "", conditional)).status).toBe(200);
});

test.each([
  ["?namePrefix=shop.", ["shop.a", "shop.b"]],
  ["?project=shop", ["shop.a"]],
  ["?project=shop&project=other", ["shop.a", "other"]],
  ["?project=*", ["shop.a", "shop.b", "other"]],
  ["?project=default&namePrefix=other", []],
])("GET /proxy/client/features%s: filtered", async (query, names) => {
  const response = await getFeatures(await startProxy({ document: DOCUMENT }), query, MODERN);
  const { features, segments } = (await response.json()) as Definitions;
  expect(features.map(({ name }) => name)).toEqual(names);
  expect(segments).toEqual(DOCUMENT.segments);
});

test("GET /proxy/client/features: a flag that the upstream sends twice is sent once", async () => {
  const features = [flag("twice"), flag("other"), flag("twice", { project: "later" })];
  const proxy = await startProxy({ document: { features } });
  const namesFor = async (query: string) => {
    const { features: found } = (await (
      await getFeatures(proxy, query, MODERN)
    ).json()) as Definitions;
    return found.map(({ name }) => name);
  };
  expect(await namesFor("")).toEqual(["twice", "other"]);
  expect(await namesFor("?project=default")).toEqual(["other"]);
});
