// Pages that a program renders: what `app.evaluate()` returns equals what a client gets by request.

import fc from "fast-check";
import { InMemoryStorageProvider, UnleashClient } from "unleash-proxy-client";
import { expect, onTestFinished, test } from "vitest";
import { fuzzRuns } from "../../../scripts/test-size.ts";
import { createFlagsClient } from "flags-sdk";
import { createApp, type Context, type OfrepBootstrap, type PageFlags } from "../src/index.ts";
import { UpstreamSource } from "../src/upstream/upstream-source.ts";
import { startWithAccessFile } from "./_access-file.ts";
import { flag, HALF_OF_SESSIONS, SAMPLE, withConstraint } from "./_documents.ts";
import { DOCUMENT } from "./_flag-requests.ts";
import {
  KEY,
  OTHER_KEY,
  type RunningApp,
  shareProxies,
  startProxy,
  startProxyOver,
} from "./_proxy.ts";
import { SECRET, sign } from "./_signed-context.ts";
import { DocumentSource } from "./_source.ts";

const startShared = shareProxies();

/** Requests the flags of `/proxy`, as the official client does. */
async function requestToggles(
  { url }: Pick<RunningApp, "url">,
  { bootstrap: { context } }: PageFlags,
  key = KEY,
): Promise<unknown> {
  const { properties = {}, ...fields } = context;
  const query = new URLSearchParams({ ...fields });
  for (const [name, value] of Object.entries(properties)) {
    query.append(`properties[${name}]`, value);
  }
  const response = await fetch(`${url}/proxy?${query}`, { headers: { authorization: key } });
  const { toggles } = (await response.json()) as { readonly toggles: readonly unknown[] };
  return toggles;
}

function requestOfrep(
  { url }: Pick<RunningApp, "url">,
  { context, etag }: OfrepBootstrap,
  { key = KEY, isConditional = false } = {},
): Promise<Response> {
  return fetch(`${url}/ofrep/v1/evaluate/flags`, {
    method: "POST",
    headers: {
      "x-api-key": key,
      "content-type": "application/json",
      ...(isConditional && { "if-none-match": etag }),
    },
    body: JSON.stringify({ context }),
  });
}

/** Expects that clients that start with a page get the same flags by request, with a key. */
async function expectSameByRequest(
  proxy: Pick<RunningApp, "url">,
  flags: PageFlags,
  key = KEY,
): Promise<void> {
  expect(flags.bootstrap.toggles).toEqual(await requestToggles(proxy, flags, key));
  const { ofrep } = flags;
  const response = await requestOfrep(proxy, ofrep, { key });
  expect(ofrep.body).toEqual(await response.json());
  expect(ofrep.etag).toBe(response.headers.get("etag"));
  const revalidated = await requestOfrep(proxy, ofrep, { key, isConditional: true });
  expect(revalidated.status).toBe(304);
}

const STICKY = {
  features: [
    ...DOCUMENT.features,
    ...SAMPLE.features,
    ...["session", "half"].map((name) => flag(name, { strategies: [HALF_OF_SESSIONS] })),
    flag("first-of-proxy", { strategies: [withConstraint("appName", ["shop"])] }),
    flag("not-a-number", {
      variants: [{ name: "v", weight: 1, payload: { type: "number", value: "many" } }],
    }),
  ],
};

const value = fc.oneof(
  fc.constantFrom("", "1", "7", "pro", "gold", "10.1.1.1", "ø", "a b", "&=%", 7, true, null),
  fc.string({ unit: "binary" }).filter((text) => !/\p{Cs}/u.test(text)),
);
const contexts = fc.record(
  {
    userId: value,
    sessionId: value,
    remoteAddress: value,
    appName: fc.constantFrom("shop", ""),
    plan: value,
    properties: fc.dictionary(fc.constantFrom("plan", "userId", "__proto__", "x"), value),
  },
  { requiredKeys: [] },
);

test.each([
  ["by default", {}],
  ["with all flags in OFREP", { enableAllEndpoint: true }],
  ["with payloads in OFREP", { ofrepValues: "payload" }],
] as const)("evaluate() equals requests with its contexts, %s", async (_title, config) => {
  const proxy = await startShared({ document: STICKY, config });
  await fc.assert(
    fc.asyncProperty(contexts, async (context) => {
      // Otherwise, the proxy adds the address of the client, which the program has to pass.
      const given = { ...context, remoteAddress: context.remoteAddress || "192.0.2.1" };
      await expectSameByRequest(proxy, proxy.evaluate(given, { key: KEY }));
    }),
    { numRuns: fuzzRuns(60, 1000) },
  );
});

