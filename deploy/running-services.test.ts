import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { Authority, writeFiles } from "../packages/proxy/test/_certificates.ts";
import { RedisServer } from "../packages/proxy/test/_redis.ts";
import { findFreePort } from "../packages/proxy/test/_ports.ts";
import { Service } from "./_service.ts";
import { getHelm, tryTool } from "./_tools.ts";
import { DASHBOARDS, queriesOf } from "./grafana/_dashboards.ts";
import { containerOf, findKind, render, type Manifest } from "./helm/_chart.ts";
import { ALERTS_FILE, type RuleFile } from "./prometheus/_promtool.ts";

const { tool: helm, isMissing } = await tryTool(getHelm);

const CLIENT_TOKEN = "*:development.a-client-token-for-tests";

/** The variables that a pod gets from the Secret of its chart. */
function secretOf(manifests: readonly Manifest[]): Record<string, string> {
  return findKind(manifests, "Secret")["stringData"] as Record<string, string>;
}

async function startAdmin(port: number): Promise<Service> {
  const manifests = await render(helm, "flags-admin", {
    persistence: { enabled: true },
    secrets: { adminTokens: ["*:*.an-admin-token-for-tests"], clientTokens: [CLIENT_TOKEN] },
  });
  const directory = await mkdtemp(join(tmpdir(), "flags-pod-"));
  // The path of the volume in the pod.
  const environment = { ...secretOf(manifests), DATA_DIR: directory };
  const service = new Service(containerOf(manifests), environment, port);
  onTestFinished(async () => {
    await service.kill();
    await rm(directory, { recursive: true, force: true });
  });
  return service;
}

async function startProxy(
  adminPort: number,
  settings: Record<string, unknown> = {},
  environment: Record<string, string> = {},
): Promise<{ readonly service: Service; readonly manifests: readonly Manifest[] }> {
  const redis = await RedisServer.start();
  onTestFinished(() => redis.stop());
  const upstreamUrl = `http://127.0.0.1:${adminPort}/api`;
  const manifests = await render(helm, "flags-proxy", {
    proxy: { upstreamUrl, basePath: "base", ...settings },
    secrets: {
      apiToken: CLIENT_TOKEN,
      clientKeys: ["key-of-the-web-app"],
      store: redis.address,
    },
    usageSpool: { enabled: true },
    env: [{ name: "FLAGS_FETCH_INTERVAL", value: "500" }],
  });
  const port = await findFreePort();
  const directory = await mkdtemp(join(tmpdir(), "flags-pod-"));
  const variables = {
    ...secretOf(manifests),
    // The path of the volume in the pod.
    FLAGS_USAGE_SPOOL: directory,
    ...environment,
  };
  const service = new Service(containerOf(manifests), variables, port);
  onTestFinished(async () => {
    await service.kill();
    await rm(directory, { recursive: true, force: true });
  });
  return { service, manifests };
}

describe.skipIf(isMissing)("services with the settings of their charts", () => {
  // One test, because both parts need the same flag-management service, whose start is slow.
  test("services start, pass their probes, and export every metric in alerts and dashboards", async () => {
    const adminPort = await findFreePort();
    const { service: proxy, manifests } = await startProxy(adminPort);
    const { startupProbe, livenessProbe, readinessProbe } = containerOf(manifests);
    await expect.poll(() => proxy.log, { timeout: 20_000 }).toContain("is listening on");
    // The upstream is down: the pod is not ready, and not restarted.
    await proxy.untilPasses(startupProbe);
    await proxy.untilPasses(livenessProbe);
    expect(await proxy.passes(readinessProbe)).toBe(false);

    const admin = await startAdmin(adminPort);
    await proxy.untilPasses(readinessProbe);
    expect(proxy.hasExited).toBe(false);
    await proxy.untilPasses(livenessProbe);
    await expectMetrics(adminPort, admin);

    // The upstream fails later: the pod stays ready.
    expect(await admin.stop()).toBe(0);
    await expect
      .poll(() => proxy.log, { timeout: 20_000 })
      .toMatch(/works again[\s\S]*Fetching flags failed/);
    await proxy.untilPasses(readinessProbe);
    await proxy.untilPasses(livenessProbe);

    // The process hangs: the pod will be restarted.
    proxy.signal("SIGSTOP");
    expect(await proxy.passes(livenessProbe)).toBe(false);
    proxy.signal("SIGCONT");
    await proxy.untilPasses(livenessProbe);

    // A process that needs more than 10 s exits with another code.
    expect(await proxy.stop()).toBe(0);
  });
});

/** Alerts and dashboards use the metric of each source instead. */
const SUM_OF_SOURCES = "flags_proxy_upstream_errors_total";

async function expectMetrics(adminPort: number, admin: Service): Promise<void> {
  // Some metrics exist only with workers, an access file or TLS.
  const { cert, key } = writeFiles(new Authority().issue("flags-proxy"));
  const access = JSON.stringify({ keys: [{ name: "web", key: "*:development.web-key" }] });
  const { service: proxy, manifests } = await startProxy(
    adminPort,
    { workers: 2 },
    {
      FLAGS_ACCESS_FILE: writeFiles({ access }).access,
      FLAGS_TLS_CERT_FILE: cert,
      FLAGS_TLS_KEY_FILE: key,
      FLAGS_TLS_PORT: String(await findFreePort()),
    },
  );
  await proxy.untilPasses(containerOf(manifests).readinessProbe);
  const headers = { authorization: "key-of-the-web-app", "content-type": "application/json" };
  await proxy.fetchText("/base/proxy", { headers });
  await proxy.fetchText("/base/proxy", { headers: { authorization: "wrong" } });
  const report = { appName: "web", bucket: { toggles: { unknown: { yes: 1, no: 0 } } } };
  await proxy.fetchText("/base/proxy/client/metrics", {
    method: "POST",
    headers,
    body: JSON.stringify(report),
  });
  const metrics = [
    await proxy.fetchText("/base/proxy/internal-backstage/prometheus"),
    await admin.fetchText("/internal-backstage/prometheus"),
  ].join("\n");

  const { groups } = parse(readFileSync(ALERTS_FILE, "utf8")) as RuleFile;
  const alerts = groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));
  const queries = [...alerts, ...[...DASHBOARDS.values()].flatMap(queriesOf)];
  const used = new Set(
    queries.flatMap((query) => query.match(/\b(?:flags|last|process|nodejs)_\w+/g) ?? []),
  );
  const names = metricNames(metrics);
  expect([...used].filter((name) => !names.has(name))).toEqual([]);
  // Without the metrics that programs on Node share, every one of the services is used.
  const own = [...names].filter((name) => /^(flags_|last_)/.test(name));
  const unused = own.filter((name) => !used.has(name) && name !== SUM_OF_SOURCES);
  expect(unused.filter((name) => !/_(sum|count|bucket|seconds)$/.test(name))).toEqual([]);

  expect(metrics).toMatch(/flags_proxy_http_requests_total\{method="GET",route=".*",status="401"/);
  expect(metrics).toMatch(/flags_proxy_http_request_duration_seconds_bucket\{le=".*",route="/);
  expect(metrics).toMatch(/flags_proxy_connections_closed_total\{reason="/);
  process.stdout.write(`${used.size} metrics in ${queries.length} queries exist\n`);
}

/** Returns the names of all series, including those that have no sample yet. */
function metricNames(text: string): ReadonlySet<string> {
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Set(
    types.flatMap(([, name = "", type]) =>
      type === "histogram" ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
}
