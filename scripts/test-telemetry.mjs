// `npm run telemetry:test`: sends telemetry of the built commands to a real OpenTelemetry Collector, and checks
// what arrives. Requires Go, which builds the collector: the first time takes some minutes.

import { spawn, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { findFreePorts } from "./free-ports.mjs";
import { rootDirectory } from "./workspace.mjs";

const COLLECTOR_SOURCE = join(rootDirectory, "scripts", "telemetry", "collector");
const PROXY = join(rootDirectory, "packages", "proxy", "bin", "flags-proxy.js");
const ADMIN = join(rootDirectory, "packages", "admin", "bin", "flags-admin.js");
const TIMEOUT_MS = 60_000;
const CLIENT_KEY = "client-key-of-the-test";
const ADMIN_TOKEN = "*:*.admin-token-of-the-test";
const BACKEND_TOKEN = "*:development.backend-token-of-the-test";
const USER = "user-of-the-test";
const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";

/** Kinds of spans. */
const SERVER = 2;
const CLIENT = 3;

/** What the file of the collector has to contain, for each protocol. */
const EXPECTED = [
  '"name":"GET /proxy"',
  `"traceId":"${TRACE_ID}"`,
  '"name":"GET /api/client/features"',
  '"name":"http.server.request.duration"',
  '"name":"flags_proxy_up"',
  '"name":"flags_admin_streams"',
  '"stringValue":"flags-admin"',
  '"eventName":"feature_flag.evaluation"',
  '"stringValue":"Synchronized with the upstream"',
  '"stringValue":"replica-of-the-test"',
];

const children = [];
const directory = await mkdtemp(join(tmpdir(), "flags-telemetry-"));
try {
  const collector = buildCollector();
  for (const protocol of ["http/protobuf", "http/json"]) await testProtocol(collector, protocol);
} finally {
  for (const child of children) child.kill("SIGKILL");
  await rm(directory, { recursive: true });
}

function buildCollector() {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  const binary = join(cache, "flags-deployment-tools", "collector");
  console.log("Building the collector");
  // NOTE: without a complete go.mod of the tests of all dependencies, which are not needed.
  const env = { ...process.env, GOFLAGS: "-mod=mod", CGO_ENABLED: "0" };
  execFileSync("go", ["build", "-o", binary, "."], {
    cwd: COLLECTOR_SOURCE,
    env,
    stdio: "inherit",
  });
  return binary;
}

async function testProtocol(collector, protocol) {
  const output = join(directory, `${protocol.replace("/", "-")}.jsonl`);
  const endpoint = await startCollector(collector, output);
  const telemetry = {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
    OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
    OTEL_TRACES_SAMPLER: "parentbased_always_on",
    OTEL_METRIC_EXPORT_INTERVAL: "500",
  };
  const admin = await startAdmin(telemetry);
  const proxy = start(process.execPath, [PROXY], {
    HOST: "127.0.0.1",
    PORT: "0",
    FLAGS_URL: admin.url,
    FLAGS_API_TOKEN: BACKEND_TOKEN,
    FLAGS_PROXY_CLIENT_KEYS: CLIENT_KEY,
    FLAGS_INSTANCE_ID: "replica-of-the-test",
    LOG_LEVEL: "info",
    ...telemetry,
  });
  const [, url] = await until(() => /is listening on (\S+)\/proxy/.exec(proxy.text));
  await until(async () => (await request(`${url}/proxy/health`)).ok);
  await request(`${url}/proxy?userId=${USER}`);
  await until(
    async () => {
      const text = await readFile(output, "utf8").catch(() => "");
      return EXPECTED.every((part) => text.includes(part)) && hasTraceOfBoth(text);
    },
    async () => describeMissing(output),
  );
  for (const { child } of [{ child: proxy }, admin]) {
    child.kill("SIGTERM");
    // oxlint-disable-next-line no-await-in-loop -- the proxy first
    await once(child, "exit");
  }
  const text = await readFile(output, "utf8");
  for (const secret of [USER, CLIENT_KEY, "-token-of-the-test"]) {
    if (text.includes(secret)) throw new Error(`The collector has received ${secret}`);
  }
  console.log(`${protocol}: the collector has received all that was expected`);
}

async function describeMissing(output) {
  const text = await readFile(output, "utf8").catch(() => "");
  const missing = EXPECTED.filter((part) => !text.includes(part));
  if (!hasTraceOfBoth(text)) missing.push("a trace of a poll from flags-proxy to flags-admin");
  return `The collector lacks ${missing.join(", ")}`;
}

/** Whether a request of the proxy and its processing by flags-admin belong to one trace. */
function hasTraceOfBoth(text) {
  const spans = text
    .split("\n")
    .filter((line) => line.endsWith("}"))
    .flatMap((line) => JSON.parse(line).resourceSpans ?? [])
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
    .filter(({ name }) => name === "GET /api/client/features");
  const tracesOf = (kind) => spans.filter((span) => span.kind === kind).map((span) => span.traceId);
  const [ofServer, ofClient] = [tracesOf(SERVER), tracesOf(CLIENT)];
  return ofClient.some((traceId) => ofServer.includes(traceId));
}

/** Starts flags-admin with a flag that is on. */
async function startAdmin(telemetry) {
  const child = start(process.execPath, [ADMIN], {
    HOST: "127.0.0.1",
    PORT: "0",
    DATA_DIR: await mkdtemp(join(directory, "admin-")),
    INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
    INIT_CLIENT_API_TOKENS: BACKEND_TOKEN,
    ...telemetry,
  });
  const [, url] = await until(() => /is listening on ([^\s,]+)/.exec(child.text));
  const features = `${url}/admin/projects/default/features`;
  await create(features, { name: "checkout", impressionData: true });
  await create(`${features}/checkout/environments/development/strategies`, { name: "default" });
  await create(`${features}/checkout/environments/development/on`, {});
  return { url, child };
}

async function create(url, body) {
  const headers = { authorization: ADMIN_TOKEN, "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
}

async function startCollector(collector, output) {
  const [port] = await findFreePorts(1);
  const config = join(directory, `collector-${port}.yaml`);
  const pipeline = { receivers: ["otlp"], exporters: ["file"] };
  // NOTE: YAML contains JSON.
  const settings = {
    receivers: { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } },
    exporters: { file: { path: output, flush_interval: "100ms" } },
    service: {
      telemetry: { metrics: { level: "none" } },
      pipelines: { traces: pipeline, metrics: pipeline, logs: pipeline },
    },
  };
  await writeFile(config, JSON.stringify(settings));
  const child = start(collector, ["--config", config], {});
  await until(() => child.text.includes("Everything is ready"));
  return `http://127.0.0.1:${port}`;
}

function start(program, args, env) {
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, SHUTDOWN_DELAY: "0", ...env },
  });
  children.push(child);
  child.text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => (child.text += chunk.toString()));
  }
  return child;
}

function request(url) {
  const headers = { authorization: CLIENT_KEY, traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01` };
  return fetch(url, { headers });
}

async function until(read, describe = () => children.map(({ text }) => text).join("\n")) {
  for (const endMs = Date.now() + TIMEOUT_MS; Date.now() < endMs; await delay(50)) {
    const value = await read();
    if (value) return value;
  }
  throw new Error(await Promise.resolve(describe()));
}
