import { expect, test } from "vitest";
import { HALF_OF_SESSIONS, SAMPLE, flag, withConstraint } from "./_documents.ts";
import {
  KEY,
  SERVER_TOKEN,
  startProxy,
  startProxyOver,
  type RunningApp,
  shareProxies,
} from "./_proxy.ts";
import { DocumentSource } from "./_source.ts";

const startShared = shareProxies();

const ALL = "/ofrep/v1/evaluate/flags";
const single = (key: string) => `${ALL}/${key}`;

interface Evaluation {
  readonly key: string;
  readonly value?: unknown;
  readonly reason?: string;
  readonly variant?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly errorCode?: string;
  readonly errorDetails?: string;
}

async function flagsOf(response: Response): Promise<readonly Evaluation[]> {
  expect(response.status).toBe(200);
  return ((await response.json()) as { readonly flags: readonly Evaluation[] }).flags;
}

async function keysOf(response: Response): Promise<readonly string[]> {
  return (await flagsOf(response)).map(({ key }) => key);
}

async function evaluationOf(response: Response): Promise<Evaluation> {
  return (await response.json()) as Evaluation;
}

/** Sends exactly these headers. */
const send = ({ url }: RunningApp, headers: Record<string, string>, path = ALL) =>
  fetch(url + path, {
    method: "POST",
    body: '{"context":{}}',
    headers: { "content-type": "application/json", ...headers },
  });

const weighted = (...names: readonly string[]) =>
  names.map((name) => ({ name, weight: 1000 / names.length, stickiness: "userId" }));

/** One flag for each reason. */
const REASONS = {
  features: [
    flag("disabled", { enabled: false }),
    flag("nobody", { strategies: [withConstraint("userId", ["none"])] }),
    flag("everybody"),
    flag("no-strategies", { strategies: [] }),
    flag("full-rollout", {
      strategies: [
        { name: "flexibleRollout", parameters: { rollout: "100", stickiness: "default" } },
      ],
    }),
    flag("unknown-strategy", { strategies: [{ name: "unknown" }] }),
    flag("user", { strategies: [withConstraint("userId", ["7"])] }),
    flag("user-with-id", {
      strategies: [{ name: "userWithId", parameters: { userIds: "7" } }],
    }),
    flag("user-or-everybody", {
      strategies: [withConstraint("plan", ["gold"]), { name: "default", parameters: {} }],
      variants: [],
    }),
    flag("child-of-user", { dependencies: [{ feature: "user" }] }),
    flag("child-of-nobody", { dependencies: [{ feature: "nobody" }] }),
    flag("rollout", {
      strategies: [
        {
          name: "flexibleRollout",
          parameters: { rollout: "99", stickiness: "userId", groupId: "g" },
        },
      ],
    }),
    flag("half", { strategies: [HALF_OF_SESSIONS] }),
    flag("one-variant", { variants: weighted("only") }),
    flag("two-variants", { variants: weighted("a", "b") }),
  ],
};

test.each([
  ["disabled", false, "DISABLED", "disabled"],
  ["nobody", false, "TARGETING_MATCH", "disabled"],
  ["child-of-nobody", false, "TARGETING_MATCH", "disabled"],
  ["unknown-strategy", false, "STATIC", "disabled"],
  ["everybody", true, "STATIC", "enabled"],
  ["no-strategies", true, "STATIC", "enabled"],
  ["full-rollout", true, "STATIC", "enabled"],
  ["user", true, "TARGETING_MATCH", "enabled"],
  ["user-with-id", true, "TARGETING_MATCH", "enabled"],
  ["child-of-user", true, "TARGETING_MATCH", "enabled"],
  ["rollout", true, "SPLIT", "enabled"],
  ["one-variant", true, "STATIC", "only"],
  ["two-variants", true, "SPLIT", expect.stringMatching(/^[ab]$/)],
] as const)("the flag %s is %s for user 7, because %s", async (key, value, reason, variant) => {
  const { post } = await startShared({ document: REASONS, config: { enableAllEndpoint: true } });
  const body = { context: { targetingKey: "7" } };
  const response = await post(single(key), body);
  expect(response.status).toBe(200);
  const evaluation = await evaluationOf(response);
  expect(evaluation).toMatchObject({ key, value, reason, variant });
  expect(await flagsOf(await post(ALL, body))).toContainEqual(evaluation);
});

