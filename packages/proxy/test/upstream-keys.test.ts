// Keys that the upstream verifies, over real sockets: what they give access to, and what they never do.

import { writeFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readEvents } from "../../server-kit/test/_event-reader.ts";
import type { ProxyConfig } from "../src/config/config.ts";
import type { NetworkConfig } from "../src/config/load-network.ts";
import { createDirectory } from "./_access-file.ts";
import { eventually } from "./_command.ts";
import {
  backend,
  frontend,
  type IssuedToken,
  sendTokens,
  revalidateEvery,
  startIssuingUpstream,
  startWithUpstreamKeys,
} from "./_issuing-upstream.ts";
import { errorOf, namesOf, proxyConfig } from "./_proxy.ts";

const WEB = "web:development.a-secret-of-web";
const ALL = "*:production.a-secret-of-all";
const SOME = "[]:production.a-secret-of-some";
const SERVER = "*:development.a-secret-of-a-server";

/** Returns the configuration with other settings for connections to the upstream. */
function connectWith(settings: Partial<NetworkConfig["upstream"]>): Partial<ProxyConfig> {
  const { network } = proxyConfig();
  return { network: { ...network, upstream: { ...network.upstream, ...settings } } };
}

describe("a token that the upstream has issued", () => {
  test("an issued token gives the flags of its environment and projects from the first request on", async () => {
    const upstream = await startIssuingUpstream({
      [WEB]: frontend("development", "web"),
      [ALL]: frontend("production", "*"),
      [SOME]: frontend("production", "app", "other"),
    });
    const { get, url } = await startWithUpstreamKeys({ upstream });
    for (const path of ["/proxy", "/api/frontend"]) {
      expect(await namesOf(await get(path, WEB))).toEqual(["development.web"]);
      expect(await namesOf(await get(path, ALL))).toEqual(["production.web", "production.app"]);
      expect(await namesOf(await get(path, SOME))).toEqual(["production.app"]);
    }
    const ofrep = (key: string) =>
      fetch(`${url}/ofrep/v1/evaluate/flags/development.app`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: '{"context":{}}',
      });
    expect((await ofrep(WEB)).status).toBe(404);
    expect(upstream.calls).toEqual([[WEB], [ALL], [SOME]]);
  });

  test("an issued token belongs to the environment in its name if the upstream names none, as Unleash 6 does", async () => {
    const upstream = await startIssuingUpstream();
    upstream.respond = (response, tokens) =>
      sendTokens(
        response,
        tokens.map((token) => ({ token, type: "frontend", projects: ["*"] })),
      );
    const { get } = await startWithUpstreamKeys({ upstream });
    expect(await namesOf(await get("/proxy", ALL))).toEqual(["production.web", "production.app"]);
  });

  test("an issued token is accepted as a bearer token of OpenFeature clients", async () => {
    const upstream = await startIssuingUpstream({ [WEB]: frontend("development", "web") });
    const { url } = await startWithUpstreamKeys({ upstream });
    const response = await fetch(`${url}/ofrep/v1/evaluate/flags/development.web`, {
      method: "POST",
      headers: { authorization: `Bearer ${WEB}`, "content-type": "application/json" },
      body: '{"context":{}}',
    });
    expect([response.status, await response.json()]).toMatchObject([200, { value: true }]);
  });

  test("an issued client token gives only definitions, to server SDKs", async () => {
    const upstream = await startIssuingUpstream({
      [SERVER]: backend("development", "app"),
      [WEB]: frontend("development", "web"),
    });
    const { get, statusOf } = await startWithUpstreamKeys({ upstream });
    const response = await get("/api/client/features", SERVER);
    expect(await response.json()).toMatchObject({ features: [{ name: "development.app" }] });
    expect(await statusOf(SERVER, "/proxy")).toBe(401);
    expect(await statusOf(WEB, "/api/client/features")).toBe(401);
    expect(await statusOf(WEB, "/internal-backstage/features")).toBe(401);
  });

  test("an issued token is verified with custom headers, and without credentials, which real servers reject", async () => {
    const upstream = await startIssuingUpstream({ [WEB]: frontend("development", "web") });
    const headers = { "x-gateway": "secret-of-the-gateway" };
    const { statusOf } = await startWithUpstreamKeys({
      upstream,
      config: connectWith({ headers }),
    });
    expect(await statusOf(WEB)).toBe(200);
    expect(upstream.headers[0]).toMatchObject(headers);
    expect(upstream.headers[0]).not.toHaveProperty("authorization");
  });

  test("an issued token is counted under one name, and listed without its secret", async () => {
    const upstream = await startIssuingUpstream({
      [WEB]: frontend("development", "web"),
      [SERVER]: backend("development", "*"),
      [ALL]: frontend("production", "*"),
    });
    const { get, statusOf, metric, logger } = await startWithUpstreamKeys({ upstream });
    await Promise.all([WEB, WEB, ALL].map((key) => statusOf(key)));
    const response = await get("/internal-backstage/tokens", SERVER);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({
      tokenValidationStatus: [
        { token: "web:development.****", projects: ["web"], tokenType: "frontend" },
        { token: "*:development.a-se****rver", projects: ["*"], tokenType: "client" },
      ],
    });
    expect(text).not.toMatch(/secret-of/);
    expect(await metric('key_requests_total{key="FLAGS_UPSTREAM_KEYS"}')).toBe(4);
    expect(await metric("upstream_keys")).toBe(3);
    expect(JSON.stringify(logger.lines)).not.toMatch(/secret-of/);
  });

  test("an issued token is validated for proxies behind this one", async () => {
    const upstream = await startIssuingUpstream({
      [SOME]: frontend("production", "app", "other"),
      [ALL]: backend("production", "*"),
    });
    const first = await startWithUpstreamKeys({ upstream });
    const second = await startWithUpstreamKeys({
      upstream: { ...upstream, url: `${first.url}/api` },
    });
    expect(await namesOf(await second.get("/proxy", SOME))).toEqual(["production.app"]);
    expect(await second.statusOf(ALL, "/api/client/features")).toBe(200);
    const response = await fetch(`${second.url}/edge/validate`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ tokens: [SOME, "*:production.unknown", ALL, "*:staging.a", "b"] }),
    });
    expect(await response.json()).toEqual({
      tokens: [
        { token: SOME, type: "frontend", projects: ["app", "other"], environment: "production" },
        { token: ALL, type: "client", projects: ["*"], environment: "production" },
      ],
    });
  });
});

