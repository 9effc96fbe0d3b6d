import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { sized } from "../../../scripts/test-size.ts";
import { mountSmallDisk, skipsSmallDisks } from "../../admin/test/_small-disk.ts";
import { loadConfig } from "../src/config/load-config.ts";
import { chooseSources } from "../src/start/choose-sources.ts";
import { MemoryLogger } from "./_proxy.ts";
import { DocumentSource } from "./_source.ts";
import { type Command, eventually, runCommand, startCommand, untilReady } from "./_command.ts";
import { startRecordingUpstream } from "./_recording-upstream.ts";
import { type SlowUpstream, startSlowUpstream } from "./_slow-upstream.ts";
import { isRunning, KEY, pidsOf } from "./_workers.ts";

const KILL_ROUNDS = Number(process.env["KILL_ROUNDS"] ?? 0);
const CLIENTS = 10;

async function createFolder(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "flags-usage-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

interface Proxy {
  readonly command: Command;
  readonly url: string;
}

const settingsOf = (upstreamUrl: string, directory: string) => ({
  FLAGS_URL: upstreamUrl,
  FLAGS_API_TOKEN: "*:development.a-token-of-the-tests",
  FLAGS_PROXY_CLIENT_KEYS: KEY,
  FLAGS_USAGE_SPOOL: directory,
  FLAGS_METRICS_INTERVAL: "1000000",
});

async function startProxy(environment: Record<string, string>): Promise<Proxy> {
  const command = startCommand(environment);
  const url = await command.listening();
  await untilReady(url);
  return { command, url };
}

async function kill({ command }: Proxy): Promise<void> {
  command.signal("SIGKILL");
  await command.finished();
}

/**
 * Reports one evaluation by this application, an impact metric, and, since it names the SDK, a registration.
 * Resolves to whether all of it was confirmed.
 */
function report(proxy: Proxy, appName: string, key: string = KEY): Promise<boolean> {
  const samples = [{ labels: { appName }, value: 1 }];
  const impactMetrics = [{ name: "reports", help: "", type: "counter", samples }];
  const bucket = { toggles: { on: { yes: 1, no: 0 } } };
  return post(proxy, "metrics", { appName, bucket, impactMetrics }, key);
}

/** Sends a request of an SDK; resolves to whether it was confirmed. */
async function post(
  { url }: Proxy,
  path: string,
  body: object,
  key: string = KEY,
): Promise<boolean> {
  try {
    const response = await fetch(`${url}/proxy/client/${path}`, {
      method: "POST",
      headers: {
        authorization: key,
        "content-type": "application/json",
        "unleash-sdk": "test-sdk:1.0.0",
      },
      body: JSON.stringify(body),
    });
    await response.text();
    return response.status === 200;
  } catch {
    return false;
  }
}

async function metricsOf({ url }: Proxy): Promise<string> {
  return (await fetch(`${url}/proxy/internal-backstage/prometheus`)).text();
}

/**
 * Several clients report, each report under an unused name, until the proxy has been killed after a
 * random number of confirmations. Returns the confirmed names.
 */
async function reportUntilKilled(
  proxy: Proxy,
  prefix: string,
  onHalf: () => void,
): Promise<readonly string[]> {
  const confirmed: string[] = [];
  const half = 10 + Math.floor(Math.random() * 60);
  let sent = 0;
  const reportInTurn = async (): Promise<void> => {
    for (let failures = 0; failures < 50;) {
      sent += 1;
      const name = `${prefix}-${sent}`;
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      if (await report(proxy, name)) confirmed.push(name);
      else failures += 1;
      if (confirmed.length === half) onHalf();
      if (confirmed.length === 2 * half) proxy.command.signal("SIGKILL");
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, reportInTurn));
  await proxy.command.finished();
  return confirmed;
}

/**
 * Waits for all usage, impact metrics and registrations in the spool to be delivered. Returns how many
 * evaluations and impact metrics the upstream has received twice.
 */
async function expectDelivered(
  upstream: SlowUpstream,
  confirmed: readonly string[],
): Promise<number> {
  await eventually(async () => {
    const { yes, impact, applications } = await upstream.received();
    const registered = new Set(applications.map(({ appName }) => appName));
    return confirmed.filter(
      (name) => yes[name] === undefined || impact[name] === undefined || !registered.has(name),
    );
  }).toEqual([]);
  const { yes, impact } = await upstream.received();
  return [...Object.values(yes), ...Object.values(impact)].reduce(
    (sum, count) => sum + count - 1,
    0,
  );
}

describe("usage, impact metrics and registrations that were confirmed are delivered", () => {
  test.each([
    ["the process is killed", KILL_ROUNDS || sized(2, 5), {}],
    [
      "a worker and then the primary process are killed",
      KILL_ROUNDS || sized(1, 2),
      { FLAGS_PROXY_WORKERS: "2", LOG_LEVEL: "info" },
    ],
  ])(
    "confirmed usage is delivered although %s under load, %i times",
    async (_title, rounds, more) => {
      const upstream = await startSlowUpstream({ delayMs: 5 });
      const directory = await createFolder();
      const environment = { ...settingsOf(upstream.url, directory), ...more };
      const confirmed: string[] = [];
      for (let round = 1; round <= rounds; round += 1) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const proxy = await startProxy({ ...environment, FLAGS_METRICS_INTERVAL: "30" });
        const [worker] = pidsOf(proxy.command);
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const names = await reportUntilKilled(proxy, `round-${round}`, () => {
          if (worker !== undefined && isRunning(worker)) process.kill(worker, "SIGKILL");
        });
        confirmed.push(...names);
      }
      const last = await startProxy(environment);
      const duplicates = await expectDelivered(upstream, confirmed);
      // Only what was being sent at the moment of the kill can be delivered twice.
      expect(duplicates).toBeLessThan(confirmed.length);
      if (KILL_ROUNDS > 0) {
        process.stdout.write(`Confirmed: ${confirmed.length}, delivered twice: ${duplicates}\n`);
      }
      last.command.signal("SIGTERM");
      expect((await last.command.finished()).code).toBe(0);
      const files = await readdir(join(directory, "development"));
      expect(files).toEqual([expect.stringMatching(/^lock\.\d+$/)]);
    },
  );

  test("confirmed usage is delivered once after a restart, although the upstream was down before", async () => {
    const directory = await createFolder();
    const upstream = await startSlowUpstream();
    const first = await startProxy(settingsOf(upstream.url, directory));
    expect(await report(first, "before")).toBe(true);
    await kill(first);
    const second = await startProxy(settingsOf(upstream.url, directory));
    expect(await expectDelivered(upstream, ["before"])).toBe(0);
    await kill(second);
    const third = await startProxy(settingsOf(upstream.url, directory));
    expect(await report(third, "after")).toBe(true);
    third.command.signal("SIGTERM");
    const { code, stderr } = await third.command.finished();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const { yes, impact } = await upstream.received();
    expect(yes).toEqual({ before: 1, after: 1 });
    expect(impact).toEqual({ before: 1, after: 1 });
  });

  test.each([
    ["one process", {}],
    ["workers", { FLAGS_PROXY_WORKERS: "2", LOG_LEVEL: "info" }],
  ])(
    "registrations are delivered although SDKs send them only once and the process is then killed: %s",
    async (_title, more) => {
      const directory = await createFolder();
      const upstream = await startSlowUpstream();
      const environment = { ...settingsOf(upstream.url, directory), ...more };
      const first = await startProxy(environment);
      const registration = { appName: "shop", instanceId: "one", strategies: ["default"] };
      expect(await post(first, "register", registration)).toBe(true);
      await kill(first);
      expect((await upstream.received()).applications).not.toContainEqual(
        expect.objectContaining({ appName: "shop" }),
      );
      await startProxy(environment);
      await eventually(async () => (await upstream.received()).applications).toContainEqual(
        expect.objectContaining({
          ...registration,
          sdkType: "frontend",
          sdkVersion: "test-sdk:1.0.0",
        }),
      );
    },
  );
});

