import { isName } from "flags-engine";
import { expect, test } from "vitest";
import { makeDatabase, startCommand as startAdmin } from "../../admin/test/_command.ts";
import { eventually, startCommand, untilReady } from "./_command.ts";
import { namesOf } from "./_proxy.ts";

// The proxy and flags-admin agree on names: what the one accepts, the other one does, and no name harms others.

const ADMIN_TOKEN = "*:*.an-admin-token-of-the-tests";
const TOKEN = "*:development.a-client-token-of-the-tests";
const KEY = "client-key";

const NAMES = [
  "__proto__",
  "constructor",
  "toString",
  "prototype",
  "x".repeat(100),
  "x".repeat(101),
  "x".repeat(256),
  "",
  " ",
  ".",
  "..",
  "a/b",
  "a%2Fb",
  "100%",
  "a\nb",
  "\u0007",
  "\0",
  "\u2028",
  "\ud800",
  "Ünïcödé 🚀",
  '"><script>',
];

async function start() {
  const admin = startAdmin({
    ...(await makeDatabase()),
    INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
    INIT_CLIENT_API_TOKENS: TOKEN,
  });
  const origin = await admin.listening();
  const call = async (method: string, path: string, body?: string, authorization = ADMIN_TOKEN) => {
    const response = await fetch(`${origin}/api${path}`, {
      method,
      headers: { authorization, ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body }),
    });
    return { status: response.status, text: await response.text() };
  };
  return { admin, origin, call };
}

/** JSON.stringify() for objects with one entry, whose name can be `__proto__`. */
const entry = (name: string, value: string): string => `{${JSON.stringify(name)}:${value}}`;

const reportOf = (appName: string, toggles: string): string =>
  `{"appName":${JSON.stringify(appName)},"instanceId":"i","bucket":{"start":"2026-01-01T00:00:00Z","stop":${Date.now()},"toggles":${toggles}}}`;

const registrationOf = (appName: string): string =>
  JSON.stringify({
    appName,
    interval: 1000,
    started: "2026-01-01T00:00:00Z",
    strategies: [],
  });

const ONCE = '{"yes":1,"no":0}';

test("flags-proxy and flags-admin accept the same names, and usage is delivered in few requests, whatever the names are", async () => {
  const { admin, origin, call } = await start();
  const features = "/admin/projects/default/features";
  const created: string[] = [];
  for (const name of [...NAMES, "on"]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { status } = await call("POST", features, JSON.stringify({ name }));
    expect([name, status]).toEqual([name, isName(name) ? 201 : 400]);
    if (status !== 201) continue;
    created.push(name);
    const environment = `${features}/${encodeURIComponent(name)}/environments/development`;
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await call("POST", `${environment}/strategies`, JSON.stringify({ name: "default" }));
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect((await call("POST", `${environment}/on`)).status).toBe(200);
  }
  const before = (await call("GET", "/client/features", undefined, TOKEN)).text;

  const proxy = startCommand({
    FLAGS_URL: `${origin}/api`,
    FLAGS_API_TOKEN: TOKEN,
    FLAGS_PROXY_CLIENT_KEYS: KEY,
    FLAGS_METRICS_INTERVAL: "1000000",
  });
  const url = await proxy.listening();
  await untilReady(url);
  const headers = { authorization: KEY, "content-type": "application/json" };
  const post = async (path: string, body: string): Promise<Response> =>
    fetch(url + path, { method: "POST", headers, body });
  expect((await namesOf(await post("/proxy", '{"context":{}}'))).toSorted()).toEqual(
    created.toSorted(),
  );
  for (const name of created) {
    const path = `/ofrep/v1/evaluate/flags/${encodeURIComponent(name)}`;
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await (await post(path, "{}")).json()).toMatchObject({ key: name, value: true });
  }

  const apps = Array.from({ length: 50 }, (_, index) => `app-${index}`);
  await Promise.all(
    apps.map(async (appName) => post("/proxy/client/metrics", reportOf(appName, `{"on":${ONCE}}`))),
  );
  for (const name of NAMES) {
    for (const [sent, path, adminPath] of [
      [reportOf(name, `{"on":${ONCE}}`), "/proxy/client/metrics", "/client/metrics"],
      [reportOf("flag", entry(name, ONCE)), "/proxy/client/metrics", "/client/metrics"],
      [
        reportOf("variant", `{"on":{"yes":1,"no":0,"variants":${entry(name, "1")}}}`),
        "/proxy/client/metrics",
        "/client/metrics",
      ],
      [registrationOf(name), "/proxy/client/register", "/client/register"],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const [byProxy, byAdmin] = [
        await post(path, sent),
        await call("POST", adminPath, sent, TOKEN),
      ];
      // The proxy counts usage without the name of an application as "unknown".
      const isUnnamed = name === "" && sent.startsWith('{"appName":""') && path.endsWith("metrics");
      expect([sent, byProxy.ok]).toEqual([sent, isUnnamed || byAdmin.status === 202]);
    }
  }
  const reports = await countReports(origin);
  proxy.signal("SIGTERM");
  expect(await proxy.finished()).toMatchObject({ code: 0, stderr: "" });

  const sent = await countReports(origin);
  expect(sent.bulk - reports.bulk).toBeLessThan(10);
  expect(sent.single - reports.single).toBe(0);
  expect((await call("GET", "/client/features", undefined, TOKEN)).text).toBe(before);

  const seen = async (name: string) =>
    JSON.parse(
      (await call("GET", `/admin/client-metrics/features/${encodeURIComponent(name)}`)).text,
    ) as { readonly seenApplications: readonly string[]; readonly lastHourUsage: unknown };
  const applications = (await seen("on")).seenApplications;
  expect(applications).toEqual(
    expect.arrayContaining([...apps, "__proto__", "constructor", "a/b"]),
  );
  for (const name of created.filter((each) => each !== "on")) {
    // Once from the proxy, and once directly.
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await seen(name)).toMatchObject({ lastHourUsage: [{ yes: 2 }] });
  }
  const raw = await call("GET", "/admin/client-metrics/features/on/raw");
  expect(raw.text).toContain('"__proto__":2');
  admin.child.kill("SIGTERM");
  const { stdout, stderr } = await admin.finished();
  expect(stderr).toBe("");
  expect(stdout).not.toContain("__proto__");
});

