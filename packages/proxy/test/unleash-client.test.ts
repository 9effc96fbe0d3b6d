import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InMemStorageProvider, Strategy, Unleash, type UnleashConfig } from "unleash-client";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { findPostgres, useSharedPostgres } from "../../admin/test/_postgres.ts";
import { AdminService, CLIENT_TOKEN } from "../../sdk/test/_admin.ts";
import type { ProxyOptions } from "../src/config/options.ts";
import type { ProxyApp } from "../src/start/proxy-app.ts";
import { createApp } from "../src/start/start.ts";
import { flag } from "./_documents.ts";
import { startFeatureServer } from "./_feature-server.ts";
import { destroyUnleash } from "./_unleash-client.ts";

const SOON = { interval: 20 };
const AUTHORIZED = {
  headers: { authorization: "client-key", "content-type": "application/json" },
};

let admin: AdminService;

/** Removed after all tests, since clients can write to it after `destroy()`. */
let backupPath: string;

beforeAll(async () => {
  backupPath = await mkdtemp(join(tmpdir(), "flags-backup-"));
  const databases = findPostgres() === undefined ? undefined : useSharedPostgres();
  admin = new AdminService(databases && { DATABASE_URL: await databases.createDatabase() });
  await admin.start();
  return async () => {
    await admin.dispose();
    await databases?.close();
    await rm(backupPath, { recursive: true });
  };
});

function createUnleash(url: string, options: Partial<UnleashConfig> = {}): Unleash {
  const unleash = new Unleash({
    url,
    appName: "official",
    customHeaders: { Authorization: CLIENT_TOKEN },
    ...(options.backupPath === undefined && { storageProvider: new InMemStorageProvider() }),
    refreshInterval: 50,
    disableMetrics: true,
    ...options,
  });
  onTestFinished(() => destroyUnleash(unleash));
  return unleash;
}

async function createProxy(
  unleash: Unleash,
  options: ProxyOptions = {},
): Promise<{ app: ProxyApp; lines: readonly string[] }> {
  const lines: string[] = [];
  const write = (message: unknown): void => void lines.push(String(message));
  const app = createApp(
    {
      flagsUrl: admin.url,
      flagsApiToken: CLIENT_TOKEN,
      clientKeys: ["client-key"],
      logger: { debug: () => {}, info: () => {}, warn: write, error: write },
      ...options,
    },
    unleash,
  );
  onTestFinished(() => app.close());
  return { app, lines };
}

async function namesIn(app: ProxyApp, query = ""): Promise<readonly string[] | number> {
  const response = await app.fetch(new Request(`http://proxy/proxy${query}`, AUTHORIZED));
  if (response.status !== 200) return response.status;
  const { toggles } = (await response.json()) as { toggles: { name: string }[] };
  return toggles.map(({ name }) => name);
}

describe.each<readonly [string, Partial<UnleashConfig>]>([
  ["polling", {}],
  ["streaming", { experimentalMode: { type: "streaming" } }],
  ["not started yet", { disableAutoStart: true }],
])("createApp() with a client of unleash-client, %s", (mode, config) => {
  test("serves its flags and follows its changes", async () => {
    const name = `of-${mode.replaceAll(" ", "-")}`;
    await admin.createFlag(name);
    const { app, lines } = await createProxy(createUnleash(admin.url, config));
    await expect.poll(() => namesIn(app), SOON).toContain(name);

    await admin.switchFlag(name, false);
    await expect.poll(() => namesIn(app), SOON).not.toContain(name);
    expect((await app.fetch(new Request("http://proxy/proxy/health"))).status).toBe(200);
    expect(lines).toEqual([]);
  });
});

test("createApp() with a client of unleash-client evaluates segments", async () => {
  const segments = [
    { id: 7, constraints: [{ contextName: "plan", operator: "IN", values: ["gold"] }] },
  ];
  const strategies = [{ name: "default", segments: [7] }];
  const unknown = [{ name: "default", segments: [8] }];
  const upstream = await startFeatureServer({
    features: [flag("of-plan", { strategies }), flag("of-none", { strategies: unknown })],
    segments,
  });
  const { app } = await createProxy(createUnleash(upstream.url));
  await expect.poll(() => namesIn(app, "?plan=gold"), SOON).toEqual(["of-plan"]);
  expect(await namesIn(app, "?plan=silver")).toEqual([]);
});

test("createApp() with a client of unleash-client without segments logs that it is too old", async () => {
  const strategies = [{ name: "default", segments: [7] }];
  const upstream = await startFeatureServer({ features: [flag("a", { strategies })] });
  const unleash = createUnleash(upstream.url);
  // As before 5.5: without the parameter that requests full segments.
  const withoutSegments = (): unknown =>
    Unleash.prototype.getFeatureToggleDefinitions.call(unleash, false);
  Reflect.set(unleash, "getFeatureToggleDefinitions", withoutSegments);
  const { app, lines } = await createProxy(unleash);
  await expect.poll(() => lines.join(), SOON).toContain("use 5.5 or later");
  expect(await namesIn(app)).toBe(503);
});