test("every reason is one of OFREP 0.3.0", async () => {
  const { post } = await startShared({ document: REASONS, config: { enableAllEndpoint: true } });
  const allowed = ["STATIC", "TARGETING_MATCH", "SPLIT", "DISABLED", "UNKNOWN"];
  for (const context of [{}, { targetingKey: "7" }, { targetingKey: "8", plan: "gold" }]) {
    // oxlint-disable-next-line no-await-in-loop -- one context at a time
    for (const { reason } of await flagsOf(await post(ALL, { context }))) {
      expect(allowed).toContain(reason);
    }
  }
});

test("only a flag that is the same for every context is STATIC", async () => {
  const { post } = await startShared({ document: REASONS, config: { enableAllEndpoint: true } });
  const contexts = [{}, { targetingKey: "7" }, { targetingKey: "8", plan: "gold" }];
  const responses = await Promise.all(
    contexts.map(async (context) => flagsOf(await post(ALL, { context }))),
  );
  const statics = responses.map((flags) => flags.filter(({ reason }) => reason === "STATIC"));
  expect(statics[0]?.map(({ key }) => key)).toContain("everybody");
  for (const flags of statics) expect(flags).toEqual(statics[0]);
});

test("POST /ofrep/v1/evaluate/flags: the flags that are on, with every field that providers need", async () => {
  const { post } = await startShared();
  const response = await post(ALL, { context: { targetingKey: "7", plan: "gold" } });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(response.headers.get("cache-control")).toBe("no-cache");
  expect(response.headers.get("vary")).toBe("authorization, x-api-key, accept-encoding");
  const plain = { enabled: true, variantEnabled: false };
  const on = { value: true, reason: "STATIC", variant: "enabled", metadata: plain };
  expect(await response.json()).toEqual({
    flags: [
      { key: "on", ...on },
      { key: "impressions", ...on },
      { key: "for-user-7", ...on, reason: "TARGETING_MATCH" },
      { key: "for-plan-gold", ...on, reason: "TARGETING_MATCH" },
      {
        key: "with-variant",
        ...on,
        variant: "blue",
        metadata: {
          enabled: true,
          variantEnabled: true,
          payloadType: "json",
          payload: '{"a":"é\\n"}',
        },
      },
      {
        key: "variant-named-disabled",
        ...on,
        variant: "disabled",
        metadata: { enabled: true, variantEnabled: true },
      },
    ],
  });
});

test("enableAllEndpoint: lists flags that are off as well", async () => {
  const { post } = await startShared({ config: { enableAllEndpoint: true } });
  const flags = await flagsOf(await post(ALL, {}));
  expect(flags.map(({ key }) => key)).toEqual(SAMPLE.features.map(({ name }) => name));
  expect(flags[1]).toEqual({
    key: "off",
    value: false,
    reason: "DISABLED",
    variant: "disabled",
    metadata: { enabled: false, variantEnabled: false },
  });
});

test.each([
  [{ targetingKey: "7" }, true],
  [{ userId: "7" }, true],
  [{ targetingKey: "7", userId: "8" }, true],
  [{ userId: "8", targetingKey: 7 }, true],
  [{ targetingKey: "", userId: "7" }, true],
  [{ targetingKey: "8", userId: "7" }, false],
  [{ targetingKey: null }, false],
  [{}, false],
])("the context %j contains the user", async (context, value) => {
  const { post } = await startShared();
  expect(await evaluationOf(await post(single("for-user-7"), { context }))).toMatchObject({
    value,
  });
});