/** Returns how many usage reports flags-admin has received. */
async function countReports(origin: string) {
  const metrics = await (await fetch(`${origin}/internal-backstage/prometheus`)).text();
  const countOf = (route: string): number =>
    metrics
      .split("\n")
      .filter(
        (line) =>
          line.startsWith("flags_admin_http_requests_total{") && line.includes(`"${route}"`),
      )
      .reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  return { bulk: countOf("/api/client/metrics/bulk"), single: countOf("/api/client/metrics") };
}

test("a context field can have every name that flags-admin accepts", async () => {
  const { origin, call } = await start();
  const path = "/admin/projects/default/features";
  const fields = NAMES.filter(isName);
  for (const name of fields) {
    const strategy = {
      name: "default",
      constraints: [{ contextName: name, operator: "IN", values: ["gold"] }],
    };
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const field = await call("POST", "/admin/context", JSON.stringify({ name }));
    expect([name, field.status]).toEqual([name, 201]);
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await call("POST", path, JSON.stringify({ name: `by-${name.slice(0, 50)}` }));
    const environment = `${path}/by-${name.slice(0, 50)}/environments/development`;
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const added = await call("POST", `${environment}/strategies`, JSON.stringify(strategy));
    expect([name, added.status]).toEqual([name, 200]);
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await call("POST", `${environment}/on`);
  }
  const proxy = startCommand({
    FLAGS_URL: `${origin}/api`,
    FLAGS_API_TOKEN: TOKEN,
    FLAGS_PROXY_CLIENT_KEYS: KEY,
  });
  const url = await proxy.listening();
  await untilReady(url);
  for (const name of fields) {
    const flag = `by-${name.slice(0, 50)}`;
    const properties = entry(name, '"gold"');
    const body = `{"context":{"properties":${properties}}}`;
    const headers = { authorization: KEY, "content-type": "application/json" };
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await eventually(async () =>
      namesOf(await fetch(`${url}/proxy`, { method: "POST", headers, body })),
    ).toEqual([flag]);
    const playground = `{"environment":"development","features":["${flag}"],"context":{"properties":${properties}}}`;
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { text } = await call("POST", "/admin/playground", playground);
    expect(JSON.parse(text)).toMatchObject({ features: [{ name: flag, isEnabled: true }] });
  }
});
