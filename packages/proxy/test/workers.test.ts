import { once } from "node:events";
import { rm } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { runCommand } from "./_command.ts";
import {
  ask,
  askInTurn,
  deliveredTo,
  eventually,
  isRunning,
  keepOpen,
  KEY,
  namesIn,
  pidsOf,
  startWorkers,
  tellApart,
  toFlag,
  untilReady,
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
  return (await ask(`${url}/proxy/internal-backstage/prometheus`)).body;
}

/** The sum of the requests for `/proxy` that were answered. */
function requestsIn(metrics: string): number {
  const [, count] =
    /http_requests_total\{.*route="\/proxy",status="200"\} (\d+)/.exec(metrics) ?? [];
  return Number(count ?? 0);
}

/** Starts two workers whose answers tell them apart. */
async function startDistinct(environment: Record<string, string> = {}) {
  const setup = await startWorkers(environment);
  const pids = pidsOf(setup.command);
  setup.upstream.document = tellApart(pids);
  await eventually(async () =>
    (await askInTurn(`${setup.url}/proxy`, 4)).flatMap(namesIn).toSorted(),
  ).toEqual(pids.flatMap((pid) => [`in-${pid}`, `in-${pid}`]).toSorted());
  return { ...setup, pids };
}

async function finish({ command }: Pick<WorkersSetup, "command">) {
  command.signal("SIGTERM");
  return command.finished();
}

