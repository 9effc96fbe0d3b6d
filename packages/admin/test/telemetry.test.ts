import Fastify from "fastify";
import { createLogger, LogTap, resolveSettings, toTelemetryConfig } from "flags-server-kit";
import { TELEMETRY_SETTINGS } from "flags-server-kit/command-line";
import { ConnectionGuard } from "flags-server-kit/http";
import { startTelemetry } from "flags-server-kit/telemetry";
import { traceRequests } from "../src/http/observe-requests.ts";
import { expect, onTestFinished, test } from "vitest";
import { readLoadedScripts } from "../../server-kit/test/_loaded-scripts.ts";
import type { ExportedMetric } from "../../server-kit/test/_otlp-messages.ts";
import { type OtlpReceiver, startOtlpReceiver } from "../../server-kit/test/_otlp-receiver.ts";
import { handleErrors } from "../src/http/error-handler.ts";
import { serverOptions } from "../src/http/server.ts";
import { type Command, makeDatabase, makeDirectory, startCommand } from "./_command.ts";
import { ADMIN_TOKEN, endApp, listen } from "./_service.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const SPAN_ID = "b7ad6b7169203331";
const TRACEPARENT = { traceparent: `00-${TRACE_ID}-${SPAN_ID}-01` };
const NAME = "name-that-nobody-must-know";

async function start(variables: Record<string, string>): Promise<Command> {
  return startCommand({
    ...(await makeDatabase()),
    INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
    LOG_LEVEL: "info",
    ...variables,
  });
}

const collectorAt = ({ url }: Pick<OtlpReceiver, "url">): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_BSP_SCHEDULE_DELAY: "20",
  OTEL_BLRP_SCHEDULE_DELAY: "20",
  OTEL_METRIC_EXPORT_INTERVAL: "200",
  OTEL_METRIC_EXPORT_TIMEOUT: "200",
});

const find = (metrics: readonly ExportedMetric[], name: string): ExportedMetric | undefined =>
  metrics.findLast((metric) => metric.name === name);

async function stop(command: Command): Promise<void> {
  command.child.kill("SIGTERM");
  expect(await command.finished()).toMatchObject({ code: 0, stderr: "" });
}

test("the command exports traces, metrics and logs, without tokens and names", async () => {
  const collector = await startOtlpReceiver();
  const command = await start({
    ...collectorAt(collector),
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20collector-secret",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test,service.instance.id=replica-1",
    OTEL_TRACES_SAMPLER: "parentbased_always_on",
    LOG_LEVEL: "debug",
  });
  const url = await command.listening();
  const headers = { authorization: ADMIN_TOKEN };
  await fetch(`${url}/api/admin/projects/${NAME}/features?namePrefix=${NAME}`, {
    headers: { ...headers, ...TRACEPARENT },
  });
  await fetch(`${url}/api/admin/${NAME}`, { headers: { authorization: "a-wrong-token" } });
  const point = () =>
    find(collector.exported.metrics, "http.server.request.duration")?.points.find(
      ({ attributes }) => attributes["http.route"] === "/api/admin/projects/:projectId/features",
    );
  await collector.until(({ traces }) => traces.length >= 2 && point() !== undefined);
  await stop(command);

  const { traces, metrics, logs } = collector.exported;
  const resource = {
    "service.name": "flags-admin",
    "service.instance.id": "replica-1",
    "deployment.environment.name": "test",
  };
  expect(traces.find(({ traceId }) => traceId === TRACE_ID)).toEqual({
    resource: expect.objectContaining(resource) as object,
    attributes: {
      "http.request.method": "GET",
      "http.response.status_code": 200,
      "http.route": "/api/admin/projects/:projectId/features",
      "network.protocol.version": "1.1",
      "url.scheme": "http",
    },
    traceId: TRACE_ID,
    spanId: expect.stringMatching(/^[\da-f]{16}$/) as string,
    parentSpanId: SPAN_ID,
    name: "GET /api/admin/projects/:projectId/features",
    kind: 2,
    statusCode: 0,
  });
  expect(find(metrics, "flags_admin_up")).toMatchObject({ type: "sum", resource });
  // The last export is before the database is closed.
  expect(find(metrics, "flags_admin_database_up")?.points).toMatchObject([{ value: 1 }]);
  expect(find(metrics, "flags_admin_http_request_duration_seconds")).toMatchObject({
    type: "histogram",
  });
  expect(point()).toMatchObject({
    attributes: { "http.request.method": "GET", "http.response.status_code": 200 },
    count: 1,
  });
  expect(logs.map(({ body }) => body)).toContainEqual(
    expect.stringMatching(/Created tokens listed in the environment: 1/),
  );

  const secrets = new RegExp([NAME, ADMIN_TOKEN.slice(4), "a-wrong-token"].join("|"));
  for (const { bytes, headers: sent } of collector.requests) {
    expect(bytes.toString("latin1")).not.toMatch(secrets);
    expect(sent.authorization).toBe("Bearer collector-secret");
  }
  expect(command.stdout()).not.toContain("collector-secret");
});

