// Proxies that keep their flags in a store: real processes, real servers.

import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { isComplete } from "../../../scripts/test-size.ts";
import { mountSmallDisk, skipsSmallDisks } from "../../admin/test/_small-disk.ts";
import type { CheckReport } from "../src/cli/check/run-check.ts";
import {
  type Command,
  eventually,
  healthOf,
  runCommand,
  startCommand,
  untilReady,
} from "./_command.ts";
import { flag } from "./_documents.ts";
import { type FeatureServer, startFeatureServer } from "./_feature-server.ts";
import type { StoreServer } from "./_store-server.ts";
import { STORE_KINDS } from "./_stores.ts";

const KEY = "client-key";
const SETTINGS = {
  FLAGS_API_TOKEN: "*:production.upstream-token",
  FLAGS_PROXY_CLIENT_KEYS: KEY,
  FLAGS_FETCH_INTERVAL: "50",
  FLAGS_METRICS_INTERVAL: "0",
  LOG_LEVEL: "info",
};

const documentOf = (...names: string[]) => ({ features: names.map((name) => flag(name)) });

interface Proxy {
  readonly command: Command;
  readonly url: string;
}

async function startProxy(
  upstream: FeatureServer,
  environment: Record<string, string | undefined>,
): Promise<Proxy> {
  const variables = { ...SETTINGS, FLAGS_URL: upstream.url, ...environment };
  const command = startCommand(variables);
  return { command, url: await command.listening() };
}

async function flagsOf(url: string): Promise<readonly string[] | number> {
  const response = await fetch(`${url}/proxy`, {
    headers: { authorization: KEY, connection: "close" },
  });
  const body = (await response.json()) as { toggles?: { name: string }[] };
  return body.toggles?.map(({ name }) => name) ?? response.status;
}

/** Returns a value from the metrics of a proxy; undefined if there is no such line. */
async function metricOf(url: string, line: string): Promise<number | undefined> {
  const response = await fetch(`${url}/proxy/internal-backstage/prometheus`);
  const found = (await response.text()).split("\n").find((each) => each.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length));
}

const STORED_AT = 'flags_proxy_source_stored_timestamp_seconds{source="production"}';

const AGE = 'flags_proxy_source_age_seconds{source="production"}';

/** Waits until the flags of a proxy are in the store. */
async function untilStored(url: string): Promise<void> {
  await untilReady(url);
  await eventually(() => metricOf(url, STORED_AT)).toBeGreaterThan(1_700_000_000);
}

/** Runs a proxy until its flags are in the store, and kills it. */
async function store(
  upstream: FeatureServer,
  environment: Record<string, string | undefined>,
): Promise<void> {
  const { command, url } = await startProxy(upstream, environment);
  await untilStored(url);
  command.signal("SIGKILL");
  await command.finished();
}

const logOf = ({ command }: Proxy): string => command.output.stdout + command.output.stderr;

// stores.test.ts tests every kind of store. Processes differ only between those with and without a server.
const KINDS = STORE_KINDS.filter(({ name }) => isComplete || name === "file" || name === "Redis");