describe("a token is not accepted", () => {
  const TOKEN = "*:development.a-secret";
  const good: IssuedToken = frontend("development", "*");
  const descriptions: readonly (readonly unknown[])[] = [
    [{ token: TOKEN, ...good, type: "admin" }],
    [{ token: TOKEN, ...good, type: "owner" }],
    [{ token: TOKEN, projects: ["*"], environment: "development" }],
    [{ token: TOKEN, ...frontend("production", "*") }],
    [{ token: TOKEN, ...frontend("*", "*") }],
    [{ token: TOKEN, ...frontend("development") }],
    [{ token: TOKEN, ...good, projects: "*" }],
    [{ token: TOKEN, ...good, projects: [["*"]] }],
    [{ token: TOKEN, ...good, environment: null }],
    [{ token: "*:development.another", ...good }],
    [{ token: "web:development.a-secret", ...good }],
    [
      { token: TOKEN, ...good },
      { token: TOKEN, ...frontend("development", "web") },
    ],
    [null, 1, "x", [], { token: 1 }],
  ];

  test("a token is not accepted if the upstream describes it as another one, as an admin token, incompletely or twice", async () => {
    const upstream = await startIssuingUpstream();
    const { statusOf } = await startWithUpstreamKeys({ upstream });
    for (const [index, described] of descriptions.entries()) {
      const token = `${TOKEN}-${index}`;
      const text = JSON.stringify(described).replaceAll(`"${TOKEN}"`, `"${token}"`);
      upstream.respond = (response) => sendTokens(response, JSON.parse(text) as unknown[]);
      // oxlint-disable-next-line no-await-in-loop
      const statuses = [await statusOf(token), await statusOf(token, "/api/client/features")];
      expect([text, ...statuses]).toEqual([text, 401, 401]);
    }
    // Other tokens are not remembered.
    upstream.respond = undefined;
    expect(await statusOf("*:development.another")).toBe(401);
    expect(upstream.calls).toHaveLength(descriptions.length + 1);
  });

  test("a token of another form is not accepted, and not sent to the upstream", async () => {
    const upstream = await startIssuingUpstream();
    const { statusOf } = await startWithUpstreamKeys({ upstream });
    const texts = [
      "",
      "a-key",
      "*:*.an-admin-token",
      "*:development",
      "*:development.",
      "user:0123456789abcdef",
      "a:b:development.secret",
      `*:development.${"x".repeat(500)}`,
      '*:development.secret"',
      "*:development.<script>",
      "two words:development.secret",
    ];
    const statuses = await Promise.all(texts.map((text) => statusOf(text)));
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(upstream.calls).toEqual([]);
  });

  test("a token whose environment has no upstream token is not accepted, and the response and one log line say so", async () => {
    const upstream = await startIssuingUpstream({ "*:staging.secret": frontend("staging", "*") });
    const { get, logger } = await startWithUpstreamKeys({ upstream });
    for (let repetition = 0; repetition < 2; repetition += 1) {
      // oxlint-disable-next-line no-await-in-loop
      const response = await get("/proxy", "*:staging.secret");
      expect(response.status).toBe(401);
      // oxlint-disable-next-line no-await-in-loop
      expect((await errorOf(response)).error).toContain("for the environment `staging`, which");
    }
    expect(upstream.calls).toEqual([]);
    expect(logger.lines.map(({ parts }) => parts.join())).toEqual([
      expect.stringMatching(/^A client uses a key of the environment staging, but no upstream/),
    ]);
  });

  test("a token whose projects no upstream token serves is not accepted, even if it had other projects before", async () => {
    const upstream = await startIssuingUpstream({
      [SOME]: frontend("production", "web"),
      [ALL]: frontend("production", "web", "app"),
    });
    const { get, statusOf, metric, logger } = await startWithUpstreamKeys({
      upstream,
      config: revalidateEvery(200),
      projects: ["web", "app"],
    });
    expect(await namesOf(await get("/proxy", SOME))).toEqual(["production.web"]);
    const response = await get("/proxy", ALL);
    expect(response.status).toBe(401);
    expect((await errorOf(response)).error).toBe(
      "The key is valid, but this proxy has no upstream token for all projects of the key: its operator can add one",
    );
    const unknown = await get("/proxy", "*:production.unknown");
    expect((await errorOf(unknown)).error).not.toContain("The key is valid");
    expect(await metric('upstream_key_rejections_total{reason="projects"}')).toBe(1);
    upstream.issued.set(SOME, frontend("production", "web", "app"));
    await eventually(() => statusOf(SOME)).toBe(401);
    expect(logger.lines.map(({ parts }) => parts.join())[0]).toMatch(
      /^A client uses a key of \*:production\.\S+, for several projects of production, but no/,
    );
  });

  test("a token with the secret of another one is not accepted", async () => {
    const upstream = await startIssuingUpstream({ [WEB]: frontend("development", "web") });
    const { statusOf } = await startWithUpstreamKeys({ upstream });
    expect(await statusOf(WEB)).toBe(200);
    const [, secret = ""] = WEB.split(".");
    const others = [
      `*:development.${secret}`,
      `app:development.${secret}`,
      `web:production.${secret}`,
    ];
    expect(await Promise.all(others.map((key) => statusOf(key)))).toEqual([401, 401, 401]);
  });
});