test.each([
  [{ plan: "gold" }, true],
  [{ properties: { plan: "gold" } }, true],
  [{ plan: "free", properties: { plan: "gold" } }, true],
  [{ plan: { name: "gold" } }, false],
  [{ plan: ["gold"] }, false],
  [{ plan: null, other: [{ deep: [{}] }], properties: "none" }, false],
])(
  "the context %j contains a property, and objects and lists are ignored",
  async (given, value) => {
    const { post } = await startShared();
    const response = await post(single("for-plan-gold"), { context: given });
    expect(response.status).toBe(200);
    expect(await evaluationOf(response)).toMatchObject({ value });
  },
);

test("enrichers apply to OFREP contexts", async () => {
  const { post } = await startProxy({
    config: { contextEnrichers: [(context) => ({ ...context, userId: "7" })] },
  });
  expect(await keysOf(await post(ALL, {}))).toContain("for-user-7");
  expect(await evaluationOf(await post(single("for-user-7"), {}))).toMatchObject({ value: true });
});

const payload = (type: string, value: string) =>
  flag(`${type} ${value}`, {
    variants: [{ name: "v", weight: 1000, stickiness: "default", payload: { type, value } }],
  });

test.each([
  ["string", "text", "text"],
  ["csv", "a,b", "a,b"],
  ["number", "3", 3],
  ["number", "-0.5e1", -5],
  ["json", '{"a":[1,{"b":null}]}', { a: [1, { b: null }] }],
  ["json", "[1,2]", "[1,2]"],
  ["json", '"text"', '"text"'],
  ["json", "null", "null"],
  ["colour", "#fff", "#fff"],
])(
  "ofrepValues payload: the payload of type %s, %s, becomes the value",
  async (type, text, value) => {
    const features = [payload(type, text)];
    const { post } = await startShared({
      document: { features },
      config: { ofrepValues: "payload" },
    });
    const expected = {
      key: `${type} ${text}`,
      value,
      reason: "STATIC",
      variant: "v",
      metadata: { enabled: true, variantEnabled: true, payloadType: type },
    };
    expect(await flagsOf(await post(ALL, {}))).toEqual([expected]);
    const path = single(encodeURIComponent(`${type} ${text}`));
    expect(await evaluationOf(await post(path, {}))).toEqual(expected);
  },
);

test.each([
  ["number", ""],
  ["number", " "],
  ["number", "1,5"],
  ["number", "Infinity"],
  ["json", "{a:1}"],
])("ofrepValues payload: a payload of type %s that is %j is an error", async (type, text) => {
  const features = [payload(type, text), flag("other")];
  const { post } = await startShared({
    document: { features },
    config: { ofrepValues: "payload" },
  });
  const key = `${type} ${text}`;
  const failure = {
    key,
    errorCode: "PARSE_ERROR",
    errorDetails: expect.stringContaining("payload") as string,
  };
  const flags = await flagsOf(await post(ALL, {}));
  expect(flags[0]).toEqual(failure);
  expect(flags[1]).toMatchObject({ key: "other", value: true });
  const response = await post(single(encodeURIComponent(key)), {});
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual(failure);
});

test("ofrepValues payload: flags without a payload are booleans", async () => {
  const { post } = await startShared({ config: { ofrepValues: "payload" } });
  for (const [key, value] of [
    ["on", true],
    ["off", false],
    ["variant-named-disabled", true],
  ] as const) {
    expect(await evaluationOf(await post(single(key), {}))).toMatchObject({ key, value });
  }
});

