import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { readEvents } from "../../server-kit/test/_event-reader.ts";
import { AUTHENTICATION_LIMITS } from "flags-server-kit/neutral";
import { sessions } from "../src/storage/schema/access.ts";
import { createToken } from "./_flags.ts";
import { createTestDatabase, skipsPostgres } from "./_postgres.ts";
import { startService, useService } from "./_service.ts";
import { FROM_PAGE, requestSession, signIn } from "./_sessions.ts";
import { describeAnyStorage, describeStorages, openDatabase } from "./_storages.ts";

interface ListedSession {
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly id: string;
  readonly user: { readonly name: string; readonly tokenId: string | null };
  readonly role: string;
  readonly createdAt: string;
  readonly lastSeenAt: string | null;
  readonly expiresAt: string;
  readonly current: boolean;
}

describeStorages("the sessions of all users", (source) => {
  const service = useService(source);

  const listSessions = async (): Promise<readonly ListedSession[]> => {
    const { sessions: listed } = (await service.admin("GET", "/sessions")) as {
      readonly sessions: readonly ListedSession[];
    };
    return listed;
  };

  const sessionOfToken = async (tokenId: string): Promise<ListedSession> => {
    const found = (await listSessions()).find(({ user }) => user.tokenId === tokenId);
    if (found === undefined) throw new Error("The session is not listed");
    return found;
  };

  test("an admin sees who is signed in, and how, but no secret", async () => {
    const { id, secret } = await createToken(service, { type: "editor", tokenName: "Jane" });
    const { cookie, body } = await signIn(service, secret);
    const own = await signIn(service);
    const response = await service.request("/api/admin/sessions", { headers: own.cookie });
    expect(response.status).toBe(200);
    const text = await response.text();
    const [first, second] = (JSON.parse(text) as { sessions: readonly ListedSession[] }).sessions;
    expect(first).toMatchObject({ user: { name: "init-admin" }, role: "admin", current: true });
    expect(second).toEqual({
      id: expect.any(String) as string,
      user: { name: "Jane", kind: "token", id: null, tokenId: id, issuer: null, subject: null },
      role: "editor",
      createdAt: expect.any(String) as string,
      lastSeenAt: null,
      expiresAt: body.expiresAt,
      address: "127.0.0.1",
      userAgent: "node",
      current: false,
    });
    for (const { cookie: each } of [cookie, own.cookie]) {
      expect(text).not.toContain(each.slice("flags_session=".length));
    }
    expect(text).not.toContain(secret);
    // With a token, no session is the current one.
    expect((await listSessions()).some(({ current }) => current)).toBe(false);
  });

  test("an ended session and its streams end at once on every replica, and an event says so", async () => {
    const replica = await startService(service.storage);
    const { id: tokenId, secret } = await createToken(service, { type: "viewer" });
    const { cookie } = await signIn(service, secret);
    const kept = await signIn(service, secret);
    const [stream, keptStream] = [
      await readEvents(`${replica.url}/api/admin/changes`, { headers: cookie }),
      await readEvents(`${replica.url}/api/admin/changes`, { headers: kept.cookie }),
    ];
    const listed = (await listSessions()).filter(({ user }) => user.tokenId === tokenId);
    // Newest first.
    const [, ended] = listed;
    await service.admin("DELETE", `/sessions/${ended?.id}`);
    await stream.ended;
    for (const each of [service, replica]) {
      for (const path of ["/auth/session", "/api/admin/projects"]) {
        expect((await each.request(path, { headers: cookie })).status).toBe(401);
        expect((await each.request(path, { headers: kept.cookie })).status).toBe(200);
      }
    }
    expect(JSON.parse((await keptStream.next()).data)).toMatchObject({ type: "session-ended" });
    const { events } = (await service.admin("GET", "/events?type=session-ended&limit=1")) as {
      readonly events: readonly object[];
    };
    if (ended === undefined) throw new Error("The session is not listed");
    const { current: _current, address: _address, userAgent: _userAgent, ...before } = ended;
    expect(events).toMatchObject([{ createdBy: "init-admin", preData: before, data: null }]);
    // Streams of the ended session cannot be opened again, and those of others stay open.
    const again = await replica.request("/api/admin/changes", { headers: cookie });
    expect(again.status).toBe(401);
    keptStream.close();
  });

  test("a session that does not exist is a 404, and nothing is recorded", async () => {
    const { id: tokenId, secret } = await createToken(service, { type: "viewer" });
    await signIn(service, secret);
    const { id } = await sessionOfToken(tokenId);
    await service.admin("DELETE", `/sessions/${id}`);
    const revision = await service.storage.revision();
    for (const unknown of [id, "x", "0".repeat(64), "%00", encodeURIComponent("../projects")]) {
      const response = await service.request(`/api/admin/sessions/${unknown}`, {
        method: "DELETE",
        token: "*:*.the-admin-of-the-tests",
      });
      expect([unknown, response.status]).toEqual([unknown, unknown === "%00" ? 400 : 404]);
    }
    expect(await service.storage.revision()).toBe(revision);
  });

  test("an admin can end the session that sends the request", async () => {
    const { cookie } = await signIn(service);
    const headers = { ...cookie, ...FROM_PAGE };
    const listed = await service.request("/api/admin/sessions", { headers });
    const { sessions: all } = (await listed.json()) as { sessions: readonly ListedSession[] };
    const path = `/api/admin/sessions/${all.find(({ current }) => current)?.id}`;
    const foreign = await service.request(path, { method: "DELETE", headers: cookie });
    expect(foreign.status).toBe(403);
    const ended = await service.request(path, { method: "DELETE", headers });
    expect([ended.status, await ended.text()]).toEqual([200, ""]);
    expect((await service.request("/auth/session", { headers: cookie })).status).toBe(401);
  });

  test("sessions that have ended by themselves are not listed", async () => {
    const soon = new Date(Date.now() + 3_600_000);
    const { id, secret } = await createToken(service, { type: "viewer", expiresAt: soon });
    await signIn(service, secret);
    expect((await sessionOfToken(id)).expiresAt).toBe(soon.toISOString());
    await service.admin("PUT", `/api-tokens/${id}`, { expiresAt: new Date(Date.now() - 1000) });
    expect((await listSessions()).filter(({ user }) => user.tokenId === id)).toEqual([]);
  });

  test("the list says when a session was last used", async () => {
    const { id, secret } = await createToken(service, { type: "viewer" });
    const { cookie } = await signIn(service, secret);
    const other = await startService(service.storage);
    expect((await other.request("/auth/session", { headers: cookie })).status).toBe(200);
    await other.app.close();
    // Open consoles check their session every few seconds, whether or not somebody uses them.
    expect((await sessionOfToken(id)).lastSeenAt).toBeNull();
    const last = await startService(service.storage);
    expect((await last.request("/api/admin/projects", { headers: cookie })).status).toBe(200);
    await last.app.close();
    expect((await sessionOfToken(id)).lastSeenAt).toMatch(/Z$/);
  });

  test("no request caused an internal error", () => {
    expect(service.errors).toEqual([]);
  });
});

