import { createHmac } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger, LogTap, resolveSettings, toTelemetryConfig } from "flags-server-kit";
import { TELEMETRY_SETTINGS } from "flags-server-kit/command-line";
import { startTelemetry, type Telemetry } from "flags-server-kit/telemetry";
import { describe, expect, onTestFinished, test } from "vitest";
import { runCommand, startCommand, untilReady } from "./_command.ts";
import { readLoadedScripts } from "../../server-kit/test/_loaded-scripts.ts";
import { flag, SAMPLE, withConstraint } from "./_documents.ts";
import { type FeatureServer, startFeatureServer } from "./_feature-server.ts";
import type { ExportedMetric, ExportedPoint } from "../../server-kit/test/_otlp-messages.ts";
import { type OtlpReceiver, startOtlpReceiver } from "../../server-kit/test/_otlp-receiver.ts";
import { KEY, MemoryLogger, startProxy } from "./_proxy.ts";
import { startRecordingUpstream } from "./_recording-upstream.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const SPAN_ID = "b7ad6b7169203331";
const TRACEPARENT = { traceparent: `00-${TRACE_ID}-${SPAN_ID}-01` };
const USER = "user-whom-nobody-must-know";
const TOKEN = "*:development.upstream-secret";

const IMPRESSIONS = {
  features: [
    flag("checkout", { impressionData: true, strategies: [withConstraint("userId", [USER])] }),
    flag("silent"),
  ],
};

function environmentFor(upstreamUrl: string, collector: OtlpReceiver): Record<string, string> {
  return {
    FLAGS_URL: upstreamUrl,
    FLAGS_API_TOKEN: TOKEN,
    FLAGS_PROXY_CLIENT_KEYS: KEY,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: "20",
    OTEL_BLRP_SCHEDULE_DELAY: "20",
    OTEL_METRIC_EXPORT_INTERVAL: "200",
    OTEL_METRIC_EXPORT_TIMEOUT: "200",
  };
}

async function secretFile(content: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "flags-telemetry-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, "secret");
  await writeFile(path, content);
  return path;
}

const find = (metrics: readonly ExportedMetric[], name: string): ExportedMetric | undefined =>
  metrics.findLast((metric) => metric.name === name);

/** Returns the durations of requests for flags. */
const findPoint = (metrics: readonly ExportedMetric[]): ExportedPoint | undefined =>
  find(metrics, "http.server.request.duration")?.points.find(
    ({ attributes }) => attributes["http.route"] === "/proxy",
  );

async function send(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, {
    ...init,
    headers: { authorization: KEY, ...(init.headers as Record<string, string> | undefined) },
  });
}

const ID_KEY = "the-secret-for-hashes-of-ids";
const HASHED_USER = createHmac("sha256", ID_KEY).update(USER).digest("hex").slice(0, 32);

