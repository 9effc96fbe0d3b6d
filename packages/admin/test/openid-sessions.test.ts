import { expect, test } from "vitest";
import { Browser } from "./_browser.ts";
import { PUBLIC_URL, startProvider } from "./_openid-provider.ts";
import { type Service, startService } from "./_service.ts";
import { FROM_PAGE, signIn } from "./_sessions.ts";
import { describeAnyStorage } from "./_storages.ts";

const START = "auth/openid/start";
const CALLBACK = "/auth/openid/callback";

describeAnyStorage("sessions of users of OpenID Connect", (source) => {
  const startAll = async () => {
    const provider = await startProvider();
    const storage = await source.openFresh();
    const start = (): Promise<Service> =>
      startService(storage, { openId: provider.config, publicUrl: PUBLIC_URL });
    const service = await start();
    return { provider, service, start, browser: new Browser(service.url) };
  };

  const sessionOf = async (service: Service, cookie: string) => {
    const response = await service.request("/auth/session", { headers: { cookie } });
    return response.status === 200 ? ((await response.json()) as unknown) : response.status;
  };

  test("events name the account, and no name is that of a token or of the service", async () => {
    const { provider, service } = await startAll();
    const { issuer } = provider.config;
    for (const [subject, name] of [
      ["1 2", "init-admin"],
      ["3", "system"],
      ["4", "openid:init-admin"],
    ] as const) {
      provider.account = { sub: subject, claims: { preferred_username: name, roles: "editor" } };
      const browser = new Browser(service.url);
      await browser.open(START);
      const headers = { ...browser.headers, ...FROM_PAGE };
      const flag = `by-${subject.charAt(0)}`;
      for (const [path, body] of [
        ["/projects/default/features", { name: flag }],
        ["/segments", { name: flag, constraints: [] }],
      ] as const) {
        const created = await service.request(`/api/admin${path}`, {
          method: "POST",
          headers,
          body,
        });
        expect(created.status).toBe(201);
        expect(((await created.json()) as { createdBy?: unknown }).createdBy).toEqual(
          path === "/segments" ? `openid:${name}` : { name: `openid:${name}` },
        );
      }
      const session = await service.request("/auth/session", { headers: browser.headers });
      const { user } = (await session.json()) as { readonly user: { readonly id: number } };
      expect(user).toMatchObject({ issuer, subject });
      const userId = user.id;
      const { events } = (await service.admin("GET", "/search/events?limit=2")) as {
        readonly events: readonly object[];
      };
      for (const event of events) {
        expect(event).toMatchObject({
          createdBy: `openid:${name}`,
          createdByUserId: userId,
        });
        expect(event).not.toHaveProperty("createdByTokenId");
      }
    }
    for (const tokenName of ["openid:jane", "system"]) {
      const refused = await service.request("/api/admin/api-tokens", {
        method: "POST",
        token: "*:*.the-admin-of-the-tests",
        body: { tokenName, type: "editor" },
      });
      expect([refused.status, await refused.json()]).toMatchObject([
        400,
        { details: [{ path: "/body/tokenName" }] },
      ]);
    }
  });

  test("a user who lost the role at the provider stays signed in until an admin ends the session", async () => {
    const { provider, service, start, browser } = await startAll();
    const replica = await start();
    await browser.open(START);
    provider.account = { sub: "jane", claims: { preferred_username: "jane@example.com" } };
    const { cookie } = browser.headers;
    expect(await sessionOf(replica, cookie)).toMatchObject({ role: "editor" });
    const { sessions } = (await service.admin("GET", "/sessions")) as {
      readonly sessions: readonly { readonly id: string }[];
    };
    expect(sessions).toMatchObject([
      {
        user: {
          name: "jane@example.com",
          kind: "openid",
          tokenId: null,
          issuer: provider.config.issuer,
          subject: "jane",
        },
        role: "editor",
        current: false,
      },
    ]);
    await service.admin("DELETE", `/sessions/${sessions[0]?.id}`);
    expect(await sessionOf(replica, cookie)).toBe(401);
    const again = await browser.open(START);
    expect(again.url.searchParams.get("problem")).toBe("forbidden");
    expect(await sessionOf(service, browser.headers.cookie)).toBe(401);
  });

  test("planted cookies next to the own one neither prevent a sign-in nor replace it", async () => {
    const { service, start, browser } = await startAll();
    const replica = await start();
    const attacker = new Browser(service.url);
    const foreign = await attacker.open(START, CALLBACK);
    const complete = async ({ search }: URL, ...cookies: readonly string[]) => {
      const response = await replica.request(`${CALLBACK}${search}`, {
        headers: { cookie: cookies.join("; ") },
        redirect: "manual",
      });
      const session = response.headers.getSetCookie().at(-1)?.split(";", 1)[0] ?? "";
      return [response.headers.get("location"), await sessionOf(replica, session)];
    };
    const planted = ["flags_openid=x", "flags_openid=", attacker.headers.cookie];
    // Browsers send the cookie with the longest path first.
    for (const [before, after] of [
      [planted, []],
      [[], ["flags_openid=x"]],
    ] as const) {
      const { url } = await browser.open(START, CALLBACK);
      const own = browser.headers.cookie;
      expect(await complete(foreign.url, ...before, own, ...after)).toEqual([
        "/flags/sign-in?problem=expired",
        401,
      ]);
      expect(await complete(url, ...before, own, ...after)).toEqual([
        "/flags/",
        expect.objectContaining({ role: "editor" }),
      ]);
    }
  });

  test("a cookie that this service has not signed completes no sign-in", async () => {
    const { service, browser, provider } = await startAll();
    const { url } = await browser.open(START, CALLBACK);
    const [, content = ""] = /flags_openid=([\w-]+)\./.exec(browser.headers.cookie) ?? [];
    const state = JSON.parse(Buffer.from(content, "base64url").toString()) as object;
    for (const forged of [
      JSON.stringify(state),
      JSON.stringify({ ...state, returnTo: "//evil.example/" }),
    ]) {
      const text = Buffer.from(forged).toString("base64url");
      for (const value of [text, `${text}.${"a".repeat(43)}`]) {
        const other = new Browser(service.url);
        other.setCookies(`flags_openid=${value}`);
        const page = await other.open(url.href);
        expect(page.url.searchParams.get("problem")).toBe("expired");
        expect(await sessionOf(service, other.headers.cookie)).toBe(401);
      }
    }
    expect(provider.tokenRequests()).toBe(0);
    expect((await browser.open(url.href)).url.href).toBe(PUBLIC_URL);
  });

  test("a link or an image on another page does not start a sign-in, which would end the session", async () => {
    const { service } = await startAll();
    const { cookie } = await signIn(service);
    for (const site of ["cross-site", "same-site"]) {
      for (const mode of ["navigate", "no-cors"]) {
        const response = await service.request(`/${START}?returnTo=/projects/a%3Fb`, {
          headers: { ...cookie, "sec-fetch-site": site, "sec-fetch-mode": mode },
          redirect: "manual",
        });
        expect(response.headers.get("location")).toBe(
          "/flags/sign-in?returnTo=%2Fprojects%2Fa%3Fb",
        );
        expect(response.headers.getSetCookie()).toEqual([]);
      }
    }
    for (const site of ["same-origin", "none"]) {
      const response = await service.request(`/${START}`, {
        headers: { ...cookie, "sec-fetch-site": site, "sec-fetch-mode": "navigate" },
        redirect: "manual",
      });
      expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(/^flags_openid=/)]);
    }
  });
});