describe.each(KINDS)("$name", ({ start, hasProcess }) => {
  let server: StoreServer;

  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.stop());

  const environmentOf = (address = server.createAddress()) => ({
    ...server.environment,
    FLAGS_STORE: address,
    // fleet.test.ts tests replicas that share flags.
    ...(address.startsWith("redis") && { FLAGS_SHARED_POLLING: "false" }),
  });
  /** The address in messages. */
  const shownAddressOf = ({ FLAGS_STORE }: { FLAGS_STORE: string }): string =>
    FLAGS_STORE.replace("?endpoint=", " at ").replace(/\?prefix=.*/, "");

  test.each(["1", "2"])(
    "a proxy starts with stored flags while the upstream is down, and follows it later; workers: %s",
    async (workers) => {
      const upstream = await startFeatureServer(documentOf("stored"));
      const environment = { ...environmentOf(), FLAGS_PROXY_WORKERS: workers };
      await store(upstream, environment);
      upstream.failure = 503;
      const proxy = await startProxy(upstream, environment);
      await untilReady(proxy.url);
      expect(await flagsOf(proxy.url)).toEqual(["stored"]);
      expect(logOf(proxy)).toMatch(
        /Started with the flags of the store, which the upstream confirmed .* ago/,
      );
      await eventually(() => logOf(proxy)).toMatch(
        /WARN: Serving the flags of the store, which the upstream confirmed .* ago, until the upstream sends flags/,
      );
      expect(await metricOf(proxy.url, AGE)).toBeGreaterThanOrEqual(0);
      expect(logOf(proxy)).not.toContain("Synchronized");
      expect(logOf(proxy)).not.toContain("upstream-token");
      upstream.document = documentOf("new");
      upstream.failure = undefined;
      await eventually(() => flagsOf(proxy.url)).toEqual(["new"]);
    },
  );

  test("a proxy with another upstream token does not use the stored flags", async () => {
    const upstream = await startFeatureServer(documentOf("stored"));
    const environment = environmentOf();
    await store(upstream, environment);
    upstream.failure = 503;
    const token = { FLAGS_API_TOKEN: "*:production.another-token" };
    const proxy = await startProxy(upstream, { ...environment, ...token });
    const missing = 'flags_proxy_store_operations_total{operation="read",result="missing"}';
    await eventually(() => logOf(proxy)).toContain(
      `WARN: The store ${shownAddressOf(environment)} contains no flags of this upstream and token, so requests get a 503`,
    );
    expect(logOf(proxy)).toContain("Fetching flags failed");
    expect(await healthOf(proxy.url)).toBe(503);
    upstream.failure = undefined;
    await untilStored(proxy.url);
    expect(await metricOf(proxy.url, missing)).toBeGreaterThan(0);
  });

  if (hasProcess) {
    test("a server that hangs delays neither the start nor requests", async () => {
      const upstream = await startFeatureServer(documentOf("a"));
      const environment = environmentOf();
      server.freeze?.();
      onTestFinished(() => server.resume?.());
      const proxy = await startProxy(upstream, environment);
      await untilReady(proxy.url);
      expect(await flagsOf(proxy.url)).toEqual(["a"]);
      await eventually(() => logOf(proxy)).toContain(
        `Reading from the store ${shownAddressOf(environment)}`,
      );
      upstream.document = documentOf("b");
      await eventually(() => flagsOf(proxy.url)).toEqual(["b"]);
      server.resume?.();
      upstream.document = documentOf("c");
      await eventually(() => logOf(proxy)).toContain("works again");
      await untilStored(proxy.url);
      proxy.command.signal("SIGTERM");
      expect((await proxy.command.finished()).code).toBe(0);
    });

    test("a server that hangs at first is read again", async () => {
      const upstream = await startFeatureServer(documentOf("a"));
      const environment = environmentOf();
      await store(upstream, environment);
      upstream.failure = 503;
      server.freeze?.();
      onTestFinished(() => server.resume?.());
      const proxy = await startProxy(upstream, environment);
      await eventually(() => logOf(proxy)).toContain("Reading from the store");
      expect(await healthOf(proxy.url)).toBe(503);
      server.resume?.();
      await untilReady(proxy.url);
      expect(await flagsOf(proxy.url)).toEqual(["a"]);
    });
  }

  test("flags-proxy check writes, reads and deletes a document", async () => {
    const upstream = await startFeatureServer(documentOf("a"));
    const environment = environmentOf();
    const { stdout, code } = await runCommand(
      { ...SETTINGS, FLAGS_URL: upstream.url, ...environment },
      ["check", "--json"],
    );
    expect(code).toBe(0);
    const { warnings, store: checked } = JSON.parse(stdout) as CheckReport;
    expect(warnings.filter((warning) => warning.includes("store"))).toEqual([]);
    expect(checked).toEqual({
      address: shownAddressOf(environment),
      writeMs: expect.any(Number) as number,
      readMs: expect.any(Number) as number,
    });
  });

  test("several proxies share a store", async () => {
    const upstream = await startFeatureServer(documentOf("a"));
    const environment = environmentOf();
    const proxies = await Promise.all([1, 2, 3].map(() => startProxy(upstream, environment)));
    await Promise.all(proxies.map(({ url }) => untilStored(url)));
    upstream.document = documentOf("b");
    await Promise.all(proxies.map(({ url }) => eventually(() => flagsOf(url)).toEqual(["b"])));
    // A graceful shutdown waits until the flags are stored.
    for (const { command } of proxies) command.signal("SIGTERM");
    for (const { code } of await Promise.all(proxies.map(({ command }) => command.finished()))) {
      expect(code).toBe(0);
    }
    upstream.failure = 503;
    const restarted = await startProxy(upstream, environment);
    await untilReady(restarted.url);
    expect(await flagsOf(restarted.url)).toEqual(["b"]);
    for (const proxy of proxies) expect(logOf(proxy)).not.toMatch(/\b(?:WARN|ERROR)\b/);
  });
});

