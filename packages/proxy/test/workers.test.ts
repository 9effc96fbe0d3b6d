import { once } from "node:events";
import { rm } from "node:fs/promises";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { CleanUps, eventually, runCommand, untilReady } from "./_command.ts";
import { occupyPort, startRequest, untilRefused } from "./_connections.ts";
import {
  createKeepAliveAgent,
  deliveredTo,
  flagPerProcess,
  isRunning,
  KEY,
  namesIn,
  pidsOf,
  send,
  sendSequentially,
  startWorkers,
  toFlag,
  USAGE,
  type WorkersSetup,
} from "./_workers.ts";

const REQUIRED = {
  FLAGS_URL: "http://127.0.0.1:1/api",
  FLAGS_API_TOKEN: "upstream-token",
  FLAGS_PROXY_CLIENT_KEYS: KEY,
  FLAGS_PROXY_WORKERS: "2",
};

async function scrape(url: string): Promise<string> {
  return (await send(`${url}/proxy/internal-backstage/prometheus`)).body;
}

/** Returns the number of successful requests for `/proxy`. */
function requestsIn(metrics: string): number {
  const [, count] =
    /http_requests_total\{.*route="\/proxy",status="200"\} (\d+)/.exec(metrics) ?? [];
  return Number(count ?? 0);
}

/** Makes the responses of two workers identify them, and checks that they serve in turn. */
async function serveInTurn({ command, upstream, url }: WorkersSetup): Promise<readonly number[]> {
  const pids = pidsOf(command);
  upstream.document = flagPerProcess(pids);
  await eventually(async () =>
    (await sendSequentially(`${url}/proxy`, 4)).flatMap(namesIn).toSorted(),
  ).toEqual(pids.flatMap((pid) => [`in-${pid}`, `in-${pid}`]).toSorted());
  return pids;
}

/** Starts two workers whose responses identify them. */
async function startDistinct(environment: Record<string, string> = {}) {
  const setup = await startWorkers(environment);
  const pids = await serveInTurn(setup);
  // NOTE: tests send signals to these. The process 0 would be the tests themselves.
  if (pids.length < 2) throw new Error(`Expected two workers, found ${pids.length}`);
  return { ...setup, pids };
}

async function stop({ command }: Pick<WorkersSetup, "command">) {
  command.signal("SIGTERM");
  return command.finished();
}