test("evaluate() without a session id generates one for rules that read it, and passes it to clients", async () => {
  const proxy = await startShared({ document: STICKY });
  const evaluate = (context: Context) => proxy.evaluate(context, { key: KEY });
  const ids = new Set<string>();
  const results = new Set<boolean>();
  for (let visitor = 0; visitor < 40; visitor++) {
    const flags = evaluate({ userId: "7", remoteAddress: "192.0.2.1" });
    const { sessionId = "" } = flags.bootstrap.context;
    expect(flags.ofrep.context).toEqual({
      targetingKey: "7",
      sessionId,
      remoteAddress: "192.0.2.1",
    });
    // oxlint-disable-next-line no-await-in-loop -- requests must not overlap
    await expectSameByRequest(proxy, flags);
    ids.add(sessionId);
    results.add(flags.isEnabled("session"));
  }
  expect(ids.size).toBe(40);
  expect(results).toEqual(new Set([true, false]));
  expect(evaluate({ sessionId: "s" }).bootstrap.context.sessionId).toBe("s");
  const { evaluate: evaluateOthers } = await startShared({ document: { features: [flag("on")] } });
  expect(evaluateOthers({}, { key: KEY }).bootstrap.context).toEqual({});
});

test("everything that evaluate() returns is from one evaluation, also if flags are random", async () => {
  const random = { name: "flexibleRollout", parameters: { rollout: "50", stickiness: "random" } };
  const { evaluate } = await startShared({
    document: { features: [flag("always"), flag("random", { strategies: [random] })] },
  });
  const results = new Set<boolean>();
  for (let visitor = 0; visitor < 40; visitor++) {
    const flags = evaluate({ userId: "7" }, { key: KEY });
    const isOn = flags.isEnabled("random");
    results.add(isOn);
    const names = isOn ? ["always", "random"] : ["always"];
    expect(flags.bootstrap.toggles.map(({ name }) => name)).toEqual(names);
    expect(flags.ofrep.body.flags.map(({ key }) => key)).toEqual(names);
    expect(Object.keys(flags.values)).toEqual(names);
    expect(flags.getVariant("random").featureEnabled).toBe(isOn);
    expect(flags.getValue("random", !isOn)).toBe(isOn);
  }
  expect(results).toEqual(new Set([true, false]));
});

test("the official client takes an empty list for none, so the bootstrap has one flag that is off", async () => {
  const { evaluate } = await startShared({
    document: { features: [flag("off", { enabled: false })] },
  });
  const flags = evaluate({}, { key: KEY });
  const variant = { name: "disabled", enabled: false };
  expect(flags.bootstrap.toggles).toEqual([
    { name: "(no flags are on)", enabled: false, variant, impressionData: false },
  ]);
  expect(flags.ofrep.body).toEqual({ flags: [] });
  expect(flags.values).toEqual({});
});

test("the official client accepts the bootstrap, also in TypeScript", async () => {
  const { evaluate } = await startShared({ document: { features: [flag("on")] } });
  const { toggles, context } = evaluate({ userId: "7" }, { key: KEY }).bootstrap;
  const client = new UnleashClient({
    url: "https://flags.example/proxy",
    clientKey: KEY,
    appName: "web",
    bootstrap: toggles,
    context,
    storageProvider: new InMemoryStorageProvider(),
  });
  expect([client.isEnabled("on"), client.getContext().userId]).toEqual([true, "7"]);
});

const withPayload = (name: string, type: string, payload: string) =>
  flag(name, { variants: [{ name: "v", weight: 1, payload: { type, value: payload } }] });
const PAYLOADS = {
  features: [
    flag("on"),
    flag("off", { enabled: false }),
    withPayload("text", "string", "#fff"),
    withPayload("number", "number", "0.5"),
    withPayload("object", "json", '{"a":[1]}'),
    withPayload("list", "json", "[1]"),
    withPayload("invalid", "number", "many"),
  ],
};

test("values contains payloads by their types, and true for other flags that are on", async () => {
  const { evaluate } = await startShared({ document: PAYLOADS });
  const common = { on: true, text: "#fff", number: 0.5, object: { a: [1] }, list: "[1]" };
  expect(evaluate({}, { key: KEY }).values).toEqual(common);
  const all = await startShared({ document: PAYLOADS, config: { enableAllEndpoint: true } });
  expect(all.evaluate({}, { key: KEY }).values).toEqual({ ...common, off: false });
});