describe.each([
  { protocol: "http/protobuf", idKey: "", contextId: undefined },
  { protocol: "http/json", idKey: ID_KEY, contextId: HASHED_USER },
])("the command, with $protocol", ({ protocol, idKey, contextId }) => {
  test("the command exports traces, metrics, logs and evaluations, and nothing about users", async () => {
    const upstream = await startFeatureServer(IMPRESSIONS);
    const collector = await startOtlpReceiver();
    const command = startCommand({
      ...environmentFor(upstream.url, collector),
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
      OTEL_EXPORTER_OTLP_HEADERS_FILE: await secretFile(
        "authorization=Bearer%20collector-secret\n",
      ),
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test,service.name=overridden",
      OTEL_SERVICE_NAME: "my-proxy",
      OTEL_TRACES_SAMPLER: "parentbased_always_on",
      FLAGS_INSTANCE_ID: "replica-1",
      FLAGS_EVALUATION_ID_KEY: idKey,
      FLAGS_METRICS_INTERVAL: "20",
      LOG_LEVEL: "debug",
    });
    const url = await command.listening();
    await untilReady(url);
    await (
      await send(`${url}/proxy?userId=${USER}&token=${USER}`, { headers: TRACEPARENT })
    ).text();
    await (await send(`${url}/ofrep/v1/evaluate/flags/${USER}`, { method: "POST" })).text();
    await (await send(`${url}/${USER}`, { headers: { authorization: "wrong-key" } })).text();
    const usage = { appName: "web", bucket: { toggles: { checkout: { yes: 1, no: 0 } } } };
    const headers = { "content-type": "application/json" };
    await send(`${url}/proxy/client/metrics`, {
      method: "POST",
      body: JSON.stringify(usage),
      headers,
    });
    await collector.until(
      ({ traces, metrics, logs }) =>
        traces.some(({ name, kind }) => kind === 3 && name.includes("metrics")) &&
        traces.some(({ name, kind }) => kind === 2 && name.includes("metrics")) &&
        findPoint(metrics) !== undefined &&
        logs.some(({ eventName }) => eventName !== ""),
    );
    command.signal("SIGTERM");
    expect(await command.finished()).toMatchObject({ code: 0 });

    const { traces, metrics, logs } = collector.exported;
    const resource = {
      "service.name": "my-proxy",
      "service.instance.id": "replica-1",
      "deployment.environment.name": "test",
    };
    const server = traces.filter(({ kind }) => kind === 2);
    expect(server.find(({ name }) => name === "GET /proxy")).toEqual({
      resource: expect.objectContaining(resource) as object,
      attributes: {
        "http.request.method": "GET",
        "http.response.status_code": 200,
        "http.route": "/proxy",
        "network.protocol.version": "1.1",
        "url.scheme": "http",
      },
      traceId: TRACE_ID,
      spanId: expect.stringMatching(/^[\da-f]{16}$/) as string,
      parentSpanId: SPAN_ID,
      name: "GET /proxy",
      kind: 2,
      statusCode: 0,
    });
    expect(server.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        "GET",
        "POST /ofrep/v1/evaluate/flags/:key",
        "POST /proxy/client/metrics",
      ]),
    );
    const client = traces.filter(({ kind }) => kind === 3).map(({ name }) => name);
    expect(client).toContain("GET /api/client/features");
    expect(client).toContainEqual(expect.stringMatching(/^POST \/api\/client\/metrics/));

    expect(find(metrics, "flags_proxy_up")).toMatchObject({ type: "sum", resource });
    const point = findPoint(metrics);
    expect(point).toMatchObject({
      attributes: { "http.request.method": "GET", "http.response.status_code": 200 },
      count: 1,
    });
    expect(point?.bucketCounts).toHaveLength((point?.bounds.length ?? 0) + 1);
    expect(find(metrics, "flags_proxy_http_request_duration_seconds")).toMatchObject({
      type: "histogram",
    });

    const event = logs.find(({ eventName }) => eventName === "feature_flag.evaluation");
    expect(event).toMatchObject({
      traceId: TRACE_ID,
      attributes: {
        "feature_flag.key": "checkout",
        "feature_flag.result.reason": "targeting_match",
        "feature_flag.result.value": true,
        "feature_flag.set.id": "development",
      },
    });
    // Without a key, nothing says for whom the flag was evaluated.
    expect(event?.attributes["feature_flag.context.id"]).toBe(contextId);
    expect(logs.map(({ body }) => body)).toContain("Synchronized with the upstream");
    expect(logs.some(({ attributes }) => attributes["feature_flag.key"] === "silent")).toBe(false);

    const secrets = new RegExp(
      [USER, KEY, ID_KEY, "wrong-key", "upstream-secret", "collector-secret"].join("|"),
    );
    for (const { bytes, headers: sent } of collector.requests) {
      expect(bytes.toString("latin1")).not.toMatch(secrets);
      expect(sent.authorization).toBe("Bearer collector-secret");
    }
    expect(command.output.stdout).not.toContain("collector-secret");
  });
});

test("traces continue at the upstream", async () => {
  const upstream = await startRecordingUpstream();
  const collector = await startOtlpReceiver();
  startCommand({
    ...environmentFor(upstream.url, collector),
    OTEL_TRACES_SAMPLER: "always_on",
  });
  const { headers } = await upstream.first("/api/client/features");
  expect(headers["traceparent"]).toMatch(/^00-/);
  await collector.until(({ traces }) =>
    traces.some((span) => `00-${span.traceId}-${span.spanId}-01` === headers["traceparent"]),
  );
});

test("each process exports its own telemetry under its own instance id", async () => {
  const upstream = await startFeatureServer(SAMPLE);
  const collector = await startOtlpReceiver();
  const command = startCommand({
    ...environmentFor(upstream.url, collector),
    FLAGS_PROXY_WORKERS: "2",
    FLAGS_INSTANCE_ID: "replica-1",
  });
  await command.listening();
  const instances = new Set<unknown>();
  await collector.until(({ metrics }) => {
    const up = metrics.filter(({ name }) => name === "flags_proxy_up");
    for (const { resource } of up) instances.add(resource["service.instance.id"]);
    return instances.size === 3;
  });
  expect(instances).toEqual(new Set(["replica-1", "replica-1-worker-1", "replica-1-worker-2"]));
  command.signal("SIGTERM");
  expect(await command.finished()).toMatchObject({ code: 0, stderr: "" });
});

