// The endpoints of Unleash Edge apart from its client APIs.

import { expect, test } from "vitest";
import { SAMPLE } from "./_documents.ts";
import { errorOf, KEY, OTHER_KEY, SERVER_TOKEN, startProxy, shareProxies } from "./_proxy.ts";
import { DocumentSource } from "./_source.ts";

const startShared = shareProxies();

const BACKSTAGE = "/internal-backstage";

test("health is 200 even before the proxy has flags, ready is 503 until then", async () => {
  const source = new DocumentSource();
  const { url } = await startProxy({ source });
  const health = await fetch(`${url}${BACKSTAGE}/health`);
  expect([health.status, await health.json()]).toEqual([200, { status: "OK" }]);
  const notReady = await fetch(`${url}${BACKSTAGE}/ready`);
  expect([notReady.status, await notReady.json()]).toEqual([503, { status: "NOT_READY" }]);
  source.replace(SAMPLE);
  const ready = await fetch(`${url}${BACKSTAGE}/ready`);
  expect([ready.status, await ready.json()]).toEqual([200, { status: "READY" }]);
});

test.each(["metrics", "prometheus"])(
  "%s returns the metrics, even before there are flags",
  async (name) => {
    const { url } = await startProxy({ source: new DocumentSource() });
    const response = await fetch(`${url}${BACKSTAGE}/${name}`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toContain("text/plain");
    expect(await response.text()).toContain("flags_proxy_flags 0\n");
  },
);

test.each(["features", "tokens"])("%s requires a server token", async (name) => {
  const { url, request } = await startShared();
  expect((await fetch(`${url}${BACKSTAGE}/${name}`)).status).toBe(401);
  expect((await request(`${BACKSTAGE}/${name}`)).status).toBe(401);
});

test("features returns the definitions by environment", async () => {
  const { request } = await startShared();
  const response = await request(`${BACKSTAGE}/features`, {
    headers: { authorization: SERVER_TOKEN },
  });
  expect(await response.json()).toMatchObject({ default: { features: SAMPLE.features } });
});

test("tokens returns the state of the source, and no token", async () => {
  const { request, source } = await startProxy();
  const response = await request(`${BACKSTAGE}/tokens`, {
    headers: { authorization: SERVER_TOKEN },
  });
  const text = await response.text();
  expect(text).not.toMatch(/token-|upstream-token/);
  expect(JSON.parse(text)).toEqual({
    tokenRefreshes: [
      {
        environment: "default",
        flags: source.snapshot?.flags.length,
        revision: source.snapshot?.revision,
        lastRefreshed: new Date(1_600_000_000_000).toISOString(),
        lastCheck: new Date(1_700_000_000_000).toISOString(),
        hasFailed: false,
      },
    ],
    tokenValidationStatus: [],
  });
});

const validate = (url: string, tokens: unknown): Promise<Response> =>
  fetch(`${url}/edge/validate`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ tokens }),
  });

test("POST /edge/validate returns the valid keys and tokens with their scopes", async () => {
  const { url } = await startShared({
    config: {
      clientKeys: [KEY, "web:development.key"],
      serverTokens: [SERVER_TOKEN, "*:development.server"],
    },
  });
  const response = await validate(url, [
    "unknown",
    // A client of the calling proxy may have sent it, and must not affect the others.
    `*:development.${"x".repeat(10_000)}`,
    KEY,
    OTHER_KEY,
    "*:development.server",
    "web:development.key",
    KEY,
  ]);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    tokens: [
      { token: KEY, type: "frontend", projects: ["*"] },
      {
        token: "*:development.server",
        type: "client",
        projects: ["*"],
        environment: "development",
      },
      {
        token: "web:development.key",
        type: "frontend",
        projects: ["web"],
        environment: "development",
      },
    ],
  });
});

test.each([undefined, "a", [1], Array.from({ length: 1001 }, String)])(
  "POST /edge/validate rejects invalid tokens",
  async (tokens) => {
    const { url } = await startShared();
    const response = await validate(url, tokens);
    expect(response.status).toBe(400);
    expect((await errorOf(response)).error).toContain("tokens");
  },
);

test("POST /edge/validate limits guesses, but not valid tokens", async () => {
  const { url } = await startShared();
  const guess = (round: number) => Array.from({ length: 1000 }, (_, index) => `${round}-${index}`);
  const statuses: number[] = [];
  for (let round = 0; round < 3; round += 1)
    statuses.push((await validate(url, guess(round))).status);
  expect(statuses).toEqual([200, 200, 429]);
  const limited = await validate(url, guess(4));
  expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
  await limited.body?.cancel();
});

test("POST /api/client/metrics/edge is accepted with a server token", async () => {
  const { url } = await startShared();
  const send = (authorization: string): Promise<Response> =>
    fetch(`${url}/api/client/metrics/edge`, {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: JSON.stringify({ identifier: "edge-1", version: "20.1.5" }),
    });
  expect((await send(SERVER_TOKEN)).status).toBe(202);
  expect((await send(KEY)).status).toBe(401);
});
