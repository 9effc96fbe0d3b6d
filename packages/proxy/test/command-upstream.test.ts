import { describe, expect, test } from "vitest";
import { makeSelfSigned } from "../../sdk/test/_certificates.ts";
import { eventually, healthOf, runCommand, startCommand, untilReady } from "./_command.ts";
import { startFeatureServer } from "./_feature-server.ts";
import { type RecordingUpstream, startRecordingUpstream } from "./_recording-upstream.ts";

const REQUIRED = { FLAGS_API_TOKEN: "upstream-token", FLAGS_PROXY_CLIENT_KEYS: "client-key" };

/** The domain `.invalid` is reserved and never resolves. */
const UNREACHABLE = "http://flags.invalid/api";

async function start(environment: Record<string, string>): Promise<string> {
  return startCommand({ ...REQUIRED, ...environment }).listening();
}

async function etagOf(url: string): Promise<string | null> {
  await untilReady(url);
  const headers = { authorization: "client-key" };
  return (await fetch(`${url}/proxy?userId=7`, { headers })).headers.get("etag");
}

const originOf = ({ url }: RecordingUpstream): string => new URL(url).origin;

/** Prints the modules of Node that a process has loaded when it exits. */
const LISTING = `process.on("exit", () => console.log(process.moduleLoadList.join(" ")))`;

function importing(module: string): string {
  return `--import=data:text/javascript,${encodeURIComponent(module)}`;
}

test("the command does not load the HTTP client that is built into Node", async () => {
  const { url: FLAGS_URL } = await startRecordingUpstream();
  const command = startCommand({
    ...REQUIRED,
    FLAGS_URL,
    NODE_OPTIONS: importing(LISTING),
  });
  expect(await etagOf(await command.listening())).toMatch(/^W/);
  command.signal("SIGTERM");
  const { stdout } = await command.finished();
  expect(stdout).toContain("NativeModule net");
  expect(stdout).not.toContain("undici");
});

test("two processes send the same ETag, which is still valid after a restart", async () => {
  const { url: FLAGS_URL } = await startRecordingUpstream();
  const urls = await Promise.all([start({ FLAGS_URL }), start({ FLAGS_URL })]);
  const [one, other] = await Promise.all(urls.map(etagOf));
  expect(one).toMatch(/^W\/"[0-9a-f]{32}"$/);
  expect(other).toBe(one);
  const restarted = await start({ FLAGS_URL });
  await untilReady(restarted);
  const headers = { authorization: "client-key", "if-none-match": one ?? "" };
  expect((await fetch(`${restarted}/proxy?userId=7`, { headers })).status).toBe(304);
});

const NO_FLAGS =
  "WARN: Requests get a 503 until the upstream sends flags: flags-proxy check with the same settings says what to do\n";

test.each(["1", "2"])(
  "%s processes log once what clients get and what to do if the upstream fails from the start",
  async (workers) => {
    const upstream = await startFeatureServer({ version: 2, features: [] });
    upstream.failure = 503;
    const command = startCommand({
      ...REQUIRED,
      FLAGS_URL: upstream.url,
      FLAGS_FETCH_INTERVAL: "20",
      FLAGS_PROXY_WORKERS: workers,
    });
    await eventually(() => command.output.stdout).toContain(NO_FLAGS);
    upstream.failure = undefined;
    await untilReady(await command.listening());
    upstream.failure = 500;
    await eventually(() => command.output.stdout).toContain("responded with 500");
    const [before = "", ...after] = command.output.stdout.split(NO_FLAGS);
    expect(before).toContain("responded with 503");
    expect(after).toHaveLength(1);
  },
);

test("a restarted process responds with a 503 while the upstream is down", async () => {
  const { url: FLAGS_URL } = await startRecordingUpstream();
  const first = startCommand({ ...REQUIRED, FLAGS_URL });
  await untilReady(await first.listening());
  first.signal("SIGTERM");
  expect((await first.finished()).code).toBe(0);
  const second = await start({ FLAGS_URL: UNREACHABLE });
  expect(await healthOf(second)).toBe(503);
  const headers = { authorization: "client-key" };
  expect((await fetch(`${second}/proxy`, { headers })).status).toBe(503);
});