describe("a collector", () => {
  test.each<[string, number | "hang", string, RegExp]>([
    ["rejects everything", 403, "30000", /Cannot export telemetry: .*Forbidden/],
    ["is overloaded", 503, "300", /Cannot export telemetry: /],
    ["never responds", "hang", "300", /Cannot export telemetry: .*imed? ?out/],
  ])(
    "a collector that %s affects no request, and is logged once",
    async (_, behaviour, timeout, message) => {
      const upstream = await startFeatureServer(IMPRESSIONS);
      const collector = await startOtlpReceiver();
      collector.behaviour = behaviour;
      const { command, url } = await startFast(upstream, collector, {
        OTEL_EXPORTER_OTLP_TIMEOUT: timeout,
      });
      const statuses = await Promise.all(
        Array.from({ length: 300 }, async () => (await send(`${url}/proxy?userId=7`)).status),
      );
      expect(new Set(statuses)).toEqual(new Set([200]));
      await expect.poll(() => command.output.stdout, { timeout: 30_000 }).toMatch(message);
      command.signal("SIGTERM");
      // NOTE: the command exits with 1 if it cannot stop in time.
      const { code, stdout } = await command.finished();
      expect(code).toBe(0);
      expect(stdout.match(/Cannot export telemetry/g)).toHaveLength(1);
    },
  );

  test("a collector that does not listen affects no request", async () => {
    const upstream = await startFeatureServer(IMPRESSIONS);
    const collector = { url: "http://127.0.0.1:1" } as OtlpReceiver;
    const { command, url } = await startFast(upstream, collector, {
      OTEL_EXPORTER_OTLP_TIMEOUT: "300",
    });
    expect((await send(`${url}/proxy`)).status).toBe(200);
    await expect
      .poll(() => command.output.stdout, { timeout: 30_000 })
      .toMatch(/Cannot export telemetry: .*ECONNREFUSED/);
    command.signal("SIGTERM");
    expect(await command.finished()).toMatchObject({ code: 0 });
  });

  async function startFast(
    upstream: FeatureServer,
    collector: OtlpReceiver,
    variables: Record<string, string> = {},
  ) {
    const command = startCommand({
      ...environmentFor(upstream.url, collector),
      OTEL_TRACES_SAMPLER: "always_on",
      OTEL_BSP_MAX_QUEUE_SIZE: "100",
      OTEL_METRICS_EXPORTER: "none",
      ...variables,
    });
    const url = await command.listening();
    await untilReady(url);
    return { command, url };
  }
});

/** Returns the files of the scripts that a command loads until it is ready. */
async function loadedScripts(variables: Record<string, string>): Promise<readonly string[]> {
  const upstream = await startFeatureServer(SAMPLE);
  const directory = await mkdtemp(join(tmpdir(), "flags-coverage-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const command = startCommand({
    FLAGS_URL: upstream.url,
    FLAGS_API_TOKEN: TOKEN,
    FLAGS_PROXY_CLIENT_KEYS: KEY,
    NODE_V8_COVERAGE: directory,
    ...variables,
  });
  await untilReady(await command.listening());
  command.signal("SIGTERM");
  expect(await command.finished()).toMatchObject({ code: 0 });
  return readLoadedScripts(directory);
}

test("OpenTelemetry is loaded only if it is enabled", async () => {
  const isTelemetry = (url: string): boolean => /bundle\/telemetry\.js|@opentelemetry/.test(url);
  const off = await loadedScripts({
    OTEL_SERVICE_NAME: "my-proxy",
    OTEL_TRACES_SAMPLER: "always_on",
  });
  expect(off.filter(isTelemetry)).toEqual([]);
  expect(off.length).toBeGreaterThan(0);
  const on = await loadedScripts({ OTEL_LOGS_EXPORTER: "console" });
  expect(on.filter(isTelemetry)).toHaveLength(1);
});

test("invalid and misspelt variables are reported at startup, without secrets", async () => {
  const { code, stderr } = await runCommand({
    FLAGS_URL: "http://127.0.0.1:1/api",
    FLAGS_API_TOKEN: TOKEN,
    FLAGS_PROXY_CLIENT_KEYS: KEY,
    OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
    OTEL_EXPORTER_OTLP_HEADERS: "Bearer collector-secret",
    OTEL_TRACE_SAMPLER: "always_on",
  });
  expect(code).toBe(1);
  expect(stderr).toContain("OTEL_EXPORTER_OTLP_PROTOCOL must be");
  expect(stderr).toContain("OTEL_EXPORTER_OTLP_HEADERS must be");
  expect(stderr).toContain(
    "OTEL_TRACE_SAMPLER is set but never read: did you mean OTEL_TRACES_SAMPLER?",
  );
  expect(stderr).not.toContain("collector-secret");
});