test("getValue() returns a value of the type of the fallback, or the fallback", async () => {
  const { evaluate } = await startShared({ document: PAYLOADS });
  const flags = evaluate({}, { key: KEY });
  expect(flags.getValue("on", false)).toBe(true);
  expect(flags.getValue("off", true)).toBe(false);
  expect(flags.getValue("text", false)).toBe(true);
  expect(flags.getValue("none", true)).toBe(true);
  expect(flags.getValue("text", "red")).toBe("#fff");
  expect(flags.getValue("number", 1)).toBe(0.5);
  expect(flags.getValue("object", { b: 1 })).toEqual({ a: [1] });
  expect(flags.getValue("list", [2, 3])).toEqual([1]);
  for (const name of ["on", "object", "text", "invalid", "none"])
    expect(flags.getValue(name, [2, 3])).toEqual([2, 3]);
  expect(flags.getValue("list", { b: 1 })).toEqual({ b: 1 });
  for (const name of ["on", "off", "number", "none"])
    expect(flags.getValue(name, "red")).toBe("red");
  for (const name of ["on", "text", "invalid", "none"]) expect(flags.getValue(name, 1)).toBe(1);
});

test("only flags that the program reads are usage, in one report per turn", async () => {
  const proxy = await startProxy({ document: SAMPLE });
  const flags = proxy.evaluate({ appName: "shop" }, { key: KEY });
  JSON.stringify([flags.bootstrap, flags.ofrep, flags.values]);
  await Promise.resolve();
  expect(proxy.source.usage).toEqual([]);
  flags.isEnabled("on");
  flags.isEnabled("on");
  flags.isEnabled("off");
  flags.getVariant("with-variant");
  flags.getValue("none", "");
  expect(proxy.source.usage).toEqual([]);
  await Promise.resolve();
  expect(proxy.source.usage).toEqual([
    {
      appName: "shop",
      startMs: expect.any(Number) as number,
      quotaId: expect.any(String) as string,
      features: {
        on: { yes: 2, no: 0, variants: {} },
        off: { yes: 0, no: 1, variants: {} },
        "with-variant": { yes: 1, no: 0, variants: { blue: 1 } },
        none: { yes: 0, no: 1, variants: {} },
      },
    },
  ]);
  flags.isEnabled("on");
  await Promise.resolve();
  expect(proxy.source.usage[1]?.features).toEqual({ on: { yes: 1, no: 0, variants: {} } });
});

test("usage that is not accepted is counted as refused", async () => {
  const source = new DocumentSource(SAMPLE);
  const proxy = await startProxyOver(source);
  source.accepts = false;
  proxy.evaluate({}, { key: KEY }).isEnabled("on");
  const metrics = async () => (await fetch(`${proxy.url}/internal-backstage/prometheus`)).text();
  await expect.poll(metrics).toMatch(/usage\w*refused\w* 1$/m);
});

const production = { environment: "production" };

test("evaluate() applies the rules of the key", async () => {
  const { evaluate, ...proxy } = await startWithAccessFile({
    keys: [
      { name: "web", key: "web-key", ...production, projects: ["web"] },
      { name: "app", key: "app-key", ...production, namePrefix: "app.", allFlags: true },
      { name: "few", key: "few-key", ...production, contextFields: ["plan"] },
      { name: "test", key: "test-key", environment: "test" },
      { name: "old", key: "old-key", ...production, expiresAt: "2020-01-01T00:00:00Z" },
      { name: "sdk", key: "server-key", ...production, kind: "server" },
    ],
  });
  const namesOf = (key: string) =>
    evaluate({ userId: "1" }, { key }).bootstrap.toggles.map(({ name }) => name);
  expect(namesOf("web-key")).toEqual(["web.a", "web.b"]);
  expect(namesOf("app-key")).toEqual(["app.a"]);
  expect(evaluate({}, { key: "app-key" }).values).toEqual({ "app.a": true, "app.off": false });
  expect(namesOf("few-key")).toEqual(["web.a", "app.a"]);
  expect(namesOf("test-key")).toEqual(["only-in-test"]);
  for (const key of ["web-key", "app-key", "few-key", "test-key"]) {
    // oxlint-disable-next-line no-await-in-loop -- requests must not overlap
    await expectSameByRequest(proxy, evaluate({ userId: "1" }, { key }), key);
  }
  for (const key of ["old-key", "server-key", "unknown", ""]) {
    const message = "`key` is not a client key that is accepted now";
    expect(() => evaluate({}, { key })).toThrow(message);
  }
  expect(() => evaluate({})).toThrow("`key` is missing");
  evaluate({}, { key: "web-key" }).isEnabled("app.a");
  await Promise.resolve();
  expect(proxy.production.usage).toEqual([]);
});