test("keys in settings and in the access file come first, and the upstream does not verify them", async () => {
  const [inSetting, inFile, expired] = ["*:development.a", "*:production.b", "*:production.c"];
  const path = join(await createDirectory(), "access.json");
  const keys = [
    { name: "file", key: inFile, projects: ["web"] },
    { name: "expired", key: expired, expiresAt: "2020-01-01T00:00:00Z" },
  ];
  await writeFile(path, JSON.stringify({ keys }));
  const upstream = await startIssuingUpstream({
    [inSetting]: backend("development", "*"),
    [inFile]: frontend("production", "*"),
    [expired]: frontend("production", "*"),
    [ALL]: frontend("production", "*"),
  });
  const { get, statusOf } = await startWithUpstreamKeys({
    upstream,
    config: { accessFile: path, clientKeys: [inSetting] },
  });
  expect(await namesOf(await get("/proxy", inFile))).toEqual(["production.web"]);
  expect(await statusOf(expired)).toBe(401);
  expect(await statusOf(inSetting)).toBe(200);
  expect(await statusOf(inSetting, "/api/client/features")).toBe(401);
  expect(upstream.calls).toEqual([]);
  expect(await namesOf(await get("/proxy", ALL))).toEqual(["production.web", "production.app"]);
});

describe("calls", () => {
  test("verification calls are shared by requests with the same token, and by tokens that arrive meanwhile", async () => {
    const tokens = Array.from({ length: 20 }, (_, index) => `*:production.secret-${index}`);
    const upstream = await startIssuingUpstream(
      Object.fromEntries(
        [WEB, ...tokens].map((token) => [
          token,
          frontend(token === WEB ? "development" : "production", "*"),
        ]),
      ),
    );
    const held: (() => void)[] = [];
    upstream.respond = (response, requested) =>
      held.push(() =>
        sendTokens(
          response,
          requested.map((token) => ({ token, ...upstream.issued.get(token) })),
        ),
      );
    const { statusOf, metric } = await startWithUpstreamKeys({ upstream });
    const first = Array.from({ length: 50 }, () => statusOf(WEB));
    await eventually(() => metric("upstream_keys_waiting_requests")).toBe(50);
    const others = tokens.map((token) => statusOf(token));
    await eventually(() => metric("upstream_keys_waiting_requests")).toBe(70);
    expect(await metric("upstream_keys_pending")).toBe(21);
    held.shift()?.();
    expect(new Set(await Promise.all(first))).toEqual(new Set([200]));
    await eventually(() => held.length).toBe(1);
    held.shift()?.();
    expect(new Set(await Promise.all(others))).toEqual(new Set([200]));
    expect(upstream.calls[0]).toEqual([WEB]);
    expect(upstream.calls[1]?.toSorted()).toEqual(tokens.toSorted());
  });

  test("verification calls are not repeated for a token that the upstream has just rejected", async () => {
    const upstream = await startIssuingUpstream();
    const { statusOf, metric } = await startWithUpstreamKeys({ upstream });
    const statuses = [
      await statusOf(WEB),
      await statusOf(WEB),
      await statusOf(WEB, "/api/frontend"),
    ];
    expect(statuses).toEqual([401, 401, 401]);
    expect(upstream.calls).toEqual([[WEB]]);
    expect(await metric('upstream_key_rejections_total{reason="invalid"}')).toBe(3);
    expect(await metric('upstream_key_verifications_total{result="invalid"}')).toBe(1);
  });
});

