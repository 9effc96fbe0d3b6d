import { start } from "flags-proxy";
import { createFlagsClient } from "flags-sdk";
import { InMemStorageProvider, Unleash, type UnleashConfig } from "unleash-client";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  archiveFlag,
  createFlag,
  createSegment,
  reviveFlag,
  switchFlag,
  updateSegment,
} from "./_flags.ts";
import { BACKEND_TOKEN, type Service, useService } from "./_service.ts";
import { describeAnyStorage } from "./_storages.ts";
import { destroyUnleash } from "../../proxy/test/_unleash-client.ts";

const SOON = { interval: 20 };

interface Client {
  /** Evaluates a flag, and counts the evaluation as usage. */
  isEnabled(name: string, context?: { userId: string }): boolean | Promise<boolean>;
  /** All errors and warnings of the client. */
  readonly problems: unknown[];
}

type StartClient = (service: Service) => Promise<Client>;

function startUnleash(options: Partial<UnleashConfig>): StartClient {
  return async ({ url }) => {
    const client = new Unleash({
      url: `${url}/api`,
      appName: "official",
      customHeaders: { Authorization: BACKEND_TOKEN },
      storageProvider: new InMemStorageProvider(),
      refreshInterval: 50,
      metricsInterval: 100,
      ...options,
    });
    onTestFinished(() => destroyUnleash(client));
    const problems: unknown[] = [];
    client.on("error", (error) => problems.push(error));
    client.on("warn", (warning) => problems.push(warning));
    await new Promise((resolve) => client.once("synchronized", resolve));
    return { isEnabled: (name, context) => client.isEnabled(name, context), problems };
  };
}

const startFlagsSdk: StartClient = async ({ url }) => {
  const client = createFlagsClient({
    url: `${url}/api`,
    appName: "ours",
    token: BACKEND_TOKEN,
    refreshIntervalMs: 50,
    metricsIntervalMs: 100,
  });
  onTestFinished(() => client.close());
  const problems: unknown[] = [];
  client.on("error", (error) => problems.push(error));
  client.on("warn", (warning) => problems.push(warning));
  client.start();
  await client.synchronized();
  return { isEnabled: (name, context) => client.isEnabled(name, context), problems };
};

/** Starts the proxy, with requests and usage reports as its clients send them. */
function startProxy(synchronization: "delta" | "polling" | "streaming"): StartClient {
  return async ({ url }) => {
    const problems: unknown[] = [];
    const addProblem = (message: unknown): void => void problems.push(message);
    const ignore = (): void => undefined;
    const proxy = await start({
      flagsUrl: `${url}/api`,
      flagsApiToken: BACKEND_TOKEN,
      clientKeys: ["client-key"],
      host: "127.0.0.1",
      port: 0,
      synchronization,
      refreshInterval: 50,
      metricsInterval: 100,
      logger: {
        debug: ignore,
        info: ignore,
        warn: addProblem,
        error: addProblem,
        fatal: addProblem,
      },
    });
    onTestFinished(() => proxy.close());
    const headers = { authorization: "client-key", "content-type": "application/json" };
    await expect
      .poll(async () => (await fetch(`${proxy.url}/proxy/health`)).status, SOON)
      .toBe(200);
    return {
      problems,
      isEnabled: async (name, { userId } = { userId: "0" }) => {
        const response = await fetch(`${proxy.url}/proxy?userId=${userId}`, { headers });
        const { toggles } = (await response.json()) as { toggles: { name: string }[] };
        const isOn = toggles.some((toggle) => toggle.name === name);
        const now = new Date().toISOString();
        const counts = { yes: Number(isOn), no: Number(!isOn) };
        const bucket = { start: now, stop: now, toggles: { [name]: counts } };
        const body = JSON.stringify({ appName: "behind-the-proxy", bucket });
        await fetch(`${proxy.url}/proxy/client/metrics`, { method: "POST", headers, body });
        return isOn;
      },
    };
  };
}

/** The application name of each client. */
const APPLICATIONS: Readonly<Record<string, string>> = {
  "unleash-client": "official",
  "flags-sdk": "ours",
  "flags-proxy": "flags-proxy",
};

const CLIENTS: readonly (readonly [name: string, start: StartClient])[] = [
  ["unleash-client, polling", startUnleash({})],
  [
    "unleash-client, polling for deltas",
    startUnleash({ experimentalMode: { type: "polling", format: "delta" } }),
  ],
  ["unleash-client, streaming", startUnleash({ experimentalMode: { type: "streaming" } })],
  ["flags-sdk", startFlagsSdk],
  ["flags-proxy, polling", startProxy("polling")],
  ["flags-proxy, polling for deltas", startProxy("delta")],
  ["flags-proxy, streaming", startProxy("streaming")],
];

describeAnyStorage("SDKs", (source) => {
  const service = useService(source);

  describe.each(CLIENTS)("%s", (title, startClient) => {
    const prefix = title.replaceAll(/\W+/g, "-");

    test("SDKs notice switching, archiving, reviving and a changed segment", async () => {
      const name = `${prefix}-flag`;
      const bySegment = `${prefix}-by-segment`;
      const segment = `${prefix}-segment`;
      const id = await createSegment(service, segment, ["1"]);
      await createFlag(service, name);
      await createFlag(service, bySegment, { strategies: [{ segments: [id] }] });
      const client = await startClient(service);
      const sees = (expected: boolean) =>
        expect.poll(() => client.isEnabled(name), SOON).toBe(expected);
      const seesUser = (userId: string, expected: boolean) =>
        expect.poll(() => client.isEnabled(bySegment, { userId }), SOON).toBe(expected);

      await sees(true);
      await switchFlag(service, name, { on: false });
      await sees(false);
      await switchFlag(service, name, { on: true });
      await sees(true);
      await archiveFlag(service, name);
      await sees(false);
      await reviveFlag(service, name);
      await switchFlag(service, name, { on: true });
      await sees(true);

      await seesUser("1", true);
      await seesUser("2", false);
      await updateSegment(service, { id, name: segment, values: ["2"] });
      await seesUser("2", true);
      await seesUser("1", false);
      expect(client.problems).toEqual([]);
      expect(service.errors).toEqual([]);
    });

    test("registration and metrics are accepted without errors or warnings", async () => {
      const name = `${prefix}-counted`;
      await createFlag(service, name);
      const client = await startClient(service);
      await expect.poll(() => client.isEnabled(name), SOON).toBe(true);
      const counted = async (): Promise<number> => {
        const usage = (await service.admin("GET", `/client-metrics/features/${name}`)) as {
          lastHourUsage: { yes: number }[];
        };
        return usage.lastHourUsage.reduce((sum, { yes }) => sum + yes, 0);
      };
      await expect.poll(counted, SOON).toBeGreaterThan(0);
      const { applications } = (await service.admin("GET", "/metrics/applications")) as {
        applications: { appName: string }[];
      };
      const [program = ""] = title.split(",");
      const appName = APPLICATIONS[program];
      expect(applications.map((application) => application.appName)).toContain(appName);
      expect(client.problems).toEqual([]);
    });
  });
});