test("evaluate() uses the only client key by default", async () => {
  const { evaluate } = await startShared({ config: { clientKeys: [KEY] } });
  expect(evaluate({ userId: "7" }).isEnabled("for-user-7")).toBe(true);
  const two = await startShared();
  expect(() => two.evaluate({ userId: "7" })).toThrow("`key` is missing");
  expect(two.evaluate({}, { key: OTHER_KEY }).isEnabled("on")).toBe(true);
});

test("evaluate() trusts the context for a key that requires a signature, which clients send", async () => {
  const signed = { hmac: { secret: SECRET, fields: ["userId", "sessionId"] } };
  const { evaluate, get } = await startWithAccessFile({
    document: STICKY,
    keys: [{ name: "signed", key: "signed-key", ...production, signedContext: signed }],
  });
  const contextSignature = sign({ userId: "7", sessionId: "s" });
  const flags = evaluate({ userId: "7", sessionId: "s", contextSignature });
  expect(flags.isEnabled("for-user-7")).toBe(true);
  const { properties = {} } = flags.bootstrap.context;
  expect(properties).toEqual({ contextSignature });
  const query = new URLSearchParams({ userId: "7", sessionId: "s", ...properties });
  const response = await get(`/proxy?${query}`, "signed-key");
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ toggles: flags.bootstrap.toggles });
  // A client could not send a session id that is not signed.
  expect(evaluate({ userId: "7" }).bootstrap.context).toEqual({ userId: "7" });
});

test.each([
  [null, "`context` must be an object"],
  ["7", "`context` must be an object"],
  [{ currentTime: "yesterday" }, "`context.currentTime` must be a time in ISO 8601"],
])("evaluate() rejects the context %j", async (context, message) => {
  const { evaluate } = await startShared();
  const call = () => evaluate(context as Context, { key: KEY });
  expect(call).toThrow(message);
  expect(call).toThrow(TypeError);
});

test("evaluate() before there are flags is an error that says what to await", async () => {
  const source = new DocumentSource();
  const options = { flagsUrl: "http://127.0.0.1:1/api", flagsApiToken: "t", clientKeys: [KEY] };
  const app = createApp({ ...options, logLevel: "fatal" }, source);
  onTestFinished(() => app.close());
  expect(() => app.evaluate()).toThrow("await `app.ready` before `app.evaluate()`");
  await app.ready;
  expect(() => app.evaluate()).toThrow("await `app.flagsReady()` before `app.evaluate()`");
  const ready = app.flagsReady();
  source.replace(SAMPLE);
  await ready;
  expect(app.evaluate({ userId: "7" }).isEnabled("for-user-7")).toBe(true);
});

test("a client of flags-sdk returns the same for a page as a proxy with its flags", async () => {
  const client = createFlagsClient({
    url: "http://127.0.0.1:1/api",
    appName: "shop",
    bootstrap: { data: STICKY.features },
  });
  onTestFinished(() => client.close());
  client.start();
  await client.synchronized();
  const proxy = await startProxyOver(new UpstreamSource(client));
  await fc.assert(
    fc.asyncProperty(contexts, async (context) => {
      const { remoteAddress } = context;
      // The name and the address that a client has if its context contains none are not the program's.
      const given = { ...context, appName: "shop", remoteAddress: remoteAddress || "192.0.2.1" };
      await expectSameByRequest(proxy, client.evaluate(given));
    }),
    { numRuns: fuzzRuns(30, 500) },
  );
});

test("flagsReady() rejects if the proxy is closed first", async () => {
  const options = { flagsUrl: "http://127.0.0.1:1/api", flagsApiToken: "t", clientKeys: [KEY] };
  const app = createApp({ ...options, logLevel: "fatal" }, new DocumentSource());
  const ready = expect(app.flagsReady()).rejects.toThrow("The proxy was closed");
  await app.ready;
  await app.close();
  await ready;
});