describe("while the upstream fails", () => {
  const failures: readonly [string, (response: ServerResponse) => void][] = [
    ["500", (response) => response.writeHead(500).end()],
    ["404", (response) => response.writeHead(404).end()],
    ["a page", (response) => response.writeHead(200).end("<html>")],
    ["no list", (response) => response.writeHead(200).end('{"tokens":{}}')],
    ["a closed connection", (response) => response.destroy()],
    ["no response", () => {}],
    ["an endless response", (response) => endless(response)],
  ];

  test.each(failures)(
    "while the upstream fails with %s, known keys work, and others get a 503",
    async (_, respond) => {
      const upstream = await startIssuingUpstream({ [WEB]: frontend("development", "*") });
      const { get, statusOf, logger } = await startWithUpstreamKeys({
        upstream,
        config: connectWith({ timeoutMs: 2000 }),
      });
      expect(await statusOf(WEB)).toBe(200);
      upstream.respond = respond;
      const response = await get("/proxy", ALL);
      expect(response.status).toBe(503);
      expect(Number(response.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
      expect((await errorOf(response)).error).toContain("cannot verify it at the moment");
      expect(await statusOf(WEB)).toBe(200);
      const lines = logger.lines.map(({ parts }) => parts.join());
      expect(lines).toEqual([expect.stringMatching(/Verifying keys failed: /)]);
      expect(lines.join()).not.toContain("a-secret");
    },
  );

  test("a failing upstream is not called again before the time in its Retry-After", async () => {
    const upstream = await startIssuingUpstream();
    upstream.respond = (response) => response.writeHead(429, { "retry-after": "200" }).end();
    const { get, statusOf } = await startWithUpstreamKeys({ upstream });
    expect(await statusOf(ALL)).toBe(503);
    const response = await get("/proxy", SOME);
    expect(response.status).toBe(503);
    const seconds = Number(response.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(60);
    expect(await statusOf(ALL)).toBe(503);
    expect(upstream.calls).toEqual([[ALL]]);
  });

  test("all waiting requests get a 503 while the upstream fails, and a new key works when it is back", async () => {
    const upstream = await startIssuingUpstream({ [ALL]: frontend("production", "*") });
    await upstream.stop();
    const { statusOf, logger } = await startWithUpstreamKeys({ upstream });
    const many = Array.from({ length: 100 }, (_, index) => `*:production.secret-${index}`);
    const statuses = await Promise.all([ALL, ...many].map((key) => statusOf(key)));
    expect(new Set(statuses)).toEqual(new Set([503]));
    await upstream.restart();
    await eventually(() => statusOf(ALL)).toBe(200);
    expect(upstream.calls.length).toBeLessThanOrEqual(2);
    expect(logger.lines.map(({ parts }) => parts.join()).at(-1)).toMatch(
      /^Verifying keys works again/,
    );
  });

  test("keys stay valid although they cannot be verified again while the upstream fails", async () => {
    const upstream = await startIssuingUpstream({ [ALL]: frontend("production", "*") });
    const { statusOf, logger } = await startWithUpstreamKeys({
      upstream,
      config: revalidateEvery(100),
    });
    expect(await statusOf(ALL)).toBe(200);
    upstream.respond = (response) => response.writeHead(500).end();
    await eventually(() => logger.lines.map(({ parts }) => parts.join()).join()).toContain(
      "Verifying keys failed: ",
    );
    expect(await statusOf(ALL)).toBe(200);
  });
});

/** Sends more than any upstream does, and never ends. */
function endless(response: ServerResponse): void {
  response.writeHead(200);
  const chunk = Buffer.alloc(1024 * 1024, " ");
  const write = (): void => {
    if (!response.destroyed) response.write(chunk, () => setImmediate(write));
  };
  write();
}

describe("a revoked token", () => {
  test("a revoked token is rejected, and its streams end, but no others", async () => {
    const upstream = await startIssuingUpstream({
      [WEB]: frontend("development", "web"),
      [ALL]: frontend("production", "*"),
      [SERVER]: backend("development", "*"),
    });
    const { url, statusOf, metric } = await startWithUpstreamKeys({
      upstream,
      config: revalidateEvery(200),
    });
    const streamOf = (path: string, key: string, init: RequestInit = {}) =>
      readEvents(url + path, {
        ...init,
        headers: {
          authorization: key,
          "content-type": "application/json",
          accept: "text/event-stream",
        },
      });
    const post = { method: "POST", body: '{"context":{}}' };
    const streams = {
      web: await streamOf("/proxy/stream", WEB, post),
      all: await streamOf("/proxy/stream", ALL, post),
      server: await streamOf("/api/client/streaming", SERVER),
    };
    let isOtherOpen = true;
    void streams.all.ended.then(() => (isOtherOpen = false));
    upstream.issued.delete(WEB);
    upstream.issued.delete(SERVER);
    await Promise.all([streams.web.ended, streams.server.ended]);
    expect(await statusOf(WEB)).toBe(401);
    expect(await statusOf(SERVER, "/api/client/features")).toBe(401);
    expect(await statusOf(ALL)).toBe(200);
    expect(isOtherOpen).toBe(true);
    expect(await metric("upstream_keys_revoked_total")).toBe(2);
    expect(await metric('push_streams_closed_total{reason="revoked"}')).toBe(1);
    expect(await metric('definition_streams_closed_total{reason="revoked"}')).toBe(1);
  });

  test("a revoked token that is issued again for other projects gives only their flags", async () => {
    const upstream = await startIssuingUpstream({ [SOME]: frontend("production", "web") });
    const { get } = await startWithUpstreamKeys({
      upstream,
      config: revalidateEvery(200),
    });
    const names = async () => namesOf(await get("/proxy", SOME));
    expect(await names()).toEqual(["production.web"]);
    upstream.issued.set(SOME, frontend("production", "app"));
    await eventually(names).toEqual(["production.app"]);
  });
});