test.skipIf(skipsSmallDisks)(
  "while the disk is full, reports are confirmed, logged and counted, and they are written as soon as there is space",
  async () => {
    const disk = mountSmallDisk(2);
    const upstream = await startSlowUpstream();
    const settings = settingsOf(upstream.url, join(disk.directory, "usage"));
    const proxy = await startProxy(settings);
    expect(await report(proxy, "before")).toBe(true);
    disk.fillUpTo(0);
    const names = Array.from({ length: 50 }, (_, index) => `full-${index}-${"x".repeat(200)}`);
    for (const name of names) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await report(proxy, name)).toBe(true);
    }
    expect(proxy.command.output.stdout).toContain(
      "Usage is only in memory, because the spool " +
        `${disk.directory}/usage/development cannot be used: the disk is full (ENOSPC)`,
    );
    expect(await metricsOf(proxy)).toMatch(
      /\nflags_proxy_usage_spool_unwritten_total\{source="development"\} [1-9]/,
    );
    disk.release();
    await eventually(() => proxy.command.output.stdout).toContain("The spool is working again");
    expect(await metricsOf(proxy)).toContain(
      '\nflags_proxy_usage_spool_writable{source="development"} 1\n',
    );
    await kill(proxy);
    await startProxy(settings);
    expect(await expectDelivered(upstream, ["before", ...names])).toBe(0);
  },
);