test.each([ALL, single("for-user-7")])(
  "POST %s: the ETag covers flags and context",
  async (path) => {
    const { post, source } = await startProxy({ config: { enableAllEndpoint: true } });
    const seven = { context: { targetingKey: "7" } };
    const first = await post(path, seven);
    const headers = { "if-none-match": first.headers.get("etag") ?? "" };
    expect(headers["if-none-match"]).toMatch(/^W\/"[\da-f]{32}"$/);

    const again = await post(path, seven, headers);
    expect(again.status).toBe(304);
    expect(await again.text()).toBe("");
    expect((await post(path, { context: { ...seven.context, unread: "x" } }, headers)).status).toBe(
      304,
    );
    expect((await post(path, { context: { targetingKey: "8" } }, headers)).status).toBe(200);
    source.replace({ features: [flag("for-user-7")] });
    expect((await post(path, seven, headers)).status).toBe(200);
  },
);

test("the ETag depends on the kind of values, and is equal on all replicas", async () => {
  const tags = await Promise.all(
    (["boolean", "boolean", "payload"] as const).map(async (ofrepValues) => {
      const { post } = await startShared({ config: { ofrepValues } });
      return (await post(ALL, {})).headers.get("etag");
    }),
  );
  expect(tags[0]).toBe(tags[1]);
  expect(tags[0]).not.toBe(tags[2]);
});

test.each([
  [{ authorization: KEY }],
  [{ authorization: `Bearer ${KEY}` }],
  [{ authorization: `bearer  ${KEY}` }],
  [{ "x-api-key": KEY }],
  [{ "x-api-key": KEY, authorization: "Basic abc" }],
])("a key in %j is accepted", async (headers) => {
  const proxy = await startProxy();
  expect((await send(proxy, headers)).status).toBe(200);
  expect((await send(proxy, headers, single("on"))).status).toBe(200);
});

test("a key is accepted in the configured header, even if it begins with Bearer itself", async () => {
  const config = { clientKeysHeaderName: "x-flags", clientKeys: ["Bearer mine"] };
  const proxy = await startProxy({ config });
  const response = await send(proxy, { "x-flags": "Bearer mine" });
  expect(response.status).toBe(200);
  expect(response.headers.get("vary")).toContain("authorization, x-api-key, x-flags");
  expect((await send(proxy, { authorization: "Bearer mine" })).status).toBe(200);
  expect((await send(proxy, { authorization: "mine" })).status).toBe(401);
});

test.each([
  [{}],
  [{ authorization: "" }],
  [{ authorization: "Bearer" }],
  [{ authorization: "Bearer " }],
  [{ authorization: `Basic ${KEY}` }],
  [{ "x-api-key": SERVER_TOKEN }],
])("a key in %j is a 401 that names the accepted headers", async (headers) => {
  const proxy = await startProxy();
  const response = await send(proxy, headers);
  expect(response.status).toBe(401);
  expect(await response.json()).toEqual({
    errorCode: "GENERAL",
    errorDetails: expect.stringMatching(/authorization.*x-api-key.*Bearer/) as string,
  });
  expect(await evaluationOf(await send(proxy, headers, single("on")))).toMatchObject({ key: "on" });
});

test("/proxy does not accept bearer tokens", async () => {
  const { request } = await startShared();
  const response = await request("/proxy", { headers: { authorization: `Bearer ${KEY}` } });
  expect(response.status).toBe(401);
});

const JSON_TYPE = { "content-type": "application/json" };

test.each([
  ["invalid JSON", "{", JSON_TYPE, 400, "PARSE_ERROR"],
  ["no body", "", JSON_TYPE, 400, "PARSE_ERROR"],
  ["a context that is a list", '{"context":[]}', JSON_TYPE, 400, "INVALID_CONTEXT"],
  ["a key that is an object", '{"context":{"targetingKey":{}}}', JSON_TYPE, 400, "INVALID_CONTEXT"],
  ["a user that is a list", '{"context":{"userId":[]}}', JSON_TYPE, 400, "INVALID_CONTEXT"],
  ["an invalid time", '{"context":{"currentTime":"x"}}', JSON_TYPE, 400, "INVALID_CONTEXT"],
  ["too large a body", JSON.stringify("x".repeat(1_100_000)), JSON_TYPE, 413, "GENERAL"],
  ["a body that is not JSON", "a=b", { "content-type": "text/plain" }, 415, "GENERAL"],
])("%s is an error in the format of OFREP", async (_name, body, headers, status, errorCode) => {
  const { request } = await startShared();
  const errorDetails = expect.any(String) as string;
  const all = await request(ALL, { method: "POST", body, headers });
  expect(all.status).toBe(status);
  expect(all.headers.get("content-type")).toContain("application/json");
  expect(await all.json()).toEqual({ errorCode, errorDetails });
  const one = await request(single("on"), { method: "POST", body, headers });
  expect(one.status).toBe(status);
  expect(await one.json()).toEqual({ key: "on", errorCode, errorDetails });
});