describeAnyStorage("planted cookies", (source) => {
  const start = async () => {
    const service = await startService(await source.openFresh());
    const { secret } = await createToken(service, { type: "viewer", tokenName: "attacker" });
    const own = (await signIn(service)).cookie.cookie;
    const foreign = (await signIn(service, secret)).cookie.cookie;
    const nameWith = async (...cookies: readonly string[]) => {
      const headers = { cookie: cookies.join("; ") };
      const response = await service.request("/auth/session", { headers });
      const body = (await response.json()) as { readonly user?: { readonly name: string } };
      return body.user?.name ?? response.status;
    };
    return { service, own, foreign, nameWith };
  };

  const unknown = (index: number) => `flags_session=${String(index).padStart(43, "x")}`;

  test("a cookie with another path neither signs a user out nor in as somebody else", async () => {
    const { service, own, foreign, nameWith } = await start();
    // Browsers send the cookie with the longest path first.
    expect(await nameWith(foreign, own)).toBe("init-admin");
    expect(await nameWith("flags_session=", unknown(1), own)).toBe("init-admin");
    // One with the same path, but for a whole domain, can also follow.
    expect(await nameWith(own, "flags_session=x", "flags_session=")).toBe("init-admin");
    expect(await nameWith(...Array.from({ length: 200 }, (_, i) => unknown(i)), own)).toBe(
      "init-admin",
    );
    const created = await service.request("/api/admin/projects/default/features", {
      method: "POST",
      headers: { cookie: `${foreign}; ${own}`, ...FROM_PAGE },
      body: { name: "flag" },
    });
    expect(await created.json()).toMatchObject({ createdBy: { name: "init-admin" } });
  });

  test("a user whose session has ended does not continue as somebody else", async () => {
    const { service, own, foreign, nameWith } = await start();
    await service.request("/auth/session", {
      method: "DELETE",
      headers: { cookie: own, ...FROM_PAGE },
    });
    expect(await nameWith(foreign, own)).toBe(401);
  });

  test("a user can sign out and in, and both end the session, whatever is planted", async () => {
    const { service, own, foreign, nameWith } = await start();
    const signedOut = await service.request("/auth/session", {
      method: "DELETE",
      headers: { cookie: `${unknown(1)}; ${own}`, ...FROM_PAGE },
    });
    expect(signedOut.status).toBe(204);
    expect(await nameWith(own)).toBe(401);
    const { cookie } = await signIn(service);
    const again = await requestSession(service, undefined, {
      cookie: `${foreign}; ${cookie.cookie}; flags_session=x`,
    });
    expect(again.status).toBe(201);
    expect(await nameWith(cookie.cookie)).toBe(401);
  });

  test("planted cookies do not use up the attempts of the user's address", async () => {
    const { own, nameWith } = await start();
    const perRequest = 10;
    const requests = AUTHENTICATION_LIMITS.perAddress.burst / perRequest + 10;
    for (let sent = 0; sent < requests; sent += 1) {
      const planted = Array.from({ length: perRequest }, (_, i) => unknown(sent * perRequest + i));
      expect(await nameWith(...planted, own)).toBe("init-admin");
    }
  });
});

