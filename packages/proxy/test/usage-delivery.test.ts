import { describe, expect, test } from "vitest";
import { AdminService, CLIENT_TOKEN } from "../../sdk/test/_admin.ts";
import { type Command, startCommand, untilReady } from "./_command.ts";
import { startSlowUpstream } from "./_slow-upstream.ts";
import { send, USAGE } from "./_workers.ts";

const KEY = "client-key";
const TOKEN = "*:development.secret";
const BULK = "/api/client/metrics/bulk";
const SINGLE = "/api/client/metrics";

interface Proxy {
  readonly command: Command;
  readonly url: string;
}

async function startProxy(
  upstreamUrl: string,
  environment: Record<string, string> = {},
): Promise<Proxy> {
  const command = startCommand({
    FLAGS_URL: upstreamUrl,
    FLAGS_API_TOKEN: TOKEN,
    FLAGS_PROXY_CLIENT_KEYS: KEY,
    FLAGS_METRICS_INTERVAL: "1000000",
    ...environment,
  });
  const url = await command.listening();
  await untilReady(url);
  return { command, url };
}

const appNames = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `app-${index}`);

/** Reports one evaluation for each application, 20 at a time. All must be acknowledged. */
async function report(url: string, names: readonly string[]): Promise<void> {
  const queue = [...names];
  const sendNext = async (): Promise<void> => {
    for (let appName = queue.pop(); appName !== undefined; appName = queue.pop()) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { status } = await send(`${url}/proxy/client/metrics`, { body: { ...USAGE, appName } });
      if (status !== 200) throw new Error(`The report of ${appName} got ${status}`);
    }
  };
  await Promise.all(Array.from({ length: 20 }, sendNext));
}

async function stop({ command }: Proxy): Promise<void> {
  command.signal("SIGTERM");
  const { code, stderr } = await command.finished();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
}

const onceEach = (names: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries(names.map((name) => [name, 1]));

describe("flags-proxy at SIGTERM delivers all acknowledged usage before it exits", () => {
  // Sent sequentially, 100 requests would take 5 s and 1,000 would take 50 s. The limit is 2 s. Sent as
  // they should be, they take 0.3 s in single reports, and much less in bulk, which leaves time for a busy machine.
  test.each([
    ["of 1,000 applications in bulk", {}, 202, 1000],
    ["of 1,000 applications in bulk, with two workers", { FLAGS_PROXY_WORKERS: "2" }, 202, 1000],
    ["of 100 applications, without bulk reports", {}, 404, 100],
    [
      "of 100 applications, without bulk reports, with two workers",
      { FLAGS_PROXY_WORKERS: "2" },
      405,
      100,
    ],
  ])(
    "acknowledged usage is delivered at SIGTERM to an upstream that takes 50 ms for each request: %s",
    async (_title, environment, bulkStatus, count) => {
      const upstream = await startSlowUpstream({ delayMs: 50, bulkStatus });
      const proxy = await startProxy(upstream.url, environment);
      const names = appNames(count);
      await report(proxy.url, names);
      const registration = { appName: "registered" };
      await send(`${proxy.url}/proxy/client/register`, { body: registration });
      expect((await upstream.received()).yes).toEqual({});
      await stop(proxy);
      const { yes, requests, applications } = await upstream.received();
      expect(yes).toEqual(onceEach(names));
      expect(applications).toContainEqual(expect.objectContaining(registration));
      if (bulkStatus === 202) expect(requests[BULK]).toBeLessThan(10);
      expect(requests[SINGLE] ?? 0).toBe(bulkStatus === 202 ? 0 : count);
    },
  );
});

test("flags-proxy delivers usage of many applications to flags-admin in bulk", async () => {
  const admin = new AdminService();
  try {
    await admin.start();
    await admin.createFlag("on");
    const proxy = await startProxy(admin.url, { FLAGS_API_TOKEN: CLIENT_TOKEN });
    const names = appNames(300);
    await report(proxy.url, names);
    await stop(proxy);
    const { seenApplications, lastHourUsage } = (await admin.read(
      "/client-metrics/features/on",
    )) as {
      readonly seenApplications: readonly string[];
      readonly lastHourUsage: readonly { readonly yes: number; readonly environment: string }[];
    };
    // The first hundred.
    expect(names).toEqual(expect.arrayContaining([...seenApplications]));
    expect(lastHourUsage).toMatchObject([{ environment: "development", yes: 300 }]);
  } finally {
    await admin.dispose();
  }
});

test("implausibly high counts do not hide other reports, in flags-proxy and in flags-admin", async () => {
  const admin = new AdminService();
  try {
    await admin.start();
    await admin.createFlag("on");
    const proxy = await startProxy(admin.url, { FLAGS_API_TOKEN: CLIENT_TOKEN });
    for (const yes of [Number.MAX_SAFE_INTEGER, 700_000, 700_000, 700_000]) {
      const body = { appName: "web", bucket: { toggles: { on: { yes, no: 0 } } } };
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await send(`${proxy.url}/proxy/client/metrics`, { body })).status).toBe(200);
    }
    await stop(proxy);
    expect(await admin.read("/client-metrics/features/on")).toMatchObject({
      lastHourUsage: [{ yes: 1_002_100_000 }],
    });
  } finally {
    await admin.dispose();
  }
});

test("a client that invents applications does not cause requests upstream, or other reports to be rejected", async () => {
  const upstream = await startSlowUpstream({ delayMs: 20 });
  const proxy = await startProxy(upstream.url, {
    FLAGS_PROXY_CLIENT_KEYS: `${KEY},other-key`,
  });
  const post = async (key: string, body: object): Promise<number> => {
    const response = await fetch(`${proxy.url}/proxy/client/metrics`, {
      method: "POST",
      headers: { authorization: key, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    await response.text();
    return response.status;
  };
  let invented = 0;
  const invent = (flagCount: number, variantCount: number): Promise<number> => {
    invented += 1;
    const variants = Object.fromEntries(
      Array.from({ length: variantCount }, (_, variant) => [`${"v".repeat(240)}${variant}`, 1]),
    );
    const flags = Array.from({ length: flagCount }, (_, flag) => [
      `unknown-${flag}`,
      { yes: 1, no: 0, variants },
    ]);
    const toggles = Object.fromEntries(flags) as object;
    return post(KEY, { appName: `invented-${invented}`, bucket: { toggles } });
  };
  // Smaller and smaller reports exceed the quota of the key.
  for (const [flagCount, variantCount, reports] of [
    [30, 100, 20],
    [1, 100, 50],
    [1, 1, 100],
  ] as const) {
    for (let report = 0; report < reports; report += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await invent(flagCount, variantCount)).toBe(200);
    }
  }
  const own = { appName: "quiet", bucket: { toggles: { on: { yes: 1, no: 0 } } } };
  expect(await post("other-key", own)).toBe(200);
  expect(await post("other-key", { ...own, appName: "quiet-2" })).toBe(200);
  expect(await post(KEY, { ...own, appName: "same-key" })).toBe(200);
  await stop(proxy);
  const { yes, requests } = await upstream.received();
  expect(yes).toMatchObject({ quiet: 1, "quiet-2": 1, "other-applications": 1 });
  expect(requests[SINGLE]).toBeUndefined();
});