test.each<[string, number | "hang"]>([
  ["rejects everything", 403],
  ["never responds", "hang"],
])("a collector that %s affects neither requests nor the shutdown", async (_title, behaviour) => {
  const collector = await startOtlpReceiver();
  collector.behaviour = behaviour;
  const command = await start({
    ...collectorAt(collector),
    OTEL_EXPORTER_OTLP_TIMEOUT: "300",
    OTEL_TRACES_SAMPLER: "always_on",
  });
  const url = await command.listening();
  expect((await fetch(`${url}/health`)).status).toBe(200);
  await expect
    .poll(() => command.stdout(), { timeout: 30_000 })
    .toMatch(/Cannot export telemetry: /);
  await stop(command);
});

test("OpenTelemetry is loaded only if it is enabled", async () => {
  const isTelemetry = (url: string): boolean => /bundle\/telemetry\.js|@opentelemetry/.test(url);
  const loadedScripts = async (variables: Record<string, string>) => {
    const directory = makeDirectory();
    const command = await start({ ...variables, NODE_V8_COVERAGE: directory });
    const url = await command.listening();
    await (await fetch(`${url}/health`)).text();
    await stop(command);
    return readLoadedScripts(directory);
  };
  const off = await loadedScripts({ OTEL_SERVICE_NAME: "x", OTEL_TRACES_SAMPLER: "always_on" });
  expect(off.filter(isTelemetry)).toEqual([]);
  expect(off.length).toBeGreaterThan(0);
  const on = await loadedScripts({ OTEL_LOGS_EXPORTER: "console" });
  expect(on.filter(isTelemetry)).toHaveLength(1);
});

test("invalid and misspelt variables are reported at startup", async () => {
  const command = startCommand({
    OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
    OTEL_TRACE_SAMPLER: "always_on",
  });
  const { code, stderr } = await command.finished();
  expect(code).toBe(1);
  expect(stderr).toContain("OTEL_EXPORTER_OTLP_PROTOCOL must be");
  expect(stderr).toContain("did you mean OTEL_TRACES_SAMPLER?");
});

test("the log line of a failed request contains the ids of its trace", async () => {
  const collector = await startOtlpReceiver();
  const environment = { ...collectorAt(collector), OTEL_TRACES_SAMPLER: "parentbased_always_on" };
  const config = toTelemetryConfig(resolveSettings(TELEMETRY_SETTINGS, { environment }).values);
  if (config === undefined) throw new Error("Telemetry is not enabled");
  const tap = new LogTap();
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  const logger = createLogger({ level: "info", json: true, secrets: [], tap, destination });
  const service = { name: "test", version: "1", instanceId: "1" };
  const telemetry = startTelemetry({ config, service, logger, tap });
  const { tracer } = telemetry;
  if (tracer === undefined) throw new Error("There is no tracer");
  const guard = new ConnectionGuard({ maxConnections: 10, logger, hint: "" });
  const app = Fastify(serverOptions(guard, false, tracer));
  onTestFinished(() => endApp(app));
  handleErrors(app, { logger, observe: () => undefined, tracer });
  traceRequests(app, tracer);
  app.get("/", () => {
    throw new Error("The database failed");
  });
  const { url } = await listen(app);
  expect((await fetch(url, { headers: TRACEPARENT })).status).toBe(500);
  await telemetry.close();
  const [span] = collector.exported.traces;
  expect(span).toMatchObject({ name: "GET /", statusCode: 2, parentSpanId: SPAN_ID });
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: "error", trace_id: TRACE_ID, span_id: span?.spanId },
  ]);
  expect(collector.exported.logs).toMatchObject([{ traceId: TRACE_ID, spanId: span?.spanId }]);
});
