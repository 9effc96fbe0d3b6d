// Several upstream environments in one process, over real sockets and processes.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { StorageProvider } from "flags-sdk";
import { loadConfig } from "../src/config/load-config.ts";
import { start as startInProcess } from "../src/start/start.ts";
import { type CleanUp, CleanUps, eventually, runCommand, startCommand } from "./_command.ts";
import { MemoryLogger } from "./_proxy.ts";

const TOKENS = {
  development: "*:development.upstream-token-1",
  production: "*:production.upstream-token-2",
  test: "*:test.upstream-token-3",
} as const;
type Environment = keyof typeof TOKENS;
const ENVIRONMENTS = Object.keys(TOKENS) as Environment[];

const keyOf = (environment: Environment): string => `web:${environment}.client-key`;
const serverTokenOf = (environment: Environment): string => `*:${environment}.server-token-123`;

const SETTINGS = {
  FLAGS_API_TOKEN: Object.values(TOKENS).join(","),
  FLAGS_PROXY_CLIENT_KEYS: ENVIRONMENTS.map(keyOf).join(","),
  EXP_SERVER_SIDE_SDK_CONFIG_TOKENS: ENVIRONMENTS.map(serverTokenOf).join(","),
  FLAGS_FETCH_INTERVAL: "100",
  FLAGS_METRICS_INTERVAL: "100",
  LOG_LEVEL: "info",
};

interface Upstream {
  readonly url: string;
  /** The names of the flags of each environment. */
  readonly flags: Record<Environment, string[]>;
  /** When set, the status of every response to a token. */
  readonly failures: Partial<Record<Environment, number>>;
  /** Names of the flags in usage reports, by token. */
  readonly usage: { readonly token: string; readonly names: readonly string[] }[];
}