test("createApp() with a client of unleash-client keeps the last valid flags when it receives invalid ones", async () => {
  const upstream = await startFeatureServer({ features: [flag("a")] });
  const unleash = createUnleash(upstream.url);
  const { app, lines } = await createProxy(unleash);
  await expect.poll(() => namesIn(app), SOON).toEqual(["a"]);
  upstream.document = { features: [{ ...flag("b"), strategies: "none" }] };
  await expect.poll(() => lines.join(), SOON).toContain("The document is not usable");
  expect(await namesIn(app)).toEqual(["a"]);
  upstream.document = { features: [flag("c")] };
  await expect.poll(() => namesIn(app), SOON).toEqual(["c"]);
});

test("createApp() with a client of unleash-client sends usage upstream, with the name of each application", async () => {
  const upstream = await startFeatureServer({ features: [flag("a")] });
  const unleash = createUnleash(upstream.url);
  const { app } = await createProxy(unleash, { flagsUrl: upstream.url });
  await expect.poll(() => namesIn(app), SOON).toEqual(["a"]);
  const count = { yes: 900_000_000, no: 2 };
  const report = new Request("http://proxy/proxy/client/metrics", {
    method: "POST",
    ...AUTHORIZED,
    body: JSON.stringify({ appName: "shop", bucket: { toggles: { a: count } } }),
  });
  expect((await app.fetch(report)).status).toBe(200);
  await app.close();
  expect(JSON.stringify([...upstream.posts.values()])).toContain('"appName":"shop"');
  expect(JSON.stringify([...upstream.posts.values()])).toContain('"yes":900000000');
});

test("createApp() with a client of unleash-client uses the option customStrategies", async () => {
  class ForPlan extends Strategy {
    constructor() {
      super("forPlan");
    }
    override isEnabled(parameters: Record<string, unknown>, context: object): boolean {
      const { properties } = context as { properties?: { plan?: string } };
      return properties?.plan === parameters["plan"];
    }
  }
  const strategies = [{ name: "forPlan", parameters: { plan: "gold" } }];
  const upstream = await startFeatureServer({ features: [flag("a", { strategies })] });
  const custom = [new ForPlan()];
  const unleash = createUnleash(upstream.url, { strategies: custom });
  const { app } = await createProxy(unleash, { customStrategies: custom });
  await expect.poll(() => namesIn(app, "?plan=gold"), SOON).toEqual(["a"]);
  expect(await namesIn(app, "?plan=silver")).toEqual([]);
});

test("createApp() with a client of unleash-client logs a custom strategy that only that client has", async () => {
  const strategies = [{ name: "forPlan" }];
  const upstream = await startFeatureServer({ features: [flag("a", { strategies })] });
  const { app, lines } = await createProxy(createUnleash(upstream.url));
  await expect.poll(() => namesIn(app), SOON).toEqual([]);
  expect(lines.join()).toContain("forPlan");
});

test("createApp() with a client of unleash-client serves its backup while the upstream fails, and logs why", async () => {
  const upstream = await startFeatureServer({ features: [flag("a")] });
  const config = { backupPath, disableAutoStart: true };
  const before = createUnleash(upstream.url, config);
  const synchronized = new Promise<void>((resolve) => before.once("synchronized", resolve));
  await before.start();
  await synchronized;
  before.destroy();

  upstream.failure = 500;
  const after = createUnleash(upstream.url, config);
  const { app, lines } = await createProxy(after);
  await expect.poll(() => namesIn(app), SOON).toEqual(["a"]);
  await expect.poll(() => lines.join(), SOON).toContain("500");
  upstream.document = { features: [flag("b")] };
  upstream.failure = undefined;
  await expect.poll(() => namesIn(app), SOON).toEqual(["b"]);
});

test("createApp() leaves a client of unleash-client running when the app is closed", async () => {
  const upstream = await startFeatureServer({ features: [flag("a")] });
  const unleash = createUnleash(upstream.url);
  const listeners = unleash.eventNames().map((name) => unleash.listenerCount(name));
  const { app } = await createProxy(unleash);
  await expect.poll(() => namesIn(app), SOON).toEqual(["a"]);
  await app.close();
  expect(unleash.eventNames().map((name) => unleash.listenerCount(name))).toEqual(listeners);
  upstream.document = { features: [flag("b")] };
  await expect.poll(() => unleash.isEnabled("b"), SOON).toBe(true);
});

test.each([
  ["null", null],
  ["text", "client"],
  ["an object without methods", {}],
  ["an event emitter", process],
  ["the class instead of an instance", Unleash],
])(
  "createApp() rejects %s as the client, and names the supported types",
  async (_title, client) => {
    const { app } = await createProxy(client as unknown as Unleash);
    await expect(app.ready).rejects.toThrow(TypeError);
    await expect(app.ready).rejects.toThrow(/FlagSource.+Unleash/);
  },
);
