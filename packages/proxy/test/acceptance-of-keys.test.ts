// One proxy of three environments and two projects, with keys from a setting, from an access file and from
// the upstream at the same time, and with official clients: each sees its flags, and no others.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OFREPProvider } from "@openfeature/ofrep-provider";
import { OpenFeature } from "@openfeature/server-sdk";
import { InMemStorageProvider, Unleash } from "unleash-client";
import { InMemoryStorageProvider, UnleashClient } from "unleash-proxy-client";
import { expect, onTestFinished, test } from "vitest";
import { makeDatabase, startCommand as startAdmin } from "../../admin/test/_command.ts";
import { createDirectory } from "./_access-file.ts";
import { eventually, startCommand, untilReady } from "./_command.ts";
import { destroyUnleash } from "./_unleash-client.ts";

const ADMIN_TOKEN = "*:*.an-admin-token-of-the-test";
const ENVIRONMENTS = ["development", "production", "staging"];
const PROJECTS = ["default", "shop"];
const STATIC_KEY = "*:development.a-key-in-a-setting";
const FILE_KEY = "a-key-in-the-access-file";

interface Token {
  readonly id: string;
  readonly secret: string;
}

/** Starts flags-admin with one flag for each project and environment, which is on only there. */
async function startUpstream() {
  const admin = startAdmin({
    ...(await makeDatabase()),
    INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
  });
  const url = `${await admin.listening()}/api`;
  const send = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${url}/admin${path}`, {
      method,
      headers: { authorization: ADMIN_TOKEN, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
  await send("POST", "/environments", { name: "staging", type: "test" });
  await send("POST", "/projects", { id: "shop", name: "Shop" });
  /* oxlint-disable no-await-in-loop -- each depends on the previous one */
  for (const project of PROJECTS) {
    const path = `/projects/${project}`;
    await send("POST", `${path}/environments`, { environment: "staging" }).catch(() => {});
    for (const environment of ENVIRONMENTS) {
      const name = `${project}-${environment}`;
      await send("POST", `${path}/features`, { name });
      const feature = `${path}/features/${name}/environments/${environment}`;
      await send("POST", `${feature}/strategies`, { name: "default" });
      await send("POST", `${feature}/on`);
    }
  }
  /* oxlint-enable no-await-in-loop */
  const createToken = async (type: string, environment: string, projects: readonly string[]) =>
    (await send("POST", "/api-tokens", { tokenName: type, type, environment, projects })) as Token;
  const revoke = ({ id }: Token) => send("DELETE", `/api-tokens/${id}`);
  const backends = ENVIRONMENTS.map((environment) => createToken("client", environment, ["*"]));
  return { url, createToken, revoke, backends: await Promise.all(backends) };
}

async function startClient(url: string, clientKey: string) {
  const errors: unknown[] = [];
  const client = new UnleashClient({
    url,
    clientKey,
    appName: "test",
    refreshInterval: 0.1,
    disableMetrics: true,
    storageProvider: new InMemoryStorageProvider(),
    fetch,
  });
  client.on("error", (error: unknown) => errors.push(error));
  onTestFinished(() => client.stop());
  await client.start();
  const names = () =>
    client
      .getAllToggles()
      .map(({ name }) => name)
      .toSorted();
  return { names, errors };
}

async function startServerSdk(url: string, token: string): Promise<Unleash> {
  const client = new Unleash({
    url,
    appName: "test",
    customHeaders: { Authorization: token },
    storageProvider: new InMemStorageProvider(),
    refreshInterval: 100,
    disableMetrics: true,
  });
  client.on("error", () => {});
  onTestFinished(() => destroyUnleash(client));
  await new Promise((resolve) => client.once("synchronized", resolve));
  return client;
}

test("official clients work with three environments, two projects and keys of three origins", async () => {
  const upstream = await startUpstream();
  const accessFile = join(await createDirectory(), "access.json");
  const entry = { name: "web", key: FILE_KEY, environment: "production", projects: ["shop"] };
  await writeFile(accessFile, JSON.stringify({ keys: [entry] }));
  const command = startCommand({
    FLAGS_URL: upstream.url,
    FLAGS_API_TOKEN: upstream.backends.map(({ secret }) => secret).join(),
    FLAGS_PROXY_CLIENT_KEYS: STATIC_KEY,
    FLAGS_ACCESS_FILE: accessFile,
    FLAGS_UPSTREAM_KEYS: "true",
    FLAGS_UPSTREAM_KEYS_INTERVAL: "1000",
    FLAGS_FETCH_INTERVAL: "200",
    FLAGS_PROXY_WORKERS: "2",
  });
  const url = await command.listening();
  await untilReady(url);

  // Created after the start.
  const [ofShop, ofAll, ofServer] = await Promise.all([
    upstream.createToken("frontend", "staging", ["shop"]),
    upstream.createToken("frontend", "production", ["*"]),
    upstream.createToken("client", "staging", ["default"]),
  ]);
  const [inSetting, inFile, shop, all] = await Promise.all([
    startClient(`${url}/proxy`, STATIC_KEY),
    startClient(`${url}/api/frontend`, FILE_KEY),
    startClient(`${url}/api/frontend`, ofShop.secret),
    startClient(`${url}/proxy`, ofAll.secret),
  ]);
  expect(inSetting.names()).toEqual(["default-development", "shop-development"]);
  expect(inFile.names()).toEqual(["shop-production"]);
  expect(shop.names()).toEqual(["shop-staging"]);
  expect(all.names()).toEqual(["default-production", "shop-production"]);

  const server = await startServerSdk(`${url}/api`, ofServer.secret);
  const definitions = server.getFeatureToggleDefinitions().map(({ name }) => name);
  expect(definitions.toSorted()).toEqual(
    ENVIRONMENTS.map((environment) => `default-${environment}`).toSorted(),
  );
  expect(server.isEnabled("default-staging")).toBe(true);
  expect(server.isEnabled("default-production")).toBe(false);

  await OpenFeature.setProviderAndWait(
    new OFREPProvider({ baseUrl: url, headers: [["Authorization", `Bearer ${ofShop.secret}`]] }),
  );
  onTestFinished(() => OpenFeature.clearProviders());
  const openFeature = OpenFeature.getClient();
  expect(await openFeature.getBooleanValue("shop-staging", false)).toBe(true);
  expect(await openFeature.getBooleanDetails("default-staging", false)).toMatchObject({
    value: false,
    errorCode: "FLAG_NOT_FOUND",
  });

  await upstream.revoke(ofShop);
  await eventually(() => shop.errors).toContainEqual(expect.objectContaining({ code: 401 }));
  expect(await openFeature.getBooleanDetails("shop-staging", false)).toMatchObject({
    errorCode: "GENERAL",
  });
  expect([inSetting.errors, inFile.errors, all.errors]).toEqual([[], [], []]);
  expect(all.names()).toEqual(["default-production", "shop-production"]);
});
