import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { SETTINGS } from "../src/config/settings.ts";
import { type Command, runCommand, startCommand, untilReady } from "./_command.ts";
import { connectClient, occupyPort, startRequest, untilRefused } from "./_connections.ts";
import { type RecordingUpstream, startRecordingUpstream } from "./_recording-upstream.ts";

const REQUIRED = {
  FLAGS_URL: "http://127.0.0.1:1/api",
  FLAGS_API_TOKEN: "upstream-token",
  FLAGS_PROXY_CLIENT_KEYS: "client-key",
};

// Each of these processes exits by itself, so the tests can run at the same time.
describe.concurrent("flags-proxy does not start", () => {
  test("flags-proxy does not start without required settings, and lists all of them", async ({
    expect,
  }) => {
    const { code, stdout, stderr } = await runCommand({});
    expect(code).toBe(1);
    expect(stdout).toBe("");
    for (const name of Object.keys(REQUIRED)) expect(stderr).toContain(`- ${name} (option`);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test("flags-proxy does not start with invalid settings, and names each variable in one line", async ({
    expect,
  }) => {
    const problems = [
      ["FLAGS_FETCH_INTERVAL", "soon", 'current value is "soon"'],
      ["PORT", "99999", "PORT must be a whole number from 0 to 65535"],
      ["TRUST_PROXY", "10.0.0.0/99", 'entry "10.0.0.0/99"'],
      ["LOG_LEVEL", "loud", "LOG_LEVEL must be one of"],
      ["FLAGS_PROXY_CLIENT_KEYS", "schlüssel", "entry 1"],
      ["FLAGS_CUSTOM_STRATEGIES_FILE", "./none.js", "there is no file"],
    ] as const;
    const invalid = problems.map(([variable, value]) => [variable, value] as const);
    const environment = { ...REQUIRED, ...Object.fromEntries(invalid) };
    const { code, stdout, stderr } = await runCommand(environment);
    expect(code).toBe(1);
    expect(stdout).toBe("");
    const [, ...lines] = stderr.trimEnd().split("\n");
    expect(lines).toHaveLength(problems.length);
    for (const [variable, , message] of problems) {
      const line = lines.find((each) => each.startsWith(`  - ${variable}`));
      expect(line).toContain(message);
    }
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test("flags-proxy does not start on a port that is in use, and names PORT in one line", async ({
    expect,
    onTestFinished,
  }) => {
    const port = await occupyPort(onTestFinished);
    const { code, stderr } = await runCommand({ ...REQUIRED, PORT: String(port) });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `Cannot listen on port ${port} on 127.0.0.1: another program uses the port. Stop it, or choose another port with PORT\n`,
    );
  });

  test("flags-proxy does not start on an address of another machine, and names HOST in one line", async ({
    expect,
  }) => {
    const { code, stderr } = await runCommand({ ...REQUIRED, HOST: "192.0.2.1" });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Cannot listen on .*192\.0\.2\.1: .* with HOST\n$/);
  });

  test.for([
    [
      ["--port"],
      "Unknown option --port. Set the environment variable PORT instead: see flags-proxy --help",
    ],
    [["run"], "Unknown command run: see flags-proxy --help"],
    [["--help", "--prt"], "Unknown option --prt: see flags-proxy --help"],
    [["helth"], "Unknown command helth: did you mean health? If not, see flags-proxy --help"],
  ] as const)(
    "flags-proxy does not start with the arguments %j",
    async ([args, message], { expect }) => {
      const { code, stdout, stderr } = await runCommand(REQUIRED, args);
      expect(code).toBe(2);
      expect(stdout).toBe("");
      expect(stderr).toBe(`${message}\n`);
    },
  );
});

describe.concurrent("the output of flags-proxy", () => {
  test.for(["--help", "-h"])(
    "flags-proxy prints every variable and its default for %s",
    async (argument, { expect }) => {
      const { code, stdout, stderr } = await runCommand({}, [argument]);
      expect(code).toBe(0);
      expect(stderr).toBe("");
      const variables = Object.values(SETTINGS).flatMap(({ variables: names }) => [...names]);
      for (const name of variables) expect(stdout.toUpperCase()).toContain(name.toUpperCase());
      expect(stdout).toContain("FLAGS_FETCH_INTERVAL  (default: 5000)");
      expect(stdout).toContain("FLAGS_URL  (required)");
      const longest = Math.max(...stdout.split("\n").map((line) => line.length));
      expect(longest).toBeLessThanOrEqual(80);
    },
  );

  test.for(["--version", "-v"])(
    "flags-proxy prints its version for %s",
    async (argument, { expect }) => {
      const { code, stdout } = await runCommand({}, [argument]);
      expect(code).toBe(0);
      expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    },
  );
});

interface Started {
  readonly command: Command;
  readonly upstream: RecordingUpstream;
  readonly url: string;
}

async function start(environment: Record<string, string> = {}): Promise<Started> {
  const upstream = await startRecordingUpstream();
  const command = startCommand({ ...REQUIRED, FLAGS_URL: upstream.url, ...environment });
  return { command, upstream, url: await command.listening() };
}

function sendMetrics(url: string, yes: number): Promise<Response> {
  const bucket = { start: new Date(0), stop: new Date(), toggles: { on: { yes, no: 0 } } };
  return fetch(`${url}/proxy/client/metrics`, {
    method: "POST",
    headers: { authorization: "client-key", "content-type": "application/json" },
    body: JSON.stringify({ appName: "web", instanceId: "1", bucket }),
  });
}

describe("flags-proxy, configured only by the environment", () => {
  test("flags-proxy serves with FLAGS_URL, FLAGS_API_TOKEN and FLAGS_PROXY_CLIENT_KEYS, and logs only that it listens", async () => {
    const { command, url, upstream } = await start();
    await untilReady(url);
    const response = await fetch(`${url}/proxy`, { headers: { authorization: "client-key" } });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ toggles: [{ name: "on", enabled: true }] });
    const { headers } = await upstream.first("/api/client/features");
    expect(headers.authorization).toBe("upstream-token");
    command.signal("SIGTERM");
    const { code, stdout, stderr } = await command.finished();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    // At the log level `warn`, the default.
    expect(stdout).toMatch(/^\[.*\] INFO: flags-proxy \d\S+ is listening on http:\S+\/proxy\n$/);
  });

  test("flags-proxy serves with PROXY_BASE_PATH, FLAGS_NAME_PREFIX, FLAGS_PROJECT_NAME and FLAGS_TAGS", async () => {
    const { url, upstream } = await start({
      PROXY_BASE_PATH: "base/path",
      FLAGS_NAME_PREFIX: "web.",
      FLAGS_PROJECT_NAME: "shop",
      FLAGS_TAGS: "team:web",
    });
    expect(new URL(url).pathname).toBe("/base/path");
    await untilReady(url);
    const { searchParams } = new URL(upstream.requests[0]?.path ?? "", upstream.url);
    expect(Object.fromEntries(searchParams)).toEqual({
      namePrefix: "web.",
      project: "shop",
      tag: "team:web",
    });
  });

  test("flags-proxy serves with ENABLE_OAS, whose files are not in the bundle, and JSON_LOGGER, which makes every log line JSON", async () => {
    const settings = { ENABLE_OAS: "true", JSON_LOGGER: "true", LOG_LEVEL: "debug" };
    const { command, url } = await start(settings);
    await untilReady(url);
    const response = await fetch(`${url}/docs/openapi/`);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("<html");
    command.signal("SIGTERM");
    const { stdout, stderr } = await command.finished();
    expect(stderr).toBe("");
    const lines = stdout.trimEnd().split("\n");
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty("level");
  });

  test("no log line contains a secret at the log level debug", async () => {
    const { command, url } = await start({
      LOG_LEVEL: "debug",
      EXP_SERVER_SIDE_SDK_CONFIG_TOKENS: "server-token",
      EXP_BOOTSTRAP_URL: "http://127.0.0.1:1/flags?key=url-token",
      EXP_BOOTSTRAP_AUTHORIZATION: "Bearer bootstrap-token",
    });
    await untilReady(url);
    await fetch(`${url}/proxy?key=client-key`, { headers: { authorization: "wrong-key" } });
    await sendMetrics(url, 1);
    command.signal("SIGTERM");
    const { stdout, stderr } = await command.finished();
    expect(stdout).toContain("DEBUG");
    expect(stdout + stderr).not.toMatch(
      /upstream-token|client-key|server-token|url-token|bootstrap-token/,
    );
  });
});

