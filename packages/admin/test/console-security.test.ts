import { connect } from "node:net";
import { once } from "node:events";
import { expect, test } from "vitest";
import { count } from "drizzle-orm";
import { AUTHENTICATION_LIMITS } from "flags-server-kit/neutral";
import { sessions } from "../src/storage/schema/access.ts";
import { makeDatabase, startCommand } from "./_command.ts";
import { ADMIN_TOKEN, type Service, startService, useService } from "./_service.ts";
import { FROM_PAGE, requestSession, signIn, toCookie } from "./_sessions.ts";
import { describeAnyStorage } from "./_storages.ts";

/** Sends a request with exactly these headers, as `fetch()` would not. */
async function sendRaw(
  url: string,
  requestLine: string,
  headers: Readonly<Record<string, string>>,
  body = "",
): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const lines = Object.entries({ host: `${hostname}:${port}`, ...headers, connection: "close" });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  socket.write(
    `${requestLine} HTTP/1.1\r\n${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  await once(socket, "close");
  return text;
}

const statusOf = (response: string): number => Number(response.split(" ")[1]);

describeAnyStorage("the session of the console", (source) => {
  const service = useService(source);

  const countSessions = async (): Promise<number> => {
    const [row] = await service.storage.db.select({ count: count() }).from(sessions);
    return row?.count ?? 0;
  };

  test("scripts cannot read the session cookie, and other sites do not send it", async () => {
    const { setCookie } = await signIn(service);
    expect(setCookie).toMatch(
      /^flags_session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
  });

  test("over TLS, the session cookie is bound to this host and to TLS", async () => {
    const forwarded = { "x-forwarded-proto": "https" };
    const behindProxy = await startService(service.storage, { trustProxy: ["127.0.0.1"] });
    const { setCookie, cookie } = await signIn(behindProxy, ADMIN_TOKEN, forwarded);
    expect(setCookie).toMatch(
      /^__Host-flags_session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$/,
    );
    const statusWith = async (headers: Record<string, string>) =>
      (await behindProxy.request("/auth/session", { headers })).status;
    expect(await statusWith({ ...cookie, ...forwarded })).toBe(200);
    // A page without TLS could have set a cookie without the prefix.
    const withoutPrefix = { cookie: cookie.cookie.replace("__Host-", "") };
    expect(await statusWith({ ...withoutPrefix, ...forwarded })).toBe(401);
    expect(await statusWith(cookie)).toBe(401);
    // A peer that is not trusted cannot choose the protocol.
    expect((await signIn(service, ADMIN_TOKEN, forwarded)).setCookie).not.toContain("Secure");
  });

  test("PUBLIC_URL says that browsers use TLS", async () => {
    const config = { publicUrl: "https://flags.example/" };
    const direct = await startService(service.storage, config);
    expect((await signIn(direct)).setCookie).not.toContain("Secure");
    const response = await sendRaw(
      direct.url,
      "POST /auth/session",
      {
        host: "flags.example",
        origin: "https://flags.example",
        "content-type": "application/json",
      },
      JSON.stringify({ token: ADMIN_TOKEN }),
    );
    expect(statusOf(response)).toBe(201);
    expect(response).toMatch(/set-cookie: __Host-flags_session=.*; Secure\r\n/);
  });

  test("the id of a session is new at every sign-in, whatever the browser has sent", async () => {
    const chosen = "a".repeat(43);
    const ids = new Set<string>([chosen]);
    for (let round = 0; round < 3; round += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one sign-in after the other
      const { cookie } = await signIn(service, ADMIN_TOKEN, { cookie: `flags_session=${chosen}` });
      ids.add(cookie.cookie.slice("flags_session=".length));
    }
    expect(ids.size).toBe(4);
    const headers = { cookie: `flags_session=${chosen}` };
    expect((await service.request("/auth/session", { headers })).status).toBe(401);
  });

  test("neither the session id nor the token is stored or part of a response", async () => {
    const { cookie, body } = await signIn(service);
    const id = cookie.cookie.slice("flags_session=".length);
    const rows = JSON.stringify(await service.storage.db.select().from(sessions));
    const current = await service.request("/auth/session", { headers: cookie });
    for (const text of [rows, JSON.stringify(body), await current.text()]) {
      expect(text).not.toContain(id);
      expect(text).not.toContain(ADMIN_TOKEN);
    }
    const failed = await requestSession(service, "*:*.a-wrong-token-of-nobody");
    expect(await failed.text()).not.toContain("a-wrong-token");
  });

  test("oversized cookies are rejected, and the connection ends", async () => {
    const value = "a".repeat(100_000);
    const response = await sendRaw(service.url, "GET /auth/session", { cookie: `x=${value}` });
    expect(statusOf(response)).toBe(431);
    const many = Array.from({ length: 5000 }, () => "a").join(";");
    const accepted = await sendRaw(service.url, "GET /auth/session", { cookie: many });
    expect(statusOf(accepted)).toBe(401);
  });

  const own = () => service.url;
  const otherPort = () => own().replace(/:\d+$/, ":1");

  /** Headers with which browsers send requests of other origins, or without their origin. */
  const FOREIGN: readonly (readonly [string, () => Readonly<Record<string, string>>])[] = [
    ["no headers", () => ({})],
    ["another site", () => ({ "sec-fetch-site": "cross-site", origin: "https://evil.example" })],
    ["another port of this host", () => ({ "sec-fetch-site": "same-site", origin: otherPort() })],
    ["a page that the user opened", () => ({ "sec-fetch-site": "none" })],
    ["an old browser with another site", () => ({ origin: "https://evil.example" })],
    ["an old browser with another port", () => ({ origin: otherPort() })],
    ["an old browser with a similar host", () => ({ origin: `${own()}.evil.example` })],
    ["an old browser with a sandboxed page", () => ({ origin: "null" })],
    ["an old browser with only a referrer", () => ({ referer: `${own()}/` })],
    ["a forged origin", () => ({ "sec-fetch-site": "cross-site", origin: own() })],
  ];

  test.each(FOREIGN)("a change with a session is refused for %s", async (_title, headersOf) => {
    const { cookie } = await signIn(service);
    const before = await countSessions();
    const json = { "content-type": "application/json" };
    const headers = { ...cookie, ...headersOf() };
    const send = async (line: string, body = "", type: Record<string, string> = json) =>
      statusOf(await sendRaw(service.url, line, { ...headers, ...type }, body));
    const token = JSON.stringify({ token: ADMIN_TOKEN });
    expect(await send("POST /auth/session", token)).toBe(403);
    expect(await send("DELETE /auth/session")).toBe(403);
    const plain = { "content-type": "text/plain" };
    expect(await send("POST /auth/session", token, plain)).toBe(403);
    const form = { "content-type": "application/x-www-form-urlencoded" };
    expect(await send("POST /api/admin/projects/default/features", "a=b", form)).toBe(403);
    for (const [method, path] of [
      ["POST", "/api/admin/projects/default/features"],
      ["PUT", "/api/admin/context/userId"],
      ["PATCH", "/api/admin/projects/default/features/x"],
      ["DELETE", "/api/admin/context/userId"],
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- sequential, so that a failure is easy to find
      expect(await send(`${method} ${path}`, '{"name":"forged"}')).toBe(403);
    }
    // Browsers that say so are refused even reads. Without CORS headers, no other page could read the response.
    const site = (headersOf() as Record<string, string>)["sec-fetch-site"] ?? "";
    const isForeign = site.endsWith("-site");
    expect(await send("GET /api/admin/context/userId")).toBe(isForeign ? 403 : 200);
    if (isForeign) expect(await send("GET /api/admin/changes")).toBe(403);
    const forged = await service.request("/api/admin/projects/default/features/forged", {
      headers: cookie,
    });
    expect(forged.status).toBe(404);
    expect(await countSessions()).toBe(before);
  });

  test.each<readonly [string, () => Readonly<Record<string, string>>]>([
    ["a page of the console", () => FROM_PAGE],
    ["a page in an old browser", () => ({ origin: own() })],
  ])("a change with a session is accepted for %s", async (_title, headersOf) => {
    const { cookie } = await signIn(service, ADMIN_TOKEN);
    const response = await sendRaw(
      service.url,
      "PUT /api/admin/context/userId",
      { ...cookie, ...headersOf(), "content-type": "application/json" },
      "{}",
    );
    expect(statusOf(response)).toBe(200);
  });

  test("links from other pages work", async () => {
    const { cookie } = await signIn(service);
    const link = { "sec-fetch-site": "same-site", "sec-fetch-mode": "navigate" };
    const response = await sendRaw(service.url, "GET /api/admin/projects/default/export", {
      ...cookie,
      ...link,
    });
    expect(statusOf(response)).toBe(200);
  });

  test("behind a reverse proxy that changes the host, PUBLIC_URL is the origin", async () => {
    const publicUrl = "https://flags.example/admin/";
    const behindProxy = await startService(service.storage, { publicUrl });
    const { cookie } = await signIn(behindProxy);
    const send = async (origin: string, host?: string) =>
      statusOf(
        await sendRaw(
          behindProxy.url,
          "PUT /api/admin/context/userId",
          { ...cookie, origin, "content-type": "application/json", ...(host && { host }) },
          "{}",
        ),
      );
    expect(await send("https://flags.example")).toBe(200);
    expect(await send("http://flags.example")).toBe(403);
    expect(await send("https://flags.example:8443")).toBe(403);
  });

  test("no request caused an internal error", () => {
    expect(service.errors).toEqual([]);
  });
});

describeAnyStorage("guesses at sign-in", (source) => {
  const guess = (index: number) => `*:*.guess-number-${index}`;

  async function exhaust(service: Service, send: (index: number) => Promise<Response>) {
    const statuses = new Set<number>();
    const { burst } = AUTHENTICATION_LIMITS.perAddress;
    for (let sent = 0; sent < 2 * burst && !statuses.has(429); sent += 100) {
      // oxlint-disable-next-line no-await-in-loop -- a limited number of requests at a time
      const responses = await Promise.all(
        Array.from({ length: 100 }, (_, index) => send(sent + index)),
      );
      for (const response of responses) statuses.add(response.status);
    }
    expect([...statuses].toSorted()).toEqual([401, 429]);
    expect(service.errors).toEqual([]);
  }

  test("guesses of tokens at the sign-in are limited, together with those in the Authorization header", async () => {
    const service = await startService(await source.openFresh());
    await signIn(service);
    await exhaust(service, (index) => requestSession(service, guess(index)));
    // The budget refills, but more slowly than requests are sent.
    let header: Response;
    let index = 1e6;
    do {
      // oxlint-disable-next-line no-await-in-loop -- sequential until one is rejected
      header = await service.request("/api/admin/projects", { token: guess((index += 1)) });
    } while (header.status === 401);
    expect(header.status).toBe(429);
    expect(Number(header.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    // A token that this address has sent before is still accepted.
    await signIn(service);
  });

  test("guesses of session cookies are limited", async () => {
    const service = await startService(await source.openFresh());
    const { cookie } = await signIn(service);
    expect((await service.request("/auth/session", { headers: cookie })).status).toBe(200);
    await exhaust(service, (index) => {
      const headers = { cookie: `flags_session=${String(index).padStart(43, "x")}` };
      return service.request("/api/admin/projects", { headers });
    });
    expect((await service.request("/auth/session", { headers: cookie })).status).toBe(200);
  });
});

describeAnyStorage("the log of the command", () => {
  test("the log contains neither tokens nor ids of sessions", async () => {
    const command = startCommand({
      ...(await makeDatabase()),
      INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
      LOG_LEVEL: "debug",
    });
    const address = await command.listening();
    const request: Service["request"] = (path, { method = "GET", body, headers } = {}) =>
      fetch(address + path, {
        method,
        headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    const { cookie } = await signIn({ request });
    await request("/api/admin/projects", { headers: cookie });
    await requestSession({ request }, "*:*.a-wrong-token-of-nobody");
    await request("/auth/session", { headers: toCookie(`flags_session=${"b".repeat(43)}`) });
    await request("/auth/session", { method: "DELETE", headers: { ...cookie, ...FROM_PAGE } });
    command.child.kill("SIGTERM");
    const { stdout, stderr } = await command.finished();
    const id = cookie.cookie.slice("flags_session=".length);
    for (const secret of [ADMIN_TOKEN, ADMIN_TOKEN.slice(4), id, "a-wrong-token", "b".repeat(43)]) {
      expect(stdout + stderr).not.toContain(secret);
    }
  });
});