describe("FLAGS_PROXY_WORKERS=2", () => {
  const cleanUps = new CleanUps();
  let setup: WorkersSetup;
  let statusesBefore: readonly number[];

  const readStatuses = async () =>
    (await sendSequentially(`${setup.url}/proxy/health`, 4)).map(({ status }) => status);

  beforeAll(async () => {
    setup = await startWorkers(
      { FLAGS_WORKERS: "2" },
      (server) => (server.failure = 503),
      cleanUps.add,
    );
    statusesBefore = await readStatuses();
    setup.upstream.failure = undefined;
    // NOTE: `expect.poll()` is not available in hooks.
    await vi.waitUntil(
      async () => (await send(`${setup.url}/proxy/health`)).status === 200,
      30_000,
    );
    return () => cleanUps.run();
  });

  test("all workers become ready at the same time", async () => {
    expect(statusesBefore).toEqual([503, 503, 503, 503]);
    expect(await readStatuses()).toEqual([200, 200, 200, 200]);
  });

  test("all workers send the same ETag, before and after a change", async () => {
    const { url, upstream } = setup;
    upstream.document = { features: [toFlag("on")] };
    await eventually(async () => namesIn(await send(`${url}/proxy`))).toEqual(["on"]);
    const readTags = async (): Promise<ReadonlySet<string | undefined>> =>
      new Set((await sendSequentially(`${url}/proxy?userId=7`, 6)).map(({ etag }) => etag));
    const before = await readTags();
    expect([...before]).toEqual([expect.stringMatching(/^W\/"/)]);
    upstream.document = { features: [toFlag("on"), toFlag("other")] };
    await eventually(async () => namesIn(await send(`${url}/proxy`))).toEqual(["on", "other"]);
    const after = await readTags();
    expect(after.size).toBe(1);
    expect(after).not.toEqual(before);
  });

  test("each worker serves the metrics of all workers", async () => {
    const { url } = setup;
    await serveInTurn(setup);
    const countUsage = (metrics: string) =>
      Number(/\nflags_proxy_usage_entries_total (\d+)\n/.exec(metrics)?.[1]);
    const before = await scrape(url);
    await sendSequentially(`${url}/proxy`, 5);
    await send(`${url}/proxy/client/metrics`, { body: USAGE });
    for (const metrics of [await scrape(url), await scrape(url)]) {
      expect(requestsIn(metrics)).toBe(requestsIn(before) + 5);
      expect(countUsage(metrics)).toBe(countUsage(before) + 1);
      expect(metrics).toContain("\nflags_proxy_up 1\n");
      expect(metrics).toContain("\nflags_proxy_flags 2\n");
      expect(metrics).toContain("\nflags_proxy_workers 2\n");
      expect(metrics).toMatch(/\nlast_metrics_fetch_epoch_timestamp_ms [1-9]\d+\n/);
      expect(metrics).toMatch(/\nprocess_start_time_seconds [1-9]\d+\n/);
    }
  });

  test("warnings about the configuration are logged once, and log lines name their worker", async () => {
    const { url, upstream, command } = setup;
    upstream.document = { features: [toFlag("odd", "broken")] };
    await eventually(async () => {
      await send(`${url}/proxy`);
      return command.output.stdout;
    }).toMatch(/WARN: worker [12]: Strategy "broken" of flag "odd" failed/);
    expect(command.output.stdout.match(/FLAGS_WORKERS is set but never read/g)).toHaveLength(1);
    expect(command.output.stdout.match(/Synchronized with the upstream/g)).toHaveLength(1);
    expect(await scrape(url)).toMatch(
      /\nflags_proxy_custom_strategy_errors_total\{strategy="broken"\} [1-9]\d*\n/,
    );
  });

  test("a worker that crashes is replaced, and the reason is logged without secrets", async () => {
    const { url, upstream, command } = setup;
    upstream.document = { features: [toFlag("fatal", "crash")] };
    await eventually(async () => {
      await send(`${url}/proxy`).catch(() => undefined);
      return command.output.stdout;
    }).toMatch(/exited with code 1: a replacement starts/);
    expect(command.output.stdout).toMatch(
      /FATAL: worker [12]: Uncaught error, shutting down this worker: lost \[redacted\]\n/,
    );
  });
});

test("two workers have one registration, one poll and one source of flags, and send all their usage at SIGTERM, after responding to requests in progress", async () => {
  const { url, upstream, command } = await startWorkers({ FLAGS_FETCH_INTERVAL: "0" });
  await untilReady(url);
  expect(new Set(pidsOf(command)).size).toBe(2);
  const reports = Array.from({ length: 40 }, () =>
    send(`${url}/proxy/client/metrics`, { body: USAGE }),
  );
  expect((await Promise.all(reports)).every(({ status }) => status === 200)).toBe(true);
  expect(upstream.posts.get("/api/client/register")).toHaveLength(1);
  // One for the poll and one for the registration, which is sent at the same time.
  expect(upstream.connections).toBeLessThanOrEqual(2);

  const sockets = [await startRequest(url, 14), await startRequest(url, 14)];
  command.signal("SIGTERM");
  await untilRefused(url);
  for (const socket of sockets) {
    socket.write('{"context":{}}');
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const [response] = (await once(socket, "data")) as [Buffer];
    expect(response.toString()).toContain("HTTP/1.1 200 OK");
  }
  const { code, stderr } = await command.finished();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(upstream.fetches).toBe(1);
  expect(deliveredTo(upstream)).toBe(40);
  expect(upstream.posts.get("/api/client/metrics")).toHaveLength(1);
  expect(pidsOf(command).filter(isRunning)).toEqual([]);
});

test("usage beyond the quota of a key is counted together, whichever worker accepts it, and all of it is delivered", async () => {
  // Long names exhaust the quota with few entries.
  const names = ["on", ...Array.from({ length: 2500 }, (_, flag) => `${flag}`.padEnd(250, "x"))];
  // Polled only once, since the document is large.
  const { url, upstream, command } = await startWorkers({ FLAGS_FETCH_INTERVAL: "0" }, (server) => {
    server.document = { features: names.map((name) => toFlag(name)) };
  });
  await untilReady(url);
  const toggles = Object.fromEntries(names.map((name) => [name, { yes: 1 }]));
  const statuses: number[] = [];
  for (let index = 0; index < 13; index += 1) {
    const body = { appName: `app-${index}`, bucket: { toggles } };
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    statuses.push((await send(`${url}/proxy/client/metrics`, { body })).status);
  }
  expect(statuses).toEqual(Array.from({ length: 13 }, () => 200));
  expect((await stop({ command })).code).toBe(0);
  expect(deliveredTo(upstream)).toBe(13);
  const sent = JSON.stringify(upstream.posts.get("/api/client/metrics"));
  expect(sent).toContain("other-applications");
  expect(sent).not.toContain("app-12");
});

/** Sends requests on one connection until it is stopped. */
class Caller {
  /** The worker of the connection, according to the latest response. */
  worker = "";
  /** The worker of the connection, for each failed request. */
  readonly failures: string[] = [];
  acknowledged = 0;
  attempted = 0;
  isStopped = false;

  async run(url: string): Promise<void> {
    const agent = createKeepAliveAgent();
    while (!this.isStopped) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await this.#report(url, agent);
      } catch {
        this.failures.push(this.worker);
      }
    }
  }

  async #report(url: string, agent: ReturnType<typeof createKeepAliveAgent>): Promise<void> {
    this.worker = namesIn(await send(`${url}/proxy`, { agent }))[0] ?? "";
    this.attempted += 1;
    const { status } = await send(`${url}/proxy/client/metrics`, { agent, body: USAGE });
    if (status !== 200) throw new Error(`Refused with ${status}`);
    this.acknowledged += 1;
  }
}