describe("a directory", () => {
  async function createDirectory(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), "flags-store-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    return directory;
  }

  test("stored definitions without flags are served while the upstream is down", async () => {
    const upstream = await startFeatureServer(documentOf());
    const environment = { FLAGS_STORE: `file:${await createDirectory()}` };
    await store(upstream, environment);
    upstream.failure = 503;
    const proxy = await startProxy(upstream, environment);
    await untilReady(proxy.url);
    expect(await flagsOf(proxy.url)).toEqual([]);
  });

  test("a damaged file in the directory is not used, and is replaced by flags of the upstream", async () => {
    const upstream = await startFeatureServer(documentOf("a"));
    const directory = await createDirectory();
    const environment = { FLAGS_STORE: `file:${directory}` };
    await store(upstream, environment);
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    const [file] = entries.filter((entry) => entry.isFile());
    const path = join(file?.parentPath ?? "", file?.name ?? "");
    await writeFile(path, "damaged\n");
    upstream.failure = 503;
    const proxy = await startProxy(upstream, environment);
    await eventually(() => logOf(proxy)).toContain("Ignoring the flags in the store");
    expect(await healthOf(proxy.url)).toBe(503);
    upstream.failure = undefined;
    await untilStored(proxy.url);
    upstream.failure = 503;
    const restarted = await startProxy(upstream, environment);
    await untilReady(restarted.url);
    expect(await flagsOf(restarted.url)).toEqual(["a"]);
  });

  test("flags-proxy check warns of a directory that cannot be used", async () => {
    const upstream = await startFeatureServer(documentOf("a"));
    const path = join(await createDirectory(), "file");
    await writeFile(path, "");
    const { stdout, code } = await runCommand(
      { ...SETTINGS, FLAGS_URL: upstream.url, FLAGS_STORE: `file:${path}` },
      ["check"],
    );
    expect(code).toBe(0);
    expect(stdout).toContain(
      `The store file:${path} cannot be used: a part of the path is a file, not a directory`,
    );
  });

  test("a directory that cannot be used does not prevent the proxy from serving", async () => {
    const upstream = await startFeatureServer(documentOf("a"));
    const path = join(await createDirectory(), "file");
    await writeFile(path, "");
    const proxy = await startProxy(upstream, { FLAGS_STORE: `file:${path}` });
    await untilReady(proxy.url);
    expect(await flagsOf(proxy.url)).toEqual(["a"]);
    await eventually(() => logOf(proxy)).toContain(
      `Reading from the store file:${path} failed: a part of the path is a file, not a directory`,
    );
    expect(await metricOf(proxy.url, STORED_AT)).toBe(0);
  });

  test.skipIf(skipsSmallDisks)("a directory on a full disk keeps the previous flags", async () => {
    const upstream = await startFeatureServer(documentOf("a"));
    const disk = mountSmallDisk(2);
    const environment = { FLAGS_STORE: `file:${join(disk.directory, "store")}` };
    const proxy = await startProxy(upstream, environment);
    await untilStored(proxy.url);
    disk.fillUpTo(0);
    upstream.document = documentOf("b");
    await eventually(() => flagsOf(proxy.url)).toEqual(["b"]);
    await eventually(() => logOf(proxy)).toContain("failed: the disk is full");
    proxy.command.signal("SIGKILL");
    upstream.failure = 503;
    const restarted = await startProxy(upstream, environment);
    await untilReady(restarted.url);
    expect(await flagsOf(restarted.url)).toEqual(["a"]);
    disk.release();
    upstream.failure = undefined;
    await eventually(() => flagsOf(restarted.url)).toEqual(["b"]);
    await eventually(() =>
      metricOf(
        restarted.url,
        'flags_proxy_store_operations_total{operation="write",result="success"}',
      ),
    ).toBeGreaterThan(0);
  });
});
