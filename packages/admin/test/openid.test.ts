import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { OpenIdConfig } from "../src/config/openid-config.ts";
import type { Storage } from "../src/storage/storage.ts";
import { Browser } from "./_browser.ts";
import { makeDatabase, startCommand } from "./_command.ts";
import { PUBLIC_URL, startProvider } from "./_openid-provider.ts";
import { collectErrors, type Service, startService } from "./_service.ts";
import { FROM_PAGE, signIn } from "./_sessions.ts";
import { describeAnyStorage } from "./_storages.ts";

const START = "auth/openid/start";
const CALLBACK = "/auth/openid/callback";

describeAnyStorage("OpenID Connect", (source) => {
  const warnings: unknown[] = [];

  const start = (storage: Storage, openId: OpenIdConfig): Promise<Service> =>
    startService(storage, {
      openId,
      publicUrl: PUBLIC_URL,
      logger: { ...collectErrors([]), warn: (...parts) => warnings.push(parts.join(" ")) },
    });

  const startAll = async (over: Partial<OpenIdConfig> = {}, options = {}) => {
    const provider = await startProvider(options);
    const storage = await source.openFresh();
    const service = await start(storage, { ...provider.config, ...over });
    return { provider, storage, service, browser: new Browser(service.url) };
  };

  const sessionOf = async (service: Service, browser: Browser) => {
    const response = await service.request("/auth/session", { headers: browser.headers });
    return response.status === 200 ? ((await response.json()) as unknown) : response.status;
  };

  const problemOf = ({ url }: { readonly url: URL }) => {
    expect(url.pathname).toBe("/flags/sign-in");
    return url.searchParams.get("problem");
  };

  test.each(["client_secret_basic", "client_secret_post"])(
    "signs a user in with the role of the claim (%s)",
    async (authMethod) => {
      const { service, browser, provider } = await startAll({}, { authMethod });
      expect(await (await service.request("/auth/options")).json()).toEqual({
        token: true,
        password: false,
        setup: false,
        openIdConnect: { name: "Example" },
      });
      const { url } = await browser.open(
        `${START}?returnTo=${encodeURIComponent("/projects/a?b=c#d")}`,
      );
      expect(url.href).toBe(`${PUBLIC_URL}projects/a?b=c#d`);
      expect(await sessionOf(service, browser)).toEqual({
        user: {
          name: "jane@example.com",
          kind: "openid",
          id: 1,
          tokenId: null,
          issuer: provider.config.issuer,
          subject: "jane",
        },
        role: "editor",
        expiresAt: expect.any(String) as string,
      });
      const created = await service.request("/api/admin/projects/default/features", {
        method: "POST",
        headers: { ...browser.headers, ...FROM_PAGE },
        body: { name: "flag" },
      });
      expect(created.status).toBe(201);
      const events = (await service.admin("GET", "/events/flag")) as { events: readonly object[] };
      expect(events.events).toMatchObject([
        { createdBy: "openid:jane@example.com", createdByUserId: 1 },
      ]);
      expect(events.events[0]).not.toHaveProperty("createdByTokenId");
      const me = await service.request("/api/admin/user", { headers: browser.headers });
      expect(await me.json()).toMatchObject({
        user: { kind: "openid", isAPI: false },
        role: "editor",
      });
    },
  );

  test.each([
    [{ roles: ["viewer", "admin", "editor"] }, {}, "admin"],
    [{ roles: ["other"] }, { defaultRole: "viewer" }, "viewer"],
    [{}, { defaultRole: "viewer" }, "viewer"],
    [{ roles: { admin: true } }, { defaultRole: "viewer" }, "viewer"],
    [{ realm_access: { roles: ["admin"] } }, { roleClaim: "realm_access.roles" }, "admin"],
    [{ roles: ["ops", "admin"] }, { roles: new Map([["ops", "editor"]]) }, "editor"],
  ] as const)("the claims %j result in the right role", async (claims, over, role) => {
    const { service, browser, provider } = await startAll(over as Partial<OpenIdConfig>);
    provider.account = { sub: "jane", claims };
    await browser.open(START);
    expect(await sessionOf(service, browser)).toMatchObject({ role, user: { name: "jane" } });
  });

  test("claims are also read from the userinfo endpoint", async () => {
    const { service, browser } = await startAll({}, { usesUserInfo: true });
    await browser.open(START);
    expect(await sessionOf(service, browser)).toMatchObject({
      user: { name: "jane@example.com" },
      role: "editor",
    });
  });

  test("users without a role are refused, and so are users who cancel", async () => {
    const { service, browser, provider } = await startAll();
    provider.account = { sub: "jane", claims: { roles: ["other"] } };
    expect(problemOf(await browser.open(START))).toBe("forbidden");
    provider.account = undefined;
    expect(problemOf(await new Browser(service.url).open(START))).toBe("denied");
    expect(await sessionOf(service, browser)).toBe(401);
    expect(warnings.join("\n")).toContain("jane has no role");
    expect(warnings.join("\n")).toContain("The user refused");
  });

  test("the cookie of a sign-in is short-lived and cannot be read by scripts", async () => {
    const { browser } = await startAll();
    const started = await browser.open(START, "/auth?");
    expect(started.setCookies).toEqual([
      expect.stringMatching(
        /^flags_openid=[\w-]+\.[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
      ) as string,
    ]);
    const { searchParams } = started.url;
    expect(searchParams.get("redirect_uri")).toBe(`${PUBLIC_URL}auth/openid/callback`);
    expect(searchParams.get("code_challenge_method")).toBe("S256");
    for (const name of ["state", "nonce", "code_challenge"]) {
      expect(searchParams.get(name)?.length).toBeGreaterThanOrEqual(40);
    }
    const completed = await browser.open(START);
    expect(completed.setCookies.at(-2)).toBe(
      "flags_openid=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax",
    );
    expect(completed.setCookies.at(-1)).toMatch(
      /^flags_session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
  });

  test("a response of the provider is accepted only once", async () => {
    const { service, browser, provider } = await startAll();
    const { url } = await browser.open(START, CALLBACK);
    const path = url.href.slice(PUBLIC_URL.length);
    const before = browser.headers.cookie;
    expect((await browser.open(path)).url.href).toBe(PUBLIC_URL);
    // The cookie is deleted.
    expect(problemOf(await browser.open(path))).toBe("expired");
    // An attacker who has also stolen the cookie cannot use the code again.
    const thief = new Browser(service.url);
    thief.setCookies(before);
    expect(problemOf(await thief.open(path))).toBe("failed");
    expect(provider.tokenRequests()).toBe(2);
    expect(await sessionOf(service, thief)).toBe(401);
  });

  test("a response is accepted only in the browser that has started the sign-in", async () => {
    const { service, browser, provider } = await startAll();
    const other = new Browser(service.url);
    const { url } = await browser.open(START, CALLBACK);
    const path = url.href.slice(PUBLIC_URL.length);
    expect(problemOf(await other.open(path))).toBe("expired");
    await other.open(START, "/auth?");
    expect(problemOf(await other.open(path))).toBe("expired");
    expect(await sessionOf(service, other)).toBe(401);
    expect(provider.tokenRequests()).toBe(0);
    expect((await browser.open(path)).url.href).toBe(PUBLIC_URL);
  });

  test("a sign-in that was started earlier in another tab does not end the latest one", async () => {
    const { browser, service } = await startAll();
    const first = await browser.open(START, CALLBACK);
    const latest = await browser.open(START, CALLBACK);
    expect(problemOf(await browser.open(first.url.href))).toBe("expired");
    expect((await browser.open(latest.url.href)).url.href).toBe(PUBLIC_URL);
    expect(await sessionOf(service, browser)).toMatchObject({ role: "editor" });
  });

  test("a changed response is refused", async () => {
    const { service, browser, provider } = await startAll();
    for (const change of [
      (query: URLSearchParams) => query.delete("state"),
      (query: URLSearchParams) => query.append("state", "x"),
      (query: URLSearchParams) => query.set("state", "x".repeat(43)),
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- one sign-in after the other
      const { url } = await browser.open(START, CALLBACK);
      change(url.searchParams);
      // oxlint-disable-next-line no-await-in-loop -- one sign-in after the other
      expect(problemOf(await browser.open(url.href))).toBe("expired");
    }
    for (const change of [
      (query: URLSearchParams) => query.set("iss", "https://evil.example"),
      (query: URLSearchParams) => query.set("code", "x"),
      (query: URLSearchParams) => query.delete("code"),
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- one sign-in after the other
      const { url } = await browser.open(START, CALLBACK);
      change(url.searchParams);
      // oxlint-disable-next-line no-await-in-loop -- one sign-in after the other
      expect(problemOf(await browser.open(url.href))).toBe("failed");
    }
    expect(await sessionOf(service, browser)).toBe(401);
    expect(provider.tokenRequests()).toBe(1);
    for (const cookie of ["x", Buffer.from("{}").toString("base64url"), "a".repeat(5000)]) {
      browser.setCookies(`flags_openid=${cookie}`);
      // oxlint-disable-next-line no-await-in-loop -- one request after the other
      expect(problemOf(await browser.open("auth/openid/callback?code=a&state=b"))).toBe("expired");
    }
  });

  test("users return only to paths of the console", async () => {
    const { browser } = await startAll();
    for (const returnTo of [
      "https://evil.example/",
      "//evil.example",
      "/\\evil.example",
      "\\\\evil.example",
      "/\t/evil.example",
      "javascript:alert(1)",
      "evil",
      `/${"a".repeat(1000)}`,
      "/a\r\nset-cookie: x=1",
      "",
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- one sign-in after the other
      const { url } = await browser.open(`${START}?returnTo=${encodeURIComponent(returnTo)}`);
      expect([returnTo, url.href]).toEqual([returnTo, PUBLIC_URL]);
    }
    const twice = await browser.open(`${START}?returnTo=/a&returnTo=//evil.example`);
    expect(twice.url.href).toBe(PUBLIC_URL);
  });

  test("a sign-in that was started on one replica is completed on another", async () => {
    const { storage, browser, provider } = await startAll();
    const { url } = await browser.open(START, CALLBACK);
    const replica = await start(storage, provider.config);
    const moved = new Browser(replica.url);
    moved.setCookies(browser.headers.cookie);
    expect((await moved.open(url.href)).url.href).toBe(PUBLIC_URL);
    expect(await sessionOf(replica, moved)).toMatchObject({ role: "editor" });
  });

  test("sessions end when the service uses another provider or none", async () => {
    const { storage, service, browser } = await startAll();
    await browser.open(START);
    expect(await sessionOf(service, browser)).toMatchObject({ role: "editor" });
    expect(await sessionOf(await startService(storage), browser)).toBe(401);
    const other = await start(storage, (await startProvider()).config);
    expect(await sessionOf(other, browser)).toBe(401);
  });

  test("a provider that cannot be reached prevents neither the start nor other sign-ins", async () => {
    const { config } = await startProvider();
    const service = await start(await source.openFresh(), {
      ...config,
      issuer: "http://127.0.0.1:1",
    });
    const previous = warnings.length;
    const opened = Array.from({ length: 20 }, () => new Browser(service.url).open(START));
    for (const page of await Promise.all(opened)) expect(problemOf(page)).toBe("unavailable");
    // An attempt to reach it logs one line, regardless of the number of sign-ins.
    const logged = warnings.length - previous;
    expect(logged).toBeGreaterThan(0);
    expect(logged).toBeLessThan(5);
    await signIn(service);
  });

  test("a provider that does not respond does not delay other sign-ins", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    onTestFinished(() => void silent.close());
    const issuer = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const { config } = await startProvider();
    const service = await start(await source.openFresh(), { ...config, issuer });
    const connected = once(silent, "connection");
    const opened = new Browser(service.url).open(START);
    await connected;
    await signIn(service);
    expect(problemOf(await opened)).toBe("unavailable");
  });

  test.each([
    ["whose responses are too large", { padding: "x".repeat(5_000_000) }],
    ["without an endpoint for tokens", { token_endpoint: undefined }],
    ["without an endpoint for sign-ins", { authorization_endpoint: undefined }],
    ["whose endpoint is no web page", { authorization_endpoint: "javascript:alert(1)" }],
    ["that would receive secrets unencrypted", { token_endpoint: "http://id.example/token" }],
  ])("a provider %s is unavailable", async (_, metadata) => {
    const server = createHttpServer((_request, response) => {
      const endpoints = {
        authorization_endpoint: issuer,
        token_endpoint: issuer,
        jwks_uri: issuer,
      };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ issuer, ...endpoints, ...metadata }));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void server.close());
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { config } = await startProvider();
    const service = await start(await source.openFresh(), { ...config, issuer });
    const response = await fetch(`${service.url}/${START}`, { redirect: "manual" });
    expect(response.headers.get("location")).toBe("/flags/sign-in?problem=unavailable");
  });

  test("sign-in attempts are limited", async () => {
    const { browser, service } = await startAll();
    const { url } = await browser.open(START, CALLBACK);
    url.searchParams.delete("code");
    const { cookie } = browser.headers;
    const problems = new Set<string | null>();
    for (let sent = 0; sent < 700; sent += 100) {
      // oxlint-disable-next-line no-await-in-loop -- a limited number of requests at a time
      const pages = await Promise.all(
        Array.from({ length: 100 }, () => {
          const attacker = new Browser(service.url);
          attacker.setCookies(cookie);
          return attacker.open(url.href);
        }),
      );
      for (const page of pages) problems.add(problemOf(page));
    }
    expect([...problems].toSorted()).toEqual(["failed", "unavailable"]);
  });

  test("the log contains no secrets", () => {
    expect(warnings.length).toBeGreaterThan(5);
    for (const warning of warnings) {
      expect(warning).not.toMatch(/[\w-]{40}/);
    }
  });

  test("the built command can use OpenID Connect", async () => {
    const { config } = await startProvider();
    const address = await startCommand({
      ...(await makeDatabase()),
      PUBLIC_URL,
      OIDC_ISSUER: config.issuer,
      OIDC_CLIENT_ID: config.clientId,
      OIDC_CLIENT_SECRET: config.clientSecret,
      OIDC_SCOPES: "profile",
    }).listening();
    const browser = new Browser(address);
    expect((await browser.open(START)).url.href).toBe(PUBLIC_URL);
    const session = await fetch(`${address}/auth/session`, { headers: browser.headers });
    expect(await session.json()).toMatchObject({ user: { kind: "openid" }, role: "editor" });
  });

  test("without OpenID Connect, its routes do not exist", async () => {
    const service = await startService(await source.openFresh());
    expect((await service.request(`/${START}`)).status).toBe(404);
  });
});