describe("failures of flags-proxy", () => {
  test.each([
    ["an unhandled rejection", "Promise.reject(new Error('lost upstream-token'))"],
    ["an uncaught exception", "(() => { throw new Error('lost upstream-token') })()"],
  ])("flags-proxy fails after %s, with one log line and exit code 1", async (_, statement) => {
    const directory = await mkdtemp(join(tmpdir(), "flags-command-"));
    onTestFinished(() => rm(directory, { recursive: true }));
    const file = join(directory, "enrichers.mjs");
    await writeFile(
      file,
      `export default [(context) => (setTimeout(() => ${statement}), context)]`,
    );
    const { command, url } = await start({ EXP_CUSTOM_ENRICHERS_FILE: file });
    await untilReady(url);
    await fetch(`${url}/proxy`, { headers: { authorization: "client-key" } });
    const { code, stdout } = await command.finished();
    expect(code).toBe(1);
    expect(stdout).toMatch(/FATAL: Uncaught error, shutting down the proxy: lost \[redacted\]\n/);
    expect(stdout).toContain("enrichers.mjs");
  });
});

describe("stopping flags-proxy", () => {
  test("flags-proxy stops at SIGINT, with exit code 0", async () => {
    const { command } = await start();
    command.signal("SIGINT");
    expect((await command.finished()).code).toBe(0);
  });

  test("flags-proxy stops at SIGTERM after responding to requests in progress and sending the last metrics upstream, although a client keeps an idle connection open", async () => {
    const { command, upstream, url } = await start({ FLAGS_METRICS_INTERVAL: "1000000" });
    await untilReady(url);
    expect((await sendMetrics(url, 3)).status).toBe(200);
    const idle = await connectClient(Number(new URL(url).port));
    idle.write("GET /proxy/health HTTP/1.1\r\nHost: flags\r\n\r\n");
    await once(idle, "data");
    const body = JSON.stringify({ context: { userId: "7" } });
    const socket = await startRequest(url, body.length);
    const received: Buffer[] = [];
    socket.on("data", (chunk) => received.push(chunk));
    const idleEnded = once(idle, "end");
    command.signal("SIGTERM");
    await untilRefused(url);
    await idleEnded;
    socket.write(body);
    await once(socket, "end");
    expect(Buffer.concat(received).toString()).toContain("HTTP/1.1 200 OK");
    expect((await command.finished()).code).toBe(0);
    const reports = upstream.requests.filter(({ path }) => path === "/api/client/metrics");
    expect(reports).toHaveLength(1);
    expect(JSON.parse(reports[0]?.body ?? "")).toMatchObject({
      appName: "web",
      bucket: { toggles: { on: { yes: 3, no: 0 } } },
    });
  });

  test("flags-proxy stops at SIGTERM within its time limit although a request never ends and the upstream hangs", async () => {
    const { command, upstream, url } = await start({ FLAGS_METRICS_INTERVAL: "1000000" });
    await untilReady(url);
    await upstream.first("/api/client/register");
    await sendMetrics(url, 1);
    upstream.hang();
    await startRequest(url, 10);
    command.signal("SIGTERM");
    await upstream.first("/api/client/metrics");
    // The exit code would be 1 at the time limit of 9.5 s.
    expect((await command.finished()).code).toBe(0);
  });

  test("flags-proxy stops at a second signal with exit code 1, without waiting for requests in progress", async () => {
    const { command, url } = await start();
    await untilReady(url);
    await startRequest(url, 10);
    command.signal("SIGTERM");
    await untilRefused(url);
    command.signal("SIGTERM");
    expect((await command.finished()).code).toBe(1);
  });
});