test("an unknown flag is a 404 with its key", async () => {
  const { post } = await startShared();
  const response = await post(single("none"), {});
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({
    key: "none",
    errorCode: "FLAG_NOT_FOUND",
    errorDetails: expect.stringContaining("`none`") as string,
  });
});

test.each([
  ["GET", ALL, 405],
  ["GET", `${ALL}/on`, 405],
  ["POST", "/ofrep/v1/evaluate", 404],
  ["POST", "/ofrep/v1/configuration", 404],
  ["POST", `${ALL}/%zz`, 400],
])("%s %s is a %d in the format of OFREP", async (method, path, status) => {
  const { request } = await startShared();
  const response = await request(path, { method });
  expect(response.status).toBe(status);
  expect(await response.json()).toEqual({
    errorCode: expect.stringMatching(/^(?:GENERAL|PARSE_ERROR)$/) as string,
    errorDetails: expect.any(String) as string,
  });
});

test("before the first flags: 503 with a Retry-After that scripts can read, in the format of OFREP", async () => {
  const proxy = await startProxyOver(new DocumentSource());
  const response = await send(proxy, { authorization: KEY, origin: "https://shop.example" });
  expect(response.status).toBe(503);
  expect(response.headers.get("retry-after")).toBe("1");
  expect(response.headers.get("access-control-expose-headers")).toBe("ETag, Retry-After");
  expect(await response.json()).toMatchObject({ errorCode: "GENERAL" });
});

test("errors of other protocols have their own format", async () => {
  const { request } = await startShared();
  for (const path of ["/proxy/none", "/ofrep", "/api/frontend/none", "/ofrepx/v1"]) {
    expect(await (await request(path)).json(), path).toEqual({
      error: expect.any(String) as string,
    });
  }
});

test("a base path precedes all paths, including those of errors", async () => {
  const { post, request } = await startShared({ config: { basePath: "/base/path" } });
  expect(await keysOf(await post(`/base/path${ALL}`, {}))).toContain("on");
  const response = await request(`/base/path${ALL}`, { headers: { authorization: "" } });
  expect(await response.json()).toMatchObject({ errorCode: "GENERAL" });
});

test.each([
  ["team/checkout", "team/checkout"],
  ["team/checkout", "team%2Fcheckout"],
  ["a b", "a%20b"],
  ["ærlig", "%C3%A6rlig"],
  ["x".repeat(2000), "x".repeat(2000)],
])("the key %s is found at %s", async (key, path) => {
  const { post } = await startShared({ document: { features: [flag(key)] } });
  expect(await evaluationOf(await post(single(path), {}))).toMatchObject({ key, value: true });
});

test("repeated and trailing slashes are ignored", async () => {
  const { post } = await startShared();
  expect(await keysOf(await post("//ofrep//v1/evaluate/flags/", {}))).toContain("on");
  expect(await evaluationOf(await post(`/${single("on")}`, {}))).toMatchObject({ key: "on" });
});

test("a flag that the upstream sends twice is listed once", async () => {
  const document = { features: [flag("twice"), flag("twice")] };
  const { post } = await startShared({ document });
  expect(await keysOf(await post(ALL, {}))).toEqual(["twice"]);
});