describe.each(["HTTP_PROXY", "http_proxy"])("%s", (variable) => {
  test("HTTP requests use the proxy server in the variable", async () => {
    const server = await startRecordingUpstream();
    const url = await start({ FLAGS_URL: UNREACHABLE, [variable]: originOf(server) });
    await untilReady(url);
    const { headers } = await server.first("/api/client/features");
    expect(headers.host).toBe("flags.invalid");
  });
});

describe("NO_PROXY", () => {
  test("NO_PROXY lists hosts to connect to without the proxy server", async () => {
    const upstream = await startRecordingUpstream();
    const environment = { HTTP_PROXY: "http://proxy.invalid:3128", NO_PROXY: "127.0.0.1" };
    await untilReady(await start({ FLAGS_URL: upstream.url, ...environment }));
    expect((await upstream.first("/api/client/features")).headers.host).toMatch(/^127\.0\.0\.1:/);
  });
});

describe("httpOptions.rejectUnauthorized / HTTP_OPTIONS_REJECT_UNAUTHORIZED", () => {
  test("an upstream with an invalid certificate is rejected by default", async () => {
    const { url: FLAGS_URL, requests } = await startRecordingUpstream(makeSelfSigned());
    const command = startCommand({ ...REQUIRED, FLAGS_URL });
    const url = await command.listening();
    await eventually(() => command.output.stdout).toMatch(/WARN: .*certificate/);
    expect(await healthOf(url)).toBe(503);
    expect(requests).toEqual([]);
  });

  test("an upstream with an invalid certificate is accepted with rejectUnauthorized: false", async () => {
    const upstream = await startRecordingUpstream(makeSelfSigned());
    const environment = { HTTP_OPTIONS_REJECT_UNAUTHORIZED: "false" };
    await untilReady(await start({ FLAGS_URL: upstream.url, ...environment }));
    expect((await upstream.first("/api/client/features")).headers.authorization).toBe(
      "upstream-token",
    );
  });
});

test("a redirect of the upstream to another origin is not followed, and is logged once", async () => {
  const upstream = await startRecordingUpstream();
  const foreign = await startRecordingUpstream();
  const command = startCommand({
    ...REQUIRED,
    FLAGS_URL: upstream.url,
    FLAGS_FETCH_INTERVAL: "20",
    FLAGS_METRICS_INTERVAL: "0",
  });
  const url = await command.listening();
  const before = await etagOf(url);
  upstream.redirectTo(foreign.url);
  await eventually(() => command.output.stdout).toContain("redirects to another origin");
  const refused = upstream.requests.length;
  await eventually(() => upstream.requests.length).toBeGreaterThan(refused + 2);
  expect(await etagOf(url)).toBe(before);
  expect(foreign.requests).toEqual([]);
  expect(command.output.stdout.match(/redirects to another origin/g)).toHaveLength(1);
  expect(command.output.stdout).toMatch(
    new RegExp(
      `ERROR: .*${originOf(upstream)}/api/client/features redirects to another origin, ${originOf(foreign)}: .*FLAGS_URL`,
    ),
  );
});

test("FLAGS_TAGS implies polling, because streams ignore tags, and logs that", async () => {
  const upstream = await startRecordingUpstream();
  const command = startCommand({
    ...REQUIRED,
    FLAGS_URL: upstream.url,
    FLAGS_TAGS: "simple:x",
    FLAGS_SYNCHRONIZATION: "streaming",
    FLAGS_METRICS_INTERVAL: "0",
  });
  await untilReady(await command.listening());
  expect(new Set(upstream.requests.map(({ path }) => path))).toEqual(
    new Set(["/api/client/features?tag=simple%3Ax"]),
  );
  expect(command.output.stdout).toContain("Upstreams filter by tags only when they are polled");
  expect(command.output.stdout).toContain("does not confirm the filter by tags (simple:x)");
});