describe.skipIf(skipsPostgres)("replicas with their own connections", () => {
  test("an ended session loses its stream on another replica", async () => {
    const url = await createTestDatabase();
    const one = await startService(await openDatabase(url));
    const other = await startService(await openDatabase(url));
    const { cookie } = await signIn(one);
    const stream = await readEvents(`${other.url}/api/admin/changes`, { headers: cookie });
    const { sessions: listed } = (await one.admin("GET", "/sessions")) as {
      readonly sessions: readonly ListedSession[];
    };
    await one.admin("DELETE", `/sessions/${listed[0]?.id}`);
    expect((await other.request("/api/admin/projects", { headers: cookie })).status).toBe(401);
    await stream.ended;
    expect(stream.waiting()).toBe(0);
  });
});

describeAnyStorage("SESSION_HOURS", (source) => {
  test("a lower value also applies to sessions that exist", async () => {
    const storage = await source.openFresh();
    const clock = { now: new Date() };
    const now = () => clock.now;
    const long = await startService(storage, { sessionHours: 720 }, { now });
    const { cookie } = await signIn(long);
    const short = await startService(storage, { sessionHours: 1 }, { now });
    const statusOf = async () => (await short.request("/auth/session", { headers: cookie })).status;
    expect(await statusOf()).toBe(200);
    clock.now = new Date(clock.now.getTime() + 3_600_000);
    expect(await statusOf()).toBe(401);
    expect(
      await storage.db.select().from(sessions).where(eq(sessions.userName, "init-admin")),
    ).toHaveLength(1);
  });
});