/** Resolves when each caller has had three more reports acknowledged. */
async function untilAllServed(callers: readonly Caller[]): Promise<void> {
  const goals = callers.map(({ acknowledged }) => acknowledged + 3);
  await eventually(() =>
    callers.every(({ acknowledged }, index) => acknowledged >= (goals[index] ?? 0)),
  ).toBe(true);
}

describe("a worker that is killed", () => {
  test("a worker that is killed closes only its own connections, and loses no acknowledged usage", async () => {
    const { pids, url, upstream, command } = await startDistinct();
    const callers = Array.from({ length: 8 }, () => new Caller());
    const running = callers.map((caller) => caller.run(url));
    await eventually(() => callers.every(({ acknowledged }) => acknowledged > 3)).toBe(true);
    expect(new Set(callers.map(({ worker }) => worker)).size).toBe(2);

    const [victim = 0] = pids;
    process.kill(victim, "SIGKILL");
    await untilAllServed(callers);
    // One is enough while the replacement starts.
    for (const caller of callers.slice(1)) caller.isStopped = true;
    await eventually(() => pidsOf(command)).toHaveLength(3);
    await untilAllServed(callers.slice(0, 1));
    for (const caller of callers) caller.isStopped = true;
    await Promise.all(running);

    const failures = callers.flatMap((caller) => caller.failures);
    expect(failures.length).toBeGreaterThan(0);
    expect(failures.every((worker) => worker === `in-${victim}`)).toBe(true);
    expect((await stop({ command })).code).toBe(0);
    const total = (read: (caller: Caller) => number): number =>
      callers.reduce((sum, caller) => sum + read(caller), 0);
    expect(deliveredTo(upstream)).toBeGreaterThanOrEqual(total((caller) => caller.acknowledged));
    expect(deliveredTo(upstream)).toBeLessThanOrEqual(total((caller) => caller.attempted));
  });

  test("a worker that is killed leaves no connection open that it was about to receive, and a replacement that cannot start is retried with increasing delays, while other workers serve", async () => {
    const { pids, url, command, strategyFile } = await startDistinct();
    await rm(strategyFile);
    const [victim = 0, other] = pids;
    process.kill(victim, "SIGSTOP");
    // Workers receive connections in turn, so one of these two waits for the victim.
    const requests = [send(`${url}/proxy`), send(`${url}/proxy`)];
    expect(namesIn(await Promise.any(requests))).toEqual([`in-${other}`]);
    process.kill(victim, "SIGKILL");
    const results = await Promise.allSettled(requests);
    expect(results.filter(({ status }) => status === "rejected")).toEqual([
      expect.objectContaining({
        reason: expect.objectContaining({ code: "ECONNRESET" }) as unknown,
      }),
    ]);
    await eventually(() => command.output.stdout).toMatch(
      /Worker 3 .* cannot start \(.*there is no file.*\): a replacement starts in 1 s\n/,
    );
    for (const response of await sendSequentially(`${url}/proxy`, 3)) {
      expect(namesIn(response)).toEqual([`in-${other}`]);
    }
    expect((await stop({ command })).code).toBe(0);
  });

  test("a worker that is killed is replaced by one that loads the flags before it listens, and its counters remain; workers that are killed in quick succession are replaced after a growing delay, and the last one after a second", async () => {
    const { pids, url, command } = await startDistinct();
    await sendSequentially(`${url}/proxy`, 6);
    const before = requestsIn(await scrape(url));
    for (const pid of pids) process.kill(pid, "SIGKILL");
    await eventually(() => pidsOf(command)).toHaveLength(4);
    const responses = await sendSequentially(`${url}/proxy`, 4);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const metrics = await scrape(url);
    expect(requestsIn(metrics)).toBe(before + 4);
    expect(metrics).toContain("\nflags_proxy_worker_restarts_total 2\n");
    expect(command.output.stdout).toMatch(
      new RegExp(
        `ERROR: Worker [12] \\(process ${pids[0]}\\) was killed by SIGKILL: a replacement `,
      ),
    );

    const killAll = async (): Promise<readonly string[] | null> => {
      const end = command.output.stdout.length;
      const known = pidsOf(command);
      for (const pid of known.slice(-2)) process.kill(pid, "SIGKILL");
      await eventually(() => pidsOf(command)).toHaveLength(known.length + 2);
      return command.output.stdout.slice(end).match(/(?<=SIGKILL: a replacement ).*/g);
    };
    expect(await killAll()).toEqual(["starts in 1 s", "starts in 1 s"]);
    expect(await killAll()).toEqual(["starts in 2 s", "starts in 1 s"]);
    await eventually(() => send(`${url}/proxy`).then(({ status }) => status, String)).toBe(200);
  });
});

