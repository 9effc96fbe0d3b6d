import { count, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { DEFAULT_RETENTION, deleteExpired } from "../src/retention.ts";
import { apiTokens, sessions } from "../src/storage/schema/access.ts";
import { events } from "../src/storage/schema/events.ts";
import {
  ADMIN_TOKEN,
  BACKEND_TOKEN,
  FRONTEND_TOKEN,
  startService,
  useService,
} from "./_service.ts";
import { FROM_PAGE, requestSession, signIn } from "./_sessions.ts";
import { describeAnyStorage, describeStorages } from "./_storages.ts";

const HOUR_MS = 3_600_000;

interface Token {
  readonly id: string;
  readonly secret: string;
}

describeStorages("a session", (source) => {
  const service = useService(source);

  const createToken = async (expiresAt?: Date): Promise<Token> =>
    (await service.admin("POST", "/api-tokens", {
      tokenName: "jane",
      type: "admin",
      expiresAt,
    })) as Token;

  test("a session is started with a token, read with its cookie, and ended", async () => {
    const options = await service.request("/auth/options");
    expect(await options.json()).toEqual({
      token: true,
      password: false,
      setup: false,
      openIdConnect: null,
    });

    const { body, cookie } = await signIn(service);
    expect(body).toEqual({
      user: {
        name: "init-admin",
        kind: "token",
        id: null,
        tokenId: expect.any(String) as string,
        issuer: null,
        subject: null,
      },
      role: "admin",
      expiresAt: expect.any(String) as string,
    });
    const hours = (new Date(body.expiresAt).getTime() - Date.now()) / HOUR_MS;
    expect(hours).toBeGreaterThan(11.9);
    expect(hours).toBeLessThanOrEqual(12);

    const current = await service.request("/auth/session", { headers: cookie });
    expect([current.status, await current.json()]).toEqual([200, body]);

    const ended = await service.request("/auth/session", {
      method: "DELETE",
      headers: { ...cookie, ...FROM_PAGE },
    });
    expect([ended.status, await ended.text()]).toEqual([204, ""]);
    expect(ended.headers.get("set-cookie")).toBe(
      "flags_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict",
    );
    for (const path of ["/auth/session", "/api/admin/projects"]) {
      // oxlint-disable-next-line no-await-in-loop -- sequential, so that a failure is easy to find
      expect((await service.request(path, { headers: cookie })).status).toBe(401);
    }
  });

  test("a session that does not exist is a 401, and can be ended", async () => {
    const none = await service.request("/auth/session");
    expect(none.status).toBe(401);
    expect(await none.json()).toMatchObject({ name: "AuthenticationRequired" });
    for (const value of ["", "x", "a".repeat(43), `"${"a".repeat(43)}"`, "a".repeat(10_000)]) {
      const cookie = `other=1; flags_session=${value}; other_flags_session=2`;
      // oxlint-disable-next-line no-await-in-loop -- sequential, so that a failure is easy to find
      const response = await service.request("/auth/session", { headers: { cookie } });
      // oxlint-disable-next-line no-await-in-loop -- sequential, so that a failure is easy to find
      expect([response.status, await response.json()]).toMatchObject([
        401,
        { name: "UnauthorizedError" },
      ]);
    }
    const ended = await service.request("/auth/session", { method: "DELETE", headers: FROM_PAGE });
    expect(ended.status).toBe(204);
  });

  test("a session gives access to the admin API, and events name its user", async () => {
    const { secret, id } = await createToken();
    const { cookie, body } = await signIn(service, secret);
    expect(body.user.name).toBe("jane");
    const created = await service.request("/api/admin/projects/default/features", {
      method: "POST",
      headers: { ...cookie, ...FROM_PAGE },
      body: { name: "from-the-console" },
    });
    expect(created.status).toBe(201);
    const [event] = await service.storage.db
      .select()
      .from(events)
      .where(eq(events.featureName, "from-the-console"));
    expect(event).toMatchObject({ createdBy: "jane", actorKind: "token", actorId: id });
  });

  test("a session is ignored if the request has a token", async () => {
    const { cookie } = await signIn(service);
    for (const [token, status] of [
      [BACKEND_TOKEN, 403],
      ["*:*.unknown", 401],
      ["", 401],
      [ADMIN_TOKEN, 200],
    ] as const) {
      const response = await service.request("/api/admin/projects", { token, headers: cookie });
      expect([token, response.status]).toEqual([token, status]);
      await response.text();
    }
  });

  test("a session does not give access to the API of SDKs", async () => {
    const { cookie } = await signIn(service);
    const response = await service.request("/api/client/features", { headers: cookie });
    expect(response.status).toBe(401);
  });

  test("a session ends when its token is deleted", async () => {
    const { id, secret } = await createToken();
    const { cookie } = await signIn(service, secret);
    await service.admin("DELETE", `/api-tokens/${id}`);
    expect((await service.request("/auth/session", { headers: cookie })).status).toBe(401);
    const left = await service.storage.db.select().from(sessions).where(eq(sessions.tokenId, id));
    expect(left).toEqual([]);
  });

  test("a session ends when its token expires, even if the expiry is changed later", async () => {
    const inOneHour = new Date(Date.now() + HOUR_MS);
    const { id, secret } = await createToken(inOneHour);
    const { cookie, body } = await signIn(service, secret);
    expect(body.expiresAt).toBe(inOneHour.toISOString());
    await service.admin("PUT", `/api-tokens/${id}`, { expiresAt: new Date(Date.now() - 1000) });
    expect((await service.request("/auth/session", { headers: cookie })).status).toBe(401);
    const again = await requestSession(service, secret);
    expect(again.status).toBe(401);
  });

  test("a session ends when the same browser signs in again, and the new one has another id", async () => {
    const first = await signIn(service);
    const second = await signIn(service, ADMIN_TOKEN, first.cookie);
    expect(second.cookie).not.toEqual(first.cookie);
    expect((await service.request("/auth/session", { headers: first.cookie })).status).toBe(401);
    expect((await service.request("/auth/session", { headers: second.cookie })).status).toBe(200);
  });

  test.each([
    [BACKEND_TOKEN, 403, "PermissionError"],
    [FRONTEND_TOKEN, 403, "PermissionError"],
    ["*:*.unknown", 401, "UnauthorizedError"],
    ["", 400, "BadDataError"],
    ["x".repeat(1001), 400, "BadDataError"],
    ["x".repeat(20_000), 413, "PayloadTooLargeError"],
    [undefined, 400, "BadDataError"],
    [["*:*.a"], 400, "BadDataError"],
    ["\0", 400, "BadDataError"],
  ])("no session is started with %.40j: %i %s", async (token, status, name) => {
    const response = await service.request("/auth/session", {
      method: "POST",
      body: { token },
      headers: FROM_PAGE,
    });
    expect([response.status, await response.json()]).toMatchObject([status, { name }]);
    expect(response.headers.getSetCookie()).toEqual([]);
  });

  test("a user has at most 100 sessions: the oldest one ends", async () => {
    const { id, secret } = await createToken();
    const first = await signIn(service, secret);
    const second = await signIn(service, secret);
    const [{ userId } = { userId: "" }] = await service.storage.db
      .select({ userId: sessions.userId })
      .from(sessions)
      .where(eq(sessions.tokenId, id));
    expect(userId).toBe(id);
    await Promise.all(Array.from({ length: 98 }, () => signIn(service, secret)));
    const last = await signIn(service, secret);
    const [found] = await service.storage.db
      .select({ count: count() })
      .from(sessions)
      .where(eq(sessions.tokenId, id));
    expect(found?.count).toBe(100);
    const statusOf = async (headers: { readonly cookie: string }) =>
      (await service.request("/auth/session", { headers })).status;
    expect(await statusOf(first.cookie)).toBe(401);
    expect(await statusOf(second.cookie)).toBe(200);
    expect(await statusOf(last.cookie)).toBe(200);
  });

  test("the retention job deletes expired sessions", async () => {
    await signIn(service);
    await service.storage.transact((db) =>
      db.update(sessions).set({ expiresAt: new Date(Date.now() - 1000) }),
    );
    await signIn(service);
    const { signal } = new AbortController();
    const deleted = await deleteExpired(service.storage, DEFAULT_RETENTION, { signal });
    expect(deleted["sessions"]).toBeGreaterThan(0);
    const left = await service.storage.db.select().from(sessions);
    expect(left).toHaveLength(1);
  });

  test("using a session counts as a use of its token", async () => {
    const { id, secret } = await createToken();
    const { cookie } = await signIn(service, secret);
    const other = await startService(service.storage);
    expect((await other.request("/api/admin/projects", { headers: cookie })).status).toBe(200);
    await other.app.close();
    const [token] = await service.storage.db.select().from(apiTokens).where(eq(apiTokens.id, id));
    expect(token?.seenAt).toBeInstanceOf(Date);
  });

  // Open consoles check their session every few seconds, whether or not somebody uses them.
  test("checking a session does not count as a use of its token", async () => {
    const { id, secret } = await createToken();
    const { cookie } = await signIn(service, secret);
    const other = await startService(service.storage);
    expect((await other.request("/auth/session", { headers: cookie })).status).toBe(200);
    await other.app.close();
    const [token] = await service.storage.db.select().from(apiTokens).where(eq(apiTokens.id, id));
    expect(token?.seenAt).toBeNull();
  });

  test("no request caused an internal error", () => {
    expect(service.errors).toEqual([]);
  });
});

describeAnyStorage("sessions", (source) => {
  test("sessions expire after SESSION_HOURS", async () => {
    const clock = { now: new Date() };
    const now = () => clock.now;
    const service = await startService(await source.openFresh(), { sessionHours: 3 }, { now });
    const { cookie, body, setCookie } = await signIn(service);
    expect(setCookie).toContain("Max-Age=10800;");
    expect(new Date(body.expiresAt).getTime()).toBe(clock.now.getTime() + 3 * HOUR_MS);
    const statusAfter = async (hours: number) => {
      clock.now = new Date(new Date(body.expiresAt).getTime() + hours * HOUR_MS);
      return (await service.request("/api/admin/projects", { headers: cookie })).status;
    };
    expect(await statusAfter(-0.001)).toBe(200);
    expect(await statusAfter(0)).toBe(401);
  });

  test("sessions are shared by replicas, and end on all of them at once", async () => {
    const storage = await source.openFresh();
    const [one, other] = [await startService(storage), await startService(storage)];
    const { cookie } = await signIn(one);
    expect((await other.request("/auth/session", { headers: cookie })).status).toBe(200);
    await other.request("/auth/session", {
      method: "DELETE",
      headers: { ...cookie, ...FROM_PAGE },
    });
    expect((await one.request("/auth/session", { headers: cookie })).status).toBe(401);
  });
});