test("FLAGS_PROJECT_NAME ignores flags of other projects that the upstream sends", async () => {
  const upstream = await startFeatureServer({
    features: ["shop", "other"].map((project) => ({
      name: `in-${project}`,
      project,
      enabled: true,
      strategies: [{ name: "default" }],
    })),
  });
  const url = await start({ FLAGS_URL: upstream.url, FLAGS_PROJECT_NAME: "shop" });
  await untilReady(url);
  const response = await fetch(`${url}/proxy`, { headers: { authorization: "client-key" } });
  expect(await response.json()).toMatchObject({ toggles: [{ name: "in-shop" }] });
});

describe("a token that is not a configured secret", () => {
  const SECRET = "0123456789abcdef0123456789abcdef";
  const TOKEN = `default:development.${SECRET}`;

  test("a token that an upstream sends does not appear in the log", async () => {
    const upstream = await startFeatureServer({ features: [] });
    upstream.document = { features: [{ name: `leak ${TOKEN}`, enabled: true }] };
    const command = startCommand({ ...REQUIRED, FLAGS_URL: upstream.url });
    await command.listening();
    await eventually(() => command.output.stdout).toContain("leak default:development.[redacted]");
    expect(command.output.stdout).not.toContain(SECRET);
  });

  test("a token in the wrong setting does not appear in the message about this setting", async () => {
    const { code, stdout, stderr } = await runCommand({ ...REQUIRED, FLAGS_URL: TOKEN });
    expect(code).toBe(1);
    expect(stderr).toContain("FLAGS_URL");
    expect(stdout + stderr).not.toContain(SECRET);
  });
});

describe("EXP_BOOTSTRAP_URL and EXP_BOOTSTRAP_AUTHORIZATION", () => {
  test("the bootstrap provides flags while the upstream is down", async () => {
    const bootstrap = await startRecordingUpstream();
    const url = await start({
      FLAGS_URL: UNREACHABLE,
      EXP_BOOTSTRAP_URL: `${bootstrap.url}/client/features`,
      EXP_BOOTSTRAP_AUTHORIZATION: "Bearer bootstrap-token",
    });
    await untilReady(url);
    const response = await fetch(`${url}/proxy`, { headers: { authorization: "client-key" } });
    expect(await response.json()).toMatchObject({ toggles: [{ name: "on" }] });
    const { headers } = await bootstrap.first("/api/client/features");
    expect(headers.authorization).toBe("Bearer bootstrap-token");
  });
});

describe("FLAGS_APP_NAME, FLAGS_INSTANCE_ID and FLAGS_METRICS_INTERVAL", () => {
  test("the name, the instance id and the interval are part of the registration", async () => {
    const upstream = await startRecordingUpstream();
    await start({
      FLAGS_URL: upstream.url,
      FLAGS_APP_NAME: "our-proxy",
      FLAGS_INSTANCE_ID: "pod-7",
      FLAGS_METRICS_INTERVAL: "12345",
    });
    const { body } = await upstream.first("/api/client/register");
    expect(JSON.parse(body)).toMatchObject({
      appName: "our-proxy",
      instanceId: "pod-7",
      interval: 12_345,
    });
  });
});

describe("FLAGS_FETCH_INTERVAL", () => {
  test("FLAGS_FETCH_INTERVAL is the interval between polls", async () => {
    const upstream = await startRecordingUpstream();
    const url = await start({ FLAGS_URL: upstream.url, FLAGS_FETCH_INTERVAL: "20" });
    await untilReady(url);
    const polls = (): number =>
      upstream.requests.filter(({ path }) => path === "/api/client/features").length;
    // NOTE: with the default interval, so many polls would take longer than the time limit.
    await eventually(polls).toBeGreaterThan(10);
  });

  test("the upstream is polled once if FLAGS_FETCH_INTERVAL is 0", async () => {
    const upstream = await startRecordingUpstream();
    const command = startCommand({
      ...REQUIRED,
      FLAGS_URL: upstream.url,
      FLAGS_FETCH_INTERVAL: "0",
    });
    await untilReady(await command.listening());
    command.signal("SIGTERM");
    expect((await command.finished()).code).toBe(0);
    const polls = upstream.requests.filter(({ path }) => path === "/api/client/features");
    expect(polls).toHaveLength(1);
  });
});
