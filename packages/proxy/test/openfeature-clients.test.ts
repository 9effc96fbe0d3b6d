import { OFREPProvider } from "@openfeature/ofrep-provider";
import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";
import { OpenFeature } from "@openfeature/server-sdk";
import { OpenFeature as WebOpenFeature, type Provider, ProviderEvents } from "@openfeature/web-sdk";

import { synchronized } from "./_upstream-source.ts";
import { UpstreamSource } from "../src/upstream/upstream-source.ts";
import { afterEach, expect, onTestFinished, test } from "vitest";
import type { ProxyConfig } from "../src/config/config.ts";
import { SAMPLE, flag } from "./_documents.ts";
import { startFeatureServer } from "./_feature-server.ts";
import { KEY, startProxyOver } from "./_proxy.ts";

const withPayload = (name: string, type: string, value: string) =>
  flag(name, {
    variants: [{ name: "v", weight: 1000, stickiness: "default", payload: { type, value } }],
  });

const DOCUMENT = {
  ...SAMPLE,
  features: [
    ...SAMPLE.features,
    withPayload("a-text", "string", "#fff"),
    withPayload("a-number", "number", "0.5"),
    withPayload("an-object", "json", '{"a":[1]}'),
    withPayload("not-a-number", "number", "many"),
  ],
};

afterEach(async () => {
  await OpenFeature.clearProviders();
  await WebOpenFeature.clearProviders();
  await WebOpenFeature.clearContexts();
});

async function startSystem(config: Partial<ProxyConfig> = {}) {
  const upstream = await startFeatureServer(DOCUMENT);
  const client: UpstreamSource = new UpstreamSource({
    url: upstream.url,
    appName: "flags-proxy",
    token: "upstream-token",
    refreshIntervalMs: 20,
  });
  onTestFinished(() => client.close());
  const proxy = await startProxyOver(client, { config });
  await synchronized(client);
  return { upstream, ...proxy };
}

async function startServerProvider(url: string, key = KEY) {
  const headers: [string, string][] = [["Authorization", `Bearer ${key}`]];
  await OpenFeature.setProviderAndWait(new OFREPProvider({ baseUrl: url, headers }));
  return OpenFeature.getClient();
}

test("@openfeature/ofrep-provider: flags, reasons, variants and metadata", async () => {
  const { url } = await startSystem();
  const client = await startServerProvider(url);
  const seven = { targetingKey: "7", plan: "gold", unrelated: { deep: ["x"] } };
  expect(await client.getBooleanDetails("for-user-7", false, seven)).toMatchObject({
    value: true,
    reason: "TARGETING_MATCH",
    variant: "enabled",
  });
  expect(await client.getBooleanValue("for-plan-gold", false, seven)).toBe(true);
  expect(await client.getBooleanValue("for-user-7", true, { targetingKey: "8" })).toBe(false);
  expect(await client.getBooleanDetails("off", true)).toMatchObject({
    value: false,
    reason: "DISABLED",
  });
  expect(await client.getBooleanDetails("with-variant", false)).toMatchObject({
    value: true,
    variant: "blue",
    flagMetadata: { payloadType: "json", payload: '{"a":"é\\n"}' },
  });
  expect(await client.getBooleanDetails("none", true)).toMatchObject({
    value: true,
    errorCode: "FLAG_NOT_FOUND",
  });
});

test("@openfeature/ofrep-provider: payloads as values", async () => {
  const { url } = await startSystem({ ofrepValues: "payload" });
  const client = await startServerProvider(url);
  expect(await client.getStringValue("a-text", "")).toBe("#fff");
  expect(await client.getNumberValue("a-number", 0)).toBe(0.5);
  expect(await client.getObjectValue("an-object", {})).toEqual({ a: [1] });
  expect(await client.getNumberDetails("not-a-number", 7)).toMatchObject({
    value: 7,
    errorCode: "PARSE_ERROR",
  });
});

test("@openfeature/ofrep-provider: a wrong key and an invalid context are errors with a message", async () => {
  const { url } = await startSystem();
  const client = await startServerProvider(url, "wrong");
  expect(await client.getBooleanDetails("on", false)).toMatchObject({
    value: false,
    reason: "ERROR",
    errorCode: "GENERAL",
  });
  const known = await startServerProvider(url);
  const bad = { currentTime: "yesterday" };
  expect(await known.getBooleanDetails("on", false, bad)).toMatchObject({
    errorCode: "INVALID_CONTEXT",
    errorMessage: expect.stringContaining("currentTime") as string,
  });
});

async function startWebProvider(url: string, key = KEY) {
  const statuses: number[] = [];
  const provider = new OFREPWebProvider({
    baseUrl: url,
    headers: [["X-API-Key", key]],
    pollInterval: 50,
    cacheMode: "network-first",
    fetchImplementation: async (input: string | URL | Request, init?: RequestInit) => {
      const response = await fetch(input, init);
      statuses.push(response.status);
      return response;
    },
  });
  // The types of this provider are less exact than ours.
  await WebOpenFeature.setProviderAndWait(provider as Provider);
  return { client: WebOpenFeature.getClient(), statuses };
}

test("@openfeature/ofrep-web-provider: flags, contexts, changes and 304s", async () => {
  const { url, upstream } = await startSystem();
  await WebOpenFeature.setContext({ targetingKey: "7" });
  const { client, statuses } = await startWebProvider(url);
  expect(client.getBooleanDetails("for-user-7", false)).toMatchObject({
    value: true,
    reason: "TARGETING_MATCH",
  });
  expect(client.getBooleanDetails("with-variant", false)).toMatchObject({ variant: "blue" });
  await expect.poll(() => statuses).toContain(304);

  await WebOpenFeature.setContext({ targetingKey: "7", plan: "gold" });
  expect(client.getBooleanValue("for-plan-gold", false)).toBe(true);
  await WebOpenFeature.setContext({ targetingKey: "8" });
  expect(client.getBooleanDetails("for-user-7", false)).toMatchObject({
    value: false,
    errorCode: "FLAG_NOT_FOUND",
  });

  const changed = new Promise<void>((resolve) =>
    client.addHandler(ProviderEvents.ConfigurationChanged, () => resolve()),
  );
  upstream.document = { ...DOCUMENT, features: [flag("new")] };
  await changed;
  await expect.poll(() => client.getBooleanValue("new", false)).toBe(true);
});

test("@openfeature/ofrep-web-provider: payloads, invalid payloads and flags that are off", async () => {
  const { url } = await startSystem({ ofrepValues: "payload", enableAllEndpoint: true });
  const { client } = await startWebProvider(url);
  expect(client.getStringValue("a-text", "")).toBe("#fff");
  expect(client.getNumberValue("a-number", 0)).toBe(0.5);
  expect(client.getObjectValue("an-object", {})).toEqual({ a: [1] });
  expect(client.getNumberDetails("not-a-number", 7)).toMatchObject({
    value: 7,
    errorCode: "PARSE_ERROR",
  });
  expect(client.getBooleanDetails("off", true)).toMatchObject({ value: false, reason: "DISABLED" });
});

test("@openfeature/ofrep-web-provider: a wrong key is fatal", async () => {
  const { url } = await startSystem();
  await expect(startWebProvider(url, "wrong")).rejects.toMatchObject({ code: "PROVIDER_FATAL" });
});