interface TelemetrySetup {
  readonly telemetry: Telemetry;
  readonly collector: OtlpReceiver;
  readonly tap: LogTap;
}

/** Starts telemetry in this process, which traces every request, for the duration of a test. */
async function startTestTelemetry(): Promise<TelemetrySetup> {
  const collector = await startOtlpReceiver();
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: "parentbased_always_on",
  };
  const config = toTelemetryConfig(resolveSettings(TELEMETRY_SETTINGS, { environment }).values);
  if (config === undefined) throw new Error("Telemetry is not enabled");
  const tap = new LogTap();
  const service = { name: "test", version: "1", instanceId: "1" };
  const telemetry = startTelemetry({ config, service, logger: new MemoryLogger(), tap });
  onTestFinished(() => telemetry.close());
  return { telemetry, collector, tap };
}

test("a traced request gets the same response as any other", async () => {
  const { telemetry } = await startTestTelemetry();
  const plain = await startProxy({ document: SAMPLE });
  const app = { tracer: telemetry.tracer };
  const traced = await startProxy({ document: SAMPLE, app });
  const requests: [string, RequestInit][] = [
    ["/proxy?userId=7", {}],
    ["/api/frontend?userId=7", { headers: { origin: "https://app.test" } }],
    [
      "/proxy",
      { method: "POST", body: '{"context":{}}', headers: { "content-type": "application/json" } },
    ],
    ["/proxy?properties=text", {}],
    ["/proxy", { headers: { authorization: "wrong" } }],
  ];
  for (const [path, init] of requests) {
    // oxlint-disable-next-line no-await-in-loop -- a few
    const [one, other] = await Promise.all(
      [plain, traced].map(({ url }) => describeResponse(url + path, init)),
    );
    expect(other).toEqual(one);
  }
});

async function describeResponse(url: string, init: RequestInit) {
  const response = await send(url, init);
  const { date: _date, ...headers } = Object.fromEntries(response.headers);
  return { status: response.status, headers, body: await response.text() };
}

test("the log line of a failed request contains the ids of its trace", async () => {
  const { telemetry, collector, tap } = await startTestTelemetry();
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const logger = createLogger({ level: "info", json: true, secrets: [], tap, destination });
  const failing = async (): Promise<never> => {
    await Promise.resolve();
    throw new Error("The enricher failed");
  };
  const { url } = await startProxy({
    config: { logger, contextEnrichers: [failing] },
    app: { tracer: telemetry.tracer },
  });
  expect((await send(`${url}/proxy`, { headers: TRACEPARENT })).status).toBe(500);
  logger.info("Outside");
  await telemetry.close();
  const [span] = collector.exported.traces;
  expect(span).toMatchObject({ statusCode: 2, attributes: { "error.type": "500" } });
  const [inside, outside] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(inside).toMatchObject({ level: "error", trace_id: TRACE_ID, span_id: span?.spanId });
  expect(outside).not.toHaveProperty("trace_id");
  expect(collector.exported.logs).toMatchObject([
    {
      severityText: "error",
      traceId: TRACE_ID,
      spanId: span?.spanId,
      attributes: { "exception.message": expect.stringContaining("The enricher failed") as string },
    },
    { severityText: "info", body: "Outside", traceId: "" },
  ]);
});

test.each([
  ["malformed", "00-zz-1-1"],
  ["all zeros", `00-${"0".repeat(32)}-${SPAN_ID}-01`],
  ["repeated", `${TRACEPARENT.traceparent}, ${TRACEPARENT.traceparent}`],
  ["very long", "0".repeat(8000)],
])("a traceparent header that is %s is ignored", async (_, traceparent) => {
  const { telemetry, collector } = await startTestTelemetry();
  const { url } = await startProxy({ app: { tracer: telemetry.tracer } });
  const headers = { traceparent, tracestate: "a=secret", baggage: "a=secret" };
  expect((await send(`${url}/proxy`, { headers })).status).toBe(200);
  await telemetry.close();
  expect(collector.exported.traces).toMatchObject([{ name: "GET /proxy", parentSpanId: "" }]);
  expect(collector.requests.map(({ bytes }) => bytes.toString("latin1")).join("")).not.toContain(
    "secret",
  );
});