describe("FLAGS_PROXY_WORKERS=2", () => {
  test("has two processes answer in turn, with the flags that one connection brings", async () => {
    const { pids, upstream } = await startDistinct();
    expect(new Set(pids).size).toBe(2);
    expect(upstream.posts.get("/api/client/register")).toHaveLength(1);
    // One for polls and one for the registration, which goes out beside them.
    expect(upstream.connections).toBeLessThanOrEqual(2);
  });

  test("polls the upstream as often as one process", async () => {
    const { url, upstream, command } = await startWorkers({ FLAGS_FETCH_INTERVAL: "0" });
    await untilReady(url);
    await finish({ command });
    expect(upstream.fetches).toBe(1);
  });

  test("gives the same ETag in all workers, and again after a change", async () => {
    const { url, upstream } = await startWorkers();
    await untilReady(url);
    const tagsOf = async (): Promise<ReadonlySet<string | undefined>> =>
      new Set((await askInTurn(`${url}/proxy?userId=7`, 6)).map(({ etag }) => etag));
    const before = await tagsOf();
    expect([...before]).toEqual([expect.stringMatching(/^W\/"/)]);
    upstream.document = { features: [toFlag("on"), toFlag("other")] };
    await eventually(async () => namesIn(await ask(`${url}/proxy`))).toEqual(["on", "other"]);
    const after = await tagsOf();
    expect(after.size).toBe(1);
    expect(after).not.toEqual(before);
  });

  test("is ready in all workers once it is in one", async () => {
    const { url, upstream } = await startWorkers({}, (server) => (server.failure = 503));
    const health = `${url}/proxy/health`;
    expect((await askInTurn(health, 4)).map(({ status }) => status)).toEqual([503, 503, 503, 503]);
    upstream.failure = undefined;
    await untilReady(url);
    expect((await askInTurn(health, 4)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  test("shows the metrics of all workers, whichever is asked", async () => {
    const { url } = await startDistinct({ FLAGS_FETCH_INTERVAL: "100" });
    const before = requestsIn(await scrape(url));
    await askInTurn(`${url}/proxy`, 5);
    await ask(`${url}/proxy/client/metrics`, { body: USAGE });
    for (const metrics of [await scrape(url), await scrape(url)]) {
      expect(requestsIn(metrics)).toBe(before + 5);
      expect(metrics).toContain("\nflags_proxy_up 1\n");
      expect(metrics).toContain("\nflags_proxy_flags 2\n");
      expect(metrics).toContain("\nflags_proxy_workers 2\n");
      expect(metrics).toContain("\nflags_proxy_usage_entries_total 1\n");
      expect(metrics).toMatch(/\nlast_metrics_fetch_epoch_timestamp_ms [1-9]\d+\n/);
      expect(metrics).toMatch(/\nprocess_start_time_seconds [1-9]\d+\n/);
    }
  });

  test("sends all usage upstream at SIGTERM, whichever worker took it", async () => {
    const { url, upstream, command } = await startWorkers();
    await untilReady(url);
    const reports = Array.from({ length: 40 }, () =>
      ask(`${url}/proxy/client/metrics`, { body: USAGE }),
    );
    expect((await Promise.all(reports)).every(({ status }) => status === 200)).toBe(true);
    const { code, stderr } = await finish({ command });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(deliveredTo(upstream)).toBe(40);
    expect(upstream.posts.get("/api/client/metrics")).toHaveLength(1);
    expect(pidsOf(command).filter(isRunning)).toEqual([]);
  });

  test("refuses usage in all workers when the key's share is used up, and loses nothing of the rest", async () => {
    const names = Array.from({ length: 9999 }, (_, flag) => (flag === 0 ? "on" : `flag-${flag}`));
    const { url, upstream, command } = await startWorkers({}, (server) => {
      server.document = { features: names.map((name) => toFlag(name)) };
    });
    await untilReady(url);
    const toggles = Object.fromEntries(names.map((name) => [name, { yes: 1 }]));
    const statuses: number[] = [];
    for (let index = 0; index < 16; index += 1) {
      const body = { appName: `app-${index}`, bucket: { toggles } };
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      statuses.push((await ask(`${url}/proxy/client/metrics`, { body })).status);
    }
    const accepted = statuses.filter((status) => status === 200).length;
    expect(accepted).toBeGreaterThan(9);
    expect(statuses.slice(accepted)).toEqual(Array.from({ length: 16 - accepted }, () => 503));
    expect(statuses).toContain(503);
    expect((await finish({ command })).code).toBe(0);
    expect(deliveredTo(upstream)).toBe(accepted);
  });

  test("says once what there is to say about settings, and in which worker something is odd", async () => {
    const { url, upstream, command } = await startWorkers({ FLAGS_WORKERS: "2" });
    upstream.document = { features: [toFlag("odd", "broken")] };
    await eventually(async () => {
      await ask(`${url}/proxy`);
      return command.output.stdout;
    }).toMatch(/WARN: worker [12]: Strategy "broken" of flag "odd" failed/);
    expect(command.output.stdout.match(/FLAGS_WORKERS is set but never read/g)).toHaveLength(1);
    expect(command.output.stdout.match(/Synchronized with the upstream/g)).toHaveLength(1);
    expect(await scrape(url)).toMatch(
      /\nflags_proxy_custom_strategy_errors_total\{strategy="broken"\} [1-9]\d*\n/,
    );
  });
});

/** Sends requests on one connection until it is told to stop. */
class Caller {
  /** The process behind the connection, as the last answer told. */
  owner = "";
  /** Whom the connection belonged to when a request failed. */
  readonly failures: string[] = [];
  acknowledged = 0;
  attempted = 0;
  isStopped = false;

  async run(url: string): Promise<void> {
    const agent = keepOpen();
    while (!this.isStopped) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await this.#turn(url, agent);
      } catch {
        this.failures.push(this.owner);
      }
    }
  }

  async #turn(url: string, agent: ReturnType<typeof keepOpen>): Promise<void> {
    this.owner = namesIn(await ask(`${url}/proxy`, { agent }))[0] ?? "";
    this.attempted += 1;
    const { status } = await ask(`${url}/proxy/client/metrics`, { agent, body: USAGE });
    if (status !== 200) throw new Error(`Refused with ${status}`);
    this.acknowledged += 1;
  }
}

describe("a worker that is killed", () => {
  test("takes only its own connections with it, and no usage that was acknowledged", async () => {
    const { pids, url, upstream, command } = await startDistinct();
    const callers = Array.from({ length: 8 }, () => new Caller());
    const running = callers.map((caller) => caller.run(url));
    await eventually(() => callers.every(({ acknowledged }) => acknowledged > 3)).toBe(true);
    expect(new Set(callers.map(({ owner }) => owner)).size).toBe(2);

    const [victim = 0] = pids;
    process.kill(victim, "SIGKILL");
    await eventually(() => pidsOf(command)).toHaveLength(3);
    const goals = callers.map(({ acknowledged }) => acknowledged + 3);
    await eventually(() =>
      callers.every(({ acknowledged }, index) => acknowledged >= (goals[index] ?? 0)),
    ).toBe(true);
    for (const caller of callers) caller.isStopped = true;
    await Promise.all(running);

    const failures = callers.flatMap((caller) => caller.failures);
    expect(failures.length).toBeGreaterThan(0);
    expect(failures.every((owner) => owner === `in-${victim}`)).toBe(true);
    expect((await finish({ command })).code).toBe(0);
    const total = (read: (caller: Caller) => number): number =>
      callers.reduce((sum, caller) => sum + read(caller), 0);
    expect(deliveredTo(upstream)).toBeGreaterThanOrEqual(total((caller) => caller.acknowledged));
    expect(deliveredTo(upstream)).toBeLessThanOrEqual(total((caller) => caller.attempted));
  });

  test("takes a connection with it that it was just being handed", async () => {
    const { pids, url } = await startDistinct();
    const [victim = 0, other] = pids;
    process.kill(victim, "SIGSTOP");
    // Workers are handed connections in turn, so one of these two waits for the victim.
    const asked = [ask(`${url}/proxy`), ask(`${url}/proxy`)];
    expect(namesIn(await Promise.any(asked))).toEqual([`in-${other}`]);
    process.kill(victim, "SIGKILL");
    const lost = (await Promise.allSettled(asked)).filter(({ status }) => status === "rejected");
    expect(lost).toEqual([
      expect.objectContaining({
        reason: expect.objectContaining({ code: "ECONNRESET" }) as unknown,
      }),
    ]);
  });

  test("is replaced by one that has the flags before it listens, and what it counted stays", async () => {
    const { pids, url, command } = await startDistinct();
    await askInTurn(`${url}/proxy`, 6);
    const before = requestsIn(await scrape(url));
    for (const pid of pids) process.kill(pid, "SIGKILL");
    await eventually(() => pidsOf(command)).toHaveLength(4);
    const answers = await askInTurn(`${url}/proxy`, 4);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const metrics = await scrape(url);
    expect(requestsIn(metrics)).toBe(before + 4);
    expect(metrics).toContain("\nflags_proxy_worker_restarts_total 2\n");
    expect(command.output.stdout).toMatch(
      new RegExp(
        `ERROR: Worker [12] \\(process ${pids[0]}\\) was killed by SIGKILL: a replacement `,
      ),
    );
  });
});

describe("a worker that does not respond", () => {
  const TIMEOUT = { FLAGS_PROXY_WORKER_TIMEOUT: "3000", FLAGS_FETCH_INTERVAL: "100" };

  test("is killed and replaced, while the others go on", async () => {
    const { pids, url, command } = await startDistinct(TIMEOUT);
    const [victim = 0, other] = pids;
    process.kill(victim, "SIGSTOP");
    // Of connections in turn, one waits in the process that is stopped, until that is killed.
    const asked = await Promise.allSettled(
      Array.from({ length: 8 }, () => ask(`${url}/proxy`).then(namesIn)),
    );
    const answers = asked.filter(({ status }) => status === "fulfilled");
    expect(answers.length).toBeGreaterThanOrEqual(7);
    for (const answer of answers) expect(answer).toMatchObject({ value: [`in-${other}`] });

    await eventually(() => pidsOf(command)).toHaveLength(3);
    expect(isRunning(victim)).toBe(false);
    expect(command.output.stdout).toContain(
      `(process ${victim}) did not respond, and was killed: a replacement starts\n`,
    );
    const statuses = (await askInTurn(`${url}/proxy`, 4)).map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200, 200]);
    const metrics = await scrape(url);
    expect(metrics).toContain("\nflags_proxy_workers_unresponsive_total 1\n");
    expect(metrics).toContain("\nflags_proxy_worker_restarts_total 1\n");
  });

  test("is not one that missed pings while its program loaded", async () => {
    const slowStart = "await new Promise((resolve) => setTimeout(resolve, 1500))";
    const { url, upstream, command } = await startWorkers({
      FLAGS_PROXY_WORKER_TIMEOUT: "2000",
      FLAGS_FETCH_INTERVAL: "100",
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(slowStart)}`,
    });
    await untilReady(url);
    const pids = pidsOf(command);
    // Longer than the timeout: a lost ping would have been held against its worker by then.
    const polls = upstream.fetches;
    await eventually(() => upstream.fetches).toBeGreaterThan(polls + 25);
    expect(pids.filter(isRunning)).toHaveLength(2);
    expect(command.output.stdout).not.toContain("did not respond");
  });

  test("is left alone when all processes were suspended, as on a machine that sleeps", async () => {
    const { pids, upstream, command } = await startDistinct(TIMEOUT);
    command.signal("SIGSTOP");
    for (const pid of pids) process.kill(pid, "SIGSTOP");
    // For longer than a worker may be silent: nothing happens meanwhile that could be awaited.
    await new Promise((resolve) => setTimeout(resolve, 4500));
    command.signal("SIGCONT");
    for (const pid of pids) process.kill(pid, "SIGCONT");
    const polls = upstream.fetches;
    await eventually(() => upstream.fetches).toBeGreaterThan(polls + 20);
    expect(command.output.stdout).not.toContain("did not respond");
    expect(pids.every(isRunning)).toBe(true);
  });
});

test("workers that are killed in quick succession are replaced, one of them at once", async () => {
  const { pids, url, command } = await startDistinct();
  for (const pid of pids) process.kill(pid, "SIGKILL");
  await eventually(() => pidsOf(command)).toHaveLength(4);
  const before = command.output.stdout.length;
  for (const pid of pidsOf(command).slice(2)) process.kill(pid, "SIGKILL");
  await eventually(() => pidsOf(command).length).toBeGreaterThan(4);
  const lines = command.output.stdout.slice(before).match(/killed by SIGKILL: a replacement .*/g);
  expect(lines).toHaveLength(2);
  expect(lines).toContain("killed by SIGKILL: a replacement starts");
  expect((await ask(`${url}/proxy`)).status).toBe(200);
});

test("a worker that crashes says why, without secrets, and is replaced", async () => {
  const { url, upstream, command } = await startWorkers();
  upstream.document = { features: [toFlag("fatal", "crash")] };
  await eventually(async () => {
    await ask(`${url}/proxy`).catch(() => undefined);
    return command.output.stdout;
  }).toMatch(/exited with code 1: a replacement starts/);
  expect(command.output.stdout).toMatch(
    /FATAL: worker [12]: Unexpected failure, this worker stops: lost \[redacted\]\n/,
  );
});

test("a worker that cannot be replaced is tried again, ever later, while others answer", async () => {
  const { pids, url, command, strategyFile } = await startDistinct();
  await rm(strategyFile);
  const [victim = 0, other] = pids;
  process.kill(victim, "SIGKILL");
  await eventually(() => command.output.stdout).toMatch(
    /Worker 3 .* cannot start \(.*there is no file.*\): a replacement starts in 1 s\n/,
  );
  for (const answer of await askInTurn(`${url}/proxy`, 3)) {
    expect(namesIn(answer)).toEqual([`in-${other}`]);
  }
  expect((await finish({ command })).code).toBe(0);
});

describe("the command with workers refuses to start", () => {
  test.each(["0", "257", "two", "1.5"])("with FLAGS_PROXY_WORKERS=%s", async (workers) => {
    const { code, stdout, stderr } = await runCommand({
      ...REQUIRED,
      FLAGS_PROXY_WORKERS: workers,
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(
      `- FLAGS_PROXY_WORKERS must be auto, or a whole number from 1 to 256: current value is "${workers}"`,
    );
  });

  test("on a port that is taken, in the one line that names PORT", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await runCommand({ ...REQUIRED, PORT: String(port) });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `Cannot listen on port ${port} of 127.0.0.1: the port is taken, choose another one with PORT\n`,
    );
  });
});

describe("the command with workers stops", () => {
  const HALF_A_REQUEST = `POST /proxy HTTP/1.1\r\nHost: flags\r\nAuthorization: ${KEY}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 14\r\n\r\n`;

  async function beginRequest(url: string) {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => {});
    onTestFinished(() => void socket.destroy());
    socket.write(HALF_A_REQUEST);
    // The server has taken up the request once it asks for the body.
    await once(socket, "data");
    return socket;
  }

  /** NOTE: sends nothing, since what is handed to a worker that stops may get no answer. */
  async function isRefused(url: string): Promise<boolean> {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    try {
      await once(socket, "connect");
      return false;
    } catch {
      return true;
    } finally {
      socket.destroy();
    }
  }

  test("at SIGTERM after requests in flight were answered", async () => {
    const { url, command } = await startWorkers();
    await untilReady(url);
    const sockets = [await beginRequest(url), await beginRequest(url)];
    command.signal("SIGTERM");
    await eventually(() => isRefused(url)).toBe(true);
    for (const socket of sockets) {
      socket.write('{"context":{}}');
      // oxlint-disable-next-line no-await-in-loop -- both in turn
      const [answer] = (await once(socket, "data")) as [Buffer];
      expect(answer.toString()).toContain("HTTP/1.1 200 OK");
    }
    expect((await command.finished()).code).toBe(0);
  });

  test("at Ctrl-C, which reaches workers as well, after requests in flight were answered", async () => {
    const { url, upstream, command } = await startWorkers();
    await untilReady(url);
    await ask(`${url}/proxy/client/metrics`, { body: USAGE });
    const socket = await beginRequest(url);
    for (const pid of pidsOf(command)) process.kill(pid, "SIGINT");
    command.signal("SIGINT");
    socket.write('{"context":{}}');
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toContain("HTTP/1.1 200 OK");
    expect((await command.finished()).code).toBe(0);
    expect(deliveredTo(upstream)).toBe(1);
  });

  test("at a second signal at once, with all its workers", async () => {
    const { url, command } = await startWorkers();
    await untilReady(url);
    await beginRequest(url);
    const startedAtMs = performance.now();
    // Two of a kind could arrive as one.
    command.signal("SIGTERM");
    command.signal("SIGINT");
    expect((await command.finished()).code).toBe(1);
    expect(performance.now() - startedAtMs).toBeLessThan(2000);
    await eventually(() => pidsOf(command).filter(isRunning)).toEqual([]);
  });

  test("leaves no worker behind when it is killed itself", async () => {
    const { url, command } = await startWorkers();
    await untilReady(url);
    command.signal("SIGKILL");
    await command.finished();
    expect(pidsOf(command)).toHaveLength(2);
    await eventually(() => pidsOf(command).filter(isRunning)).toEqual([]);
  });
});