/** Starts an upstream with several environments, as a flag-management API has. */
async function startUpstream(cleanUp: CleanUp = onTestFinished): Promise<Upstream> {
  const server = createServer((request, response) => {
    const token = request.headers.authorization ?? "";
    const environment = ENVIRONMENTS.find((name) => TOKENS[name] === token);
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    void text(request).then((body) => {
      if (environment === undefined) return send(401, {});
      const failure = upstream.failures[environment];
      if (failure !== undefined) return send(failure, {});
      if (request.method === "GET") {
        const features = upstream.flags[environment].map((name) => ({
          name,
          enabled: true,
          strategies: [{ name: "default" }],
        }));
        return send(200, { version: 2, features, segments: [] });
      }
      if (request.url?.endsWith("/metrics")) {
        const { bucket } = JSON.parse(body) as { bucket: { toggles: object } };
        upstream.usage.push({ token, names: Object.keys(bucket.toggles) });
      }
      // Without bulk reports, usage is sent to `/client/metrics`.
      return send(request.url?.endsWith("/bulk") ? 404 : 202, {});
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUp(() => {
    server.closeAllConnections();
    server.close();
  });
  const upstream: Upstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    flags: { development: ["a", "in-development"], production: ["a"], test: ["in-test"] },
    failures: {},
    usage: [],
  };
  return upstream;
}

/** Starts the command, with an upstream that rejects the token for production. */
async function start(workers: string, cleanUp: CleanUp) {
  const upstream = await startUpstream(cleanUp);
  upstream.failures.production = 401;
  const environment = { ...SETTINGS, FLAGS_URL: upstream.url, FLAGS_PROXY_WORKERS: workers };
  const command = startCommand(environment, { cleanUp });
  const url = await command.listening();
  const send = (path: string, key: string, init: RequestInit = {}): Promise<Response> =>
    fetch(url + path, {
      ...init,
      headers: { authorization: key, "content-type": "application/json", connection: "close" },
    });
  const flagsOf = async (environment: Environment): Promise<readonly string[] | number> => {
    const response = await send("/proxy", keyOf(environment));
    const body = (await response.json()) as { toggles?: { name: string }[] };
    return body.toggles?.map(({ name }) => name) ?? response.status;
  };
  // NOTE: `expect.poll()` is not available in hooks.
  await vi.waitUntil(async () => (await fetch(`${url}/proxy/health`)).status === 200, 30_000);
  return { upstream, command, url, send, flagsOf };
}

describe.each(["1", "2"])("FLAGS_PROXY_WORKERS=%s", (workers) => {
  const cleanUps = new CleanUps();
  let setup: Awaited<ReturnType<typeof start>>;

  // One after the other, with the same processes.
  beforeAll(async () => {
    setup = await start(workers, cleanUps.add);
    return () => cleanUps.run();
  });

  test("an environment that fails from the start affects only its own keys, and recovers", async () => {
    const { upstream, url, flagsOf } = setup;
    expect(await flagsOf("production")).toBe(503);
    expect(await flagsOf("development")).toEqual(["a", "in-development"]);
    upstream.flags.development.push("new");
    await eventually(() => flagsOf("development")).toContain("new");
    const metrics = await (await fetch(`${url}/proxy/internal-backstage/prometheus`)).text();
    expect(metrics).toContain('flags_proxy_source_flags{source="development"} 3');
    expect(metrics).toContain('flags_proxy_source_flags{source="production"} 0');
    expect(metrics).toMatch(/flags_proxy_source_errors_total\{source="production"\} [1-9]/);
    expect(metrics).toMatch(/flags_proxy_source_errors_total\{source="development"\} 0/);
    delete upstream.failures.production;
    await eventually(() => flagsOf("production")).toEqual(["a"]);
  });

  test("each key gets the flags of its own environment, in every protocol", async () => {
    const { upstream, send } = setup;
    for (const environment of ENVIRONMENTS) {
      const own = upstream.flags[environment];
      const key = keyOf(environment);
      const post = { method: "POST", body: '{"context":{}}' };
      for (const [path, init] of [
        ["/proxy", {}],
        ["/proxy", post],
        ["/proxy?userId=1&sessionId=2", {}],
        ["/api/frontend", {}],
        ["/api/frontend", post],
      ] as const) {
        const body = (await (await send(path, key, init)).json()) as {
          toggles: { name: string }[];
        };
        expect(body.toggles.map(({ name }) => name)).toEqual(own);
      }
      const ofrep = await send("/ofrep/v1/evaluate/flags", key, post);
      const { flags } = (await ofrep.json()) as { flags: { key: string }[] };
      expect(flags.map((flag) => flag.key)).toEqual(own);
      const definitions = await send("/api/client/features", serverTokenOf(environment));
      const { features } = (await definitions.json()) as { features: { name: string }[] };
      expect(features.map(({ name }) => name)).toEqual(own);
    }
  });

  test("usage is sent with the token of its environment", async () => {
    const { upstream, send } = setup;
    for (const environment of ENVIRONMENTS) {
      const [name = ""] = upstream.flags[environment];
      const bucket = {
        start: new Date(),
        stop: new Date(),
        toggles: { [name]: { yes: 1, no: 0 } },
      };
      const body = JSON.stringify({ appName: environment, instanceId: "i", bucket });
      const { status } = await send("/proxy/client/metrics", keyOf(environment), {
        method: "POST",
        body,
      });
      expect(status).toBe(200);
    }
    const expected = ENVIRONMENTS.map((environment) => ({
      token: TOKENS[environment],
      names: upstream.flags[environment].slice(0, 1),
    }));
    await eventually(() => upstream.usage).toEqual(expect.arrayContaining(expected));
    expect(upstream.usage).toHaveLength(3);
  });

  test("an environment that fails later keeps its last good flags, and the others change", async () => {
    const { upstream, command, flagsOf } = setup;
    upstream.failures.production = 500;
    upstream.flags.production.push("unseen");
    upstream.flags.test.push("new");
    await eventually(() => flagsOf("test")).toEqual(["in-test", "new"]);
    await eventually(() => command.output.stderr + command.output.stdout).toMatch(
      /production: .*500/,
    );
    expect(await flagsOf("production")).toEqual(["a"]);
  });
});

test("the proxy is not ready while no environment has flags", async () => {
  const upstream = await startUpstream();
  for (const environment of ENVIRONMENTS) upstream.failures[environment] = 503;
  const command = startCommand({ ...SETTINGS, FLAGS_URL: upstream.url });
  const url = await command.listening();
  expect((await fetch(`${url}/proxy/health`)).status).toBe(503);
  for (const environment of ENVIRONMENTS) delete upstream.failures[environment];
  await eventually(async () => (await fetch(`${url}/proxy/health`)).status).toBe(200);
});

test("a custom storage gives each token its own flags after a restart, in any order of the tokens", async () => {
  // Two tokens for one environment, and an environment that is called like the second source of another one.
  const scopes = ["shop:production", "blog:production", "blog:production-2"];
  let status = 200;
  const upstream = createServer((request, response) => {
    const [name] = (request.headers.authorization ?? "").split(".");
    const features = [{ name, enabled: true, project: "shop", strategies: [{ name: "default" }] }];
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ version: 2, features, segments: [] }));
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void upstream.close());
  const flagsUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/api`;

  const stored = new Map<string, unknown>();
  const storageProvider: StorageProvider = {
    get: async (key) => stored.get(key),
    set: async (key, value) => void stored.set(key, value),
  };
  const readAll = async (order: readonly string[]): Promise<void> => {
    const proxy = await startInProcess({
      flagsUrl,
      flagsApiToken: order.map((scope) => `${scope}.upstream-token`),
      clientKeys: scopes.map((scope) => `${scope}.client-key`),
      storageProvider,
      logger: new MemoryLogger(),
      host: "127.0.0.1",
      port: 0,
    });
    onTestFinished(() => proxy.close());
    for (const scope of scopes) {
      const headers = { authorization: `${scope}.client-key` };
      const read = async () => (await fetch(`${proxy.url}/proxy`, { headers })).text();
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await eventually(read).toContain(`"name":"${scope}"`);
    }
    await proxy.close();
  };
  await readAll(scopes);
  status = 503;
  await readAll(scopes.toReversed());
});

const ONLY_CLIENTS = {
  ...SETTINGS,
  EXP_SERVER_SIDE_SDK_CONFIG_TOKENS: "",
  FLAGS_URL: "http://127.0.0.1:1/api",
};

test.each([
  [
    { FLAGS_PROXY_CLIENT_KEYS: "web:production.key,any-client-key" },
    "Entry 2 of FLAGS_PROXY_CLIENT_KEYS does not name an environment, but FLAGS_API_TOKEN (option flagsApiToken) has several (development, production, test): use keys of the form project:environment.secret, or move this key to FLAGS_ACCESS_FILE (option accessFile), where it can have an `environment`\n",
  ],
  [
    {
      FLAGS_API_TOKEN: "web:production.token-1,shop:production.token-2",
      FLAGS_PROXY_CLIENT_KEYS: "any-client-key",
    },
    "Entry 1 of FLAGS_PROXY_CLIENT_KEYS does not name an environment, but FLAGS_API_TOKEN (option flagsApiToken) has several tokens for production: use keys of the form project:environment.secret, or move this key to FLAGS_ACCESS_FILE (option accessFile), where it can have an `environment` and `projects`\n",
  ],
  [
    {
      FLAGS_API_TOKEN: "*:production.old-token,*:production.new-token",
      FLAGS_PROXY_CLIENT_KEYS: "any-client-key",
    },
    "Entry 1 of FLAGS_PROXY_CLIENT_KEYS does not name an environment, and FLAGS_API_TOKEN (option flagsApiToken) has several tokens for production and the same project: keep one of these tokens\n",
  ],
  [
    { FLAGS_PROXY_CLIENT_KEYS: "web:staging.key" },
    "Entry 1 of FLAGS_PROXY_CLIENT_KEYS is a key for the environment staging, but FLAGS_API_TOKEN (option flagsApiToken) serves only development, production, test",
  ],
  [
    { FLAGS_API_TOKEN: TOKENS.development, FLAGS_PROXY_CLIENT_KEYS: "*:production.key" },
    "serves only development: add a token for production, or remove the key",
  ],
  [
    { EXP_SERVER_SIDE_SDK_CONFIG_TOKENS: "*:staging.server-token-123" },
    "Entry 1 of EXP_SERVER_SIDE_SDK_CONFIG_TOKENS is a key for the environment staging",
  ],
  [
    {
      FLAGS_API_TOKEN: "web:production.token-1,shop:production.token-2",
      FLAGS_PROXY_CLIENT_KEYS: "web:production.key,*:production.key",
    },
    "Entry 2 of FLAGS_PROXY_CLIENT_KEYS does not say which of the tokens for production it belongs to",
  ],
  [
    { EXP_BOOTSTRAP_URL: "http://127.0.0.1:1/" },
    "EXP_BOOTSTRAP_URL gives the flags of one environment",
  ],
])("the proxy does not start with %j", async (environment, problem) => {
  const loading = loadConfig({ logger: new MemoryLogger() }, { ...ONLY_CLIENTS, ...environment });
  const { message } = await loading.then(
    () => new Error("The configuration is valid"),
    (error: Error) => error,
  );
  expect(`${message}\n`).toContain(problem);
  expect(message).not.toContain("server-token-123");
});

test("the command does not start with a key of an environment that no token serves", async () => {
  const FLAGS_PROXY_CLIENT_KEYS = "web:staging.key";
  const { code, stderr } = await runCommand({ ...ONLY_CLIENTS, FLAGS_PROXY_CLIENT_KEYS });
  expect(code).not.toBe(0);
  expect(stderr).toContain(
    "Entry 1 of FLAGS_PROXY_CLIENT_KEYS is a key for the environment staging",
  );
});