describe("FLAGS_USAGE_SPOOL", () => {
  test("a spool keeps the usage of an environment that is not configured, with a warning", async () => {
    const directory = await createFolder();
    const folder = join(directory, "production");
    await mkdir(folder);
    await writeFile(join(folder, "usage-00000001.log"), "");
    await mkdir(join(directory, "development"));
    await mkdir(join(directory, "something-else"));
    const logger = new MemoryLogger();
    await loadConfig({ logger }, settingsOf("http://127.0.0.1:1/api", directory));
    expect(logger.lines.map(({ parts }) => parts[0])).toContain(
      `${folder} contains usage for which no upstream token is configured any more: it stays there until one is configured again, or you delete it`,
    );
    expect(logger.lines.filter(({ parts }) => String(parts[0]).includes("any more"))).toHaveLength(
      1,
    );
    expect(await readdir(folder)).toHaveLength(1);
  });

  test("usage is delivered with the token of its project, even if the tokens are in another order after a kill", async () => {
    const [one, two] = ["one:development.token-of-the-tests", "two:development.token-of-the-tests"];
    const upstream = await startRecordingUpstream();
    const settings = {
      ...settingsOf(upstream.url, await createFolder()),
      FLAGS_API_TOKEN: `${one},${two}`,
      FLAGS_PROXY_CLIENT_KEYS: "one:development.key-of-the-tests",
    };
    const command = startCommand(settings);
    const url = await command.listening();
    await untilReady(url);
    const key = settings.FLAGS_PROXY_CLIENT_KEYS;
    expect(await report({ command, url }, "app", key)).toBe(true);
    await kill({ command, url });
    startCommand({ ...settings, FLAGS_API_TOKEN: `${two},${one}` });
    const { headers } = await upstream.first("/api/client/metrics");
    expect(headers.authorization).toBe(one);
  });

  test("FLAGS_USAGE_SPOOL has no effect without reports, or if the program passes a source that delivers usage itself", async () => {
    const logger = new MemoryLogger();
    const spool = await createFolder();
    const options = { usageSpool: spool, metricsInterval: 0, logger };
    const config = await loadConfig(options, settingsOf("http://127.0.0.1:1/api", spool));
    chooseSources(config, new DocumentSource());
    expect(logger.lines.map(({ parts }) => parts[0])).toEqual(
      expect.arrayContaining([
        "Option usageSpool has no effect: FLAGS_METRICS_INTERVAL (option metricsInterval) is 0",
        "FLAGS_USAGE_SPOOL (option usageSpool) has no effect: the client that was passed delivers usage itself",
      ]),
    );
  });

  test("a spool that cannot be written prevents the start, and `check` reports it", async () => {
    const directory = await createFolder();
    const file = join(directory, "file");
    await writeFile(file, "");
    const spool = join(file, "usage");
    const environment = settingsOf("http://127.0.0.1:1/api", spool);
    const problem = `FLAGS_USAGE_SPOOL (option usageSpool) cannot write to the directory ${spool}: a part of the path is a file, not a directory (ENOTDIR). Correct that, or choose another directory`;
    const started = await runCommand(environment);
    expect(started.code).toBe(1);
    expect(started.stderr).toContain(problem);
    const checked = await runCommand(environment, ["check"]);
    expect(checked.code).toBe(1);
    expect(checked.stdout + checked.stderr).toContain(problem);
  });

  test.runIf(process.platform === "linux")(
    "that cannot be created prevents the start",
    async () => {
      const environment = settingsOf("http://127.0.0.1:1/api", "/proc/flags");
      const { code, stderr } = await runCommand(environment);
      expect(code).toBe(1);
      expect(stderr).toContain(
        "cannot write to the directory /proc/flags: a part of the path does not exist, and cannot be created (ENOENT)",
      );
    },
  );
});