describe("a worker that does not respond", () => {
  test("a worker that does not respond is killed and replaced, while the others continue", async () => {
    const { pids, url, command } = await startDistinct({
      FLAGS_PROXY_WORKER_TIMEOUT: "3000",
      FLAGS_FETCH_INTERVAL: "100",
    });
    const [victim = 0, other] = pids;
    process.kill(victim, "SIGSTOP");
    // One of the connections waits for the suspended worker until that is killed.
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, () => send(`${url}/proxy`).then(namesIn)),
    );
    const successes = results.filter(({ status }) => status === "fulfilled");
    expect(successes.length).toBeGreaterThanOrEqual(7);
    for (const success of successes) expect(success).toMatchObject({ value: [`in-${other}`] });

    await eventually(() => pidsOf(command)).toHaveLength(3);
    expect(isRunning(victim)).toBe(false);
    expect(command.output.stdout).toContain(
      `(process ${victim}) did not respond, and was killed: a replacement starts\n`,
    );
    const statuses = (await sendSequentially(`${url}/proxy`, 4)).map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200, 200]);
    const metrics = await scrape(url);
    expect(metrics).toContain("\nflags_proxy_workers_unresponsive_total 1\n");
    expect(metrics).toContain("\nflags_proxy_worker_restarts_total 1\n");
  });

  test("a worker that missed pings while its program loaded is not killed", async () => {
    const slowStart = "await new Promise((resolve) => setTimeout(resolve, 1500))";
    const { url, upstream, command } = await startWorkers({
      FLAGS_PROXY_WORKER_TIMEOUT: "2000",
      FLAGS_FETCH_INTERVAL: "100",
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(slowStart)}`,
    });
    await untilReady(url);
    const pids = pidsOf(command);
    // This takes longer than the timeout, after which a lost ping would get the worker killed.
    const polls = upstream.fetches;
    await eventually(() => upstream.fetches).toBeGreaterThan(polls + 25);
    expect(pids.filter(isRunning)).toHaveLength(2);
    expect(command.output.stdout).not.toContain("did not respond");
  });
});

describe("the command with workers does not start", () => {
  test("the command does not start with FLAGS_PROXY_WORKERS=257", async () => {
    const { code, stdout, stderr } = await runCommand({ ...REQUIRED, FLAGS_PROXY_WORKERS: "257" });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(
      '- FLAGS_PROXY_WORKERS must be auto, or a whole number from 1 to 256: current value is "257"',
    );
  });

  test("the command does not start on a port that is in use, with one line that names PORT", async () => {
    const port = await occupyPort();
    const { code, stderr } = await runCommand({ ...REQUIRED, PORT: String(port) });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `Cannot listen on port ${port} on 127.0.0.1: another program uses the port. Stop it, or choose another port with PORT\n`,
    );
  });
});

describe("the command with workers stops", () => {
  test.each([
    ["Ctrl-C", "SIGINT"],
    ["the end of its terminal", "SIGHUP"],
  ] as const)(
    "the command stops at %s, of which workers are notified too, after responding to requests in progress",
    async (_event, signal) => {
      const { url, upstream, command } = await startWorkers();
      await untilReady(url);
      await send(`${url}/proxy/client/metrics`, { body: USAGE });
      const socket = await startRequest(url, 14);
      for (const pid of pidsOf(command)) process.kill(pid, signal);
      command.signal(signal);
      socket.write('{"context":{}}');
      const [response] = (await once(socket, "data")) as [Buffer];
      expect(response.toString()).toContain("HTTP/1.1 200 OK");
      expect((await command.finished()).code).toBe(0);
      expect(deliveredTo(upstream)).toBe(1);
    },
  );

  test("the command stops at a second signal with exit code 1, without waiting for requests in progress", async () => {
    const { url, command } = await startWorkers();
    await untilReady(url);
    await startRequest(url, 14);
    // Two signals of one kind could be merged into one.
    command.signal("SIGTERM");
    command.signal("SIGINT");
    expect((await command.finished()).code).toBe(1);
    await eventually(() => pidsOf(command).filter(isRunning)).toEqual([]);
  });

  test("no worker is killed although a request does not end and the OpenTelemetry collector does not respond", async () => {
    const { url, command } = await startWorkers({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await occupyPort()}`,
    });
    await untilReady(url);
    await Promise.all([startRequest(url, 14), startRequest(url, 14)]);
    command.signal("SIGTERM");
    const { code, stdout } = await command.finished();
    expect(code).toBe(0);
    expect(stdout).not.toContain("did not stop");
  });

  test("all workers stop when the command is killed", async () => {
    const { url, command } = await startWorkers();
    await untilReady(url);
    command.signal("SIGKILL");
    await command.finished();
    expect(pidsOf(command)).toHaveLength(2);
    await eventually(() => pidsOf(command).filter(isRunning)).toEqual([]);
  });
});
