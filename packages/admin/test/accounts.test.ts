import { expect, test } from "vitest";
import { createSetupCode } from "../src/accounts/setup.ts";
import { SYSTEM_ACTOR } from "../src/storage/events.ts";
import { apiTokens } from "../src/storage/schema/access.ts";
import { setupCodes, userLinks, users } from "../src/storage/schema/accounts.ts";
import { createUser, logIn, PASSWORD, requestLogin, secretIn } from "./_accounts.ts";
import { ADMIN_TOKEN, type Service, startService, useService } from "./_service.ts";
import { describeAnyStorage } from "./_storages.ts";

const NEW_PASSWORD = "another pear, in the tree";

interface Problem {
  readonly name: string;
  readonly message: string;
}

const statusAndName = async (response: Response): Promise<readonly unknown[]> => {
  const text = await response.text();
  return [response.status, text === "" ? "" : (JSON.parse(text) as Problem).name];
};

/** Sends a request with a body to the admin API. */
const call = (
  service: Pick<Service, "request">,
  [method, path]: readonly [string, string],
  headers: Readonly<Record<string, string>>,
  body?: unknown,
) => service.request(`/api/admin${path}`, { method, headers, ...(body !== undefined && { body }) });

describeAnyStorage("accounts", (source) => {
  const service = useService(source);

  const choosePassword = (token: string, password: string) =>
    service.request("/auth/reset/password", { method: "POST", body: { token, password } });

  test("somebody with an account signs in with the user name or the email address", async () => {
    const created = await service.admin("POST", "/user-admin", {
      username: "Anna",
      email: "Anna@example.com",
      name: "Anna Bell",
      password: PASSWORD,
      rootRole: 2,
    });
    expect(created).toMatchObject({
      username: "Anna",
      email: "Anna@example.com",
      name: "Anna Bell",
      rootRole: 2,
      inviteLink: null,
      emailSent: false,
    });
    const response = await requestLogin(service, "anna@EXAMPLE.com");
    expect(await response.json()).toMatchObject({ username: "Anna", rootRole: 2 });
    const headers = await logIn(service, "anna");
    const me = await call(service, ["GET", "/user"], headers);
    expect(await me.json()).toMatchObject({
      user: { name: "Anna Bell", kind: "user", username: "Anna", isAPI: false },
      role: "editor",
    });
    const flag = { name: "by-anna" };
    const path = "/projects/default/features";
    expect((await call(service, ["POST", path], headers, flag)).status).toBe(201);
    const { events } = (await service.admin("GET", "/events/by-anna")) as { events: object[] };
    expect(events).toMatchObject([
      { createdBy: "Anna", createdByUserId: (created as { id: number }).id },
    ]);
    expect((await call(service, ["GET", "/user-admin"], headers)).status).toBe(403);
  });

  test("a wrong password and an unknown name have the same answer", async () => {
    await createUser(service, "known");
    const answers = await Promise.all(
      [
        ["known", "wrong password 1"],
        ["nobody", PASSWORD],
        ["nobody@example.com", PASSWORD],
      ].map(async ([name = "", password]) => {
        const response = await requestLogin(service, name, password);
        const { id: _id, ...body } = (await response.json()) as { id: string };
        return [response.status, response.headers.getSetCookie(), body];
      }),
    );
    expect(answers[0]).toMatchObject([401, [], { name: "PasswordMismatch" }]);
    expect(answers).toEqual([answers[0], answers[0], answers[0]]);
  });

  test("guesses of a password are limited from all addresses, except where its owner signed in", async () => {
    const others = await startService(await source.openFresh(), { trustProxy: true });
    await createUser(others, "target");
    const from = (address: string, password: string) =>
      requestLogin(others, "target", password, { "x-forwarded-for": address });
    expect((await from("192.0.2.1", PASSWORD)).status).toBe(200);
    let status = 401;
    // On a busy machine, some more are allowed in the meantime.
    for (let index = 1; status === 401 && index < 60; index += 1) {
      // oxlint-disable-next-line no-await-in-loop -- at most 52 at a time
      ({ status } = await from(`198.51.100.${index}`, `guess number ${index}`));
    }
    expect(status).toBe(429);
    expect((await from("192.0.2.1", PASSWORD)).status).toBe(200);
  });

  test("names that no account has are limited alike", async () => {
    const others = await startService(await source.openFresh(), { trustProxy: true });
    let status = 401;
    for (let index = 1; status === 401 && index < 60; index += 1) {
      const headers = { "x-forwarded-for": `198.51.100.${index}` };
      // oxlint-disable-next-line no-await-in-loop -- at most 52 at a time
      ({ status } = await requestLogin(others, "nobody", `guess number ${index}`, headers));
    }
    expect(status).toBe(429);
  });

  test("another site can neither sign a user in nor out", async () => {
    await createUser(service, "victim");
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { origin: "https://evil.example" },
    ] as Record<string, string>[]) {
      const response = await requestLogin(service, "victim", PASSWORD, headers);
      expect(response.status).toBe(403);
      const out = await service.request("/logout", { method: "POST", headers });
      expect(out.status).toBe(403);
    }
  });

  test("an invited user chooses a password once, within a day", async () => {
    const invite = async (username: string) => {
      const body = { username, rootRole: "Viewer" };
      const { inviteLink } = (await service.admin("POST", "/user-admin", body)) as {
        inviteLink: string;
      };
      return secretIn(inviteLink);
    };
    const secret = await invite("bob");
    const shown = await service.request(`/auth/reset/validate?token=${secret}`);
    expect(await shown.json()).toMatchObject({ username: "bob", kind: "invite" });
    expect(await statusAndName(await requestLogin(service, "bob", ""))).toEqual([
      401,
      "PasswordMismatch",
    ]);
    expect(await statusAndName(await choosePassword(secret, "short"))).toEqual([
      400,
      "BadDataError",
    ]);
    const both = await Promise.all([
      choosePassword(secret, PASSWORD),
      choosePassword(secret, NEW_PASSWORD),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 403]);
    expect(await statusAndName(await choosePassword(secret, PASSWORD))).toEqual([
      403,
      "UsedTokenError",
    ]);
    const expired = await invite("carl");
    await service.storage.transact((db) =>
      db.update(userLinks).set({ expiresAt: new Date(Date.now() - 1000) }),
    );
    for (const token of [expired, "unknown"]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await statusAndName(await choosePassword(token, PASSWORD))).toEqual([
        401,
        "InvalidTokenError",
      ]);
    }
  });

  test("a new link replaces the previous one, and a new password ends all sessions", async () => {
    const { id } = await createUser(service, "dora");
    const headers = await logIn(service, "dora");
    const reset = async () => {
      const body = { id: "dora" };
      const { resetPasswordUrl } = (await service.admin(
        "POST",
        "/user-admin/reset-password",
        body,
      )) as { resetPasswordUrl: string };
      return secretIn(resetPasswordUrl);
    };
    const [first, second] = [await reset(), await reset()];
    expect((await choosePassword(first, NEW_PASSWORD)).status).toBe(401);
    expect((await choosePassword(second, NEW_PASSWORD)).status).toBe(200);
    expect((await call(service, ["GET", "/user"], headers)).status).toBe(401);
    expect((await requestLogin(service, "dora")).status).toBe(401);
    const own = await logIn(service, "dora", NEW_PASSWORD);
    await service.admin("POST", `/user-admin/${id}/change-password`, { password: PASSWORD });
    expect((await call(service, ["GET", "/user"], own)).status).toBe(401);
    await logIn(service, "dora");
  });

  test("a user changes the own password, and only this session stays", async () => {
    await createUser(service, "emil");
    const [own, other] = [await logIn(service, "emil"), await logIn(service, "emil")];
    const path = ["POST", "/user/change-password"] as const;
    const change = (oldPassword: string, password: string) =>
      call(service, path, own, { oldPassword, password, confirmPassword: password });
    expect((await change("wrong password 1", NEW_PASSWORD)).status).toBe(401);
    expect((await change(PASSWORD, "emil")).status).toBe(400);
    expect((await change(PASSWORD, NEW_PASSWORD)).status).toBe(200);
    expect((await call(service, ["GET", "/user"], own)).status).toBe(200);
    expect((await call(service, ["GET", "/user"], other)).status).toBe(401);
    await logIn(service, "emil", NEW_PASSWORD);
  });

  test("users see and end their own sessions, and not those of others", async () => {
    await createUser(service, "fay");
    await createUser(service, "gus");
    const [own, second, third] = [
      await logIn(service, "fay"),
      await logIn(service, "fay"),
      await logIn(service, "fay"),
    ];
    const stranger = await logIn(service, "gus");
    const list = async (headers: Readonly<Record<string, string>>) => {
      const response = await call(service, ["GET", "/user/sessions"], headers);
      const { sessions } = (await response.json()) as {
        sessions: { id: string; current: boolean }[];
      };
      return sessions;
    };
    const sessions = await list(own);
    expect(sessions).toHaveLength(3);
    expect(sessions.filter(({ current }) => current)).toMatchObject([
      { address: "127.0.0.1", userAgent: "node" },
    ]);
    const secondId = (await list(second)).find(({ current }) => current)?.id;
    const end = (headers: Readonly<Record<string, string>>) =>
      call(service, ["DELETE", `/user/sessions/${secondId}`], headers);
    expect((await end(stranger)).status).toBe(404);
    expect((await end(own)).status).toBe(200);
    expect((await call(service, ["GET", "/user"], second)).status).toBe(401);
    expect((await call(service, ["DELETE", "/user/sessions"], own)).status).toBe(200);
    expect((await call(service, ["GET", "/user"], third)).status).toBe(401);
    expect(await list(own)).toHaveLength(1);
    expect(await list(stranger)).toHaveLength(1);
  });

  test("a personal token acts as its user until it expires or the user is disabled", async () => {
    const { id } = await createUser(service, "hugo", "Editor");
    const headers = await logIn(service, "hugo");
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    const create = (description: string, expiresAt = tomorrow) =>
      call(service, ["POST", "/user/tokens"], headers, { description, expiresAt });
    const created = await create("script");
    expect(created.status).toBe(201);
    const { secret, ...view } = (await created.json()) as { secret: string; id: string };
    expect(secret).toMatch(/^user:v2_[\w-]{22}_[\w-]{43}$/);
    expect(view).toMatchObject({ description: "script", expiryWarning: "expires-soon" });
    expect((await create("script")).status).toBe(409);
    expect((await create("past", "2020-01-01T00:00:00Z")).status).toBe(400);

    const bearer = { authorization: secret };
    const flag = { name: "by-token-of-hugo" };
    const path = "/projects/default/features";
    expect((await call(service, ["POST", path], bearer, flag)).status).toBe(201);
    expect((await call(service, ["GET", "/user-admin"], bearer)).status).toBe(403);
    const sdk = await service.request("/api/client/features", { headers: bearer });
    expect(await sdk.json()).toMatchObject({
      message: expect.stringContaining("personal token") as string,
    });
    const another = await call(service, ["POST", "/user/tokens"], bearer, {
      description: "more",
      expiresAt: tomorrow,
    });
    expect(another.status).toBe(403);
    await service.admin("PUT", `/user-admin/${id}`, { disabled: true });
    expect((await call(service, ["GET", "/user"], bearer)).status).toBe(401);
    expect((await call(service, ["GET", "/user"], headers)).status).toBe(401);
    expect((await requestLogin(service, "hugo")).status).toBe(401);
    await service.admin("PUT", `/user-admin/${id}`, { disabled: false });
    expect((await call(service, ["GET", "/user"], bearer)).status).toBe(200);
    const again = await logIn(service, "hugo");
    const revoke = ["DELETE", `/user/tokens/${view.id}`] as const;
    expect((await call(service, revoke, again)).status).toBe(200);
    expect((await call(service, revoke, again)).status).toBe(200);
    expect((await call(service, ["GET", "/user"], bearer)).status).toBe(401);
  });

  test("the only admin cannot give the role up, and an API token can take it", async () => {
    const { id } = await createUser(service, "ida", "Admin");
    const headers = await logIn(service, "ida");
    const demote = (role: string) =>
      call(service, ["PUT", `/user-admin/${id}`], headers, { rootRole: role });
    for (const refused of [
      await demote("Viewer"),
      await call(service, ["PUT", `/user-admin/${id}`], headers, { disabled: true }),
      await call(service, ["DELETE", `/user-admin/${id}`], headers),
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await statusAndName(refused)).toEqual([403, "InvalidOperationError"]);
    }
    await createUser(service, "jim", "Admin");
    expect((await demote("Viewer")).status).toBe(200);
    expect((await call(service, ["GET", "/user-admin"], headers)).status).toBe(403);
    await service.admin("DELETE", `/user-admin/${id}`);
    expect((await call(service, ["GET", "/user"], headers)).status).toBe(401);
  });

  test.each([
    [{ rootRole: 3 }, "/body"],
    [{ username: "a@b", rootRole: 3 }, "/body/username"],
    [{ username: " a", rootRole: 3 }, "/body/username"],
    [{ username: "system", rootRole: 3 }, "/body/username"],
    [{ username: "openid:jane", rootRole: 3 }, "/body/username"],
    [{ username: "x", email: "no address", rootRole: 3 }, "/body/email"],
    [{ username: "x", rootRole: 4 }, "/body/rootRole"],
    [{ username: "x", rootRole: 3, password: "password1234" }, "/body/password"],
    [{ username: "INIT-taken", rootRole: 3 }, "/body/username"],
  ])("the account %j is refused", async (body, path) => {
    if ("username" in body && body.username === "INIT-taken") {
      await service.admin("POST", "/user-admin", { username: "init-taken", rootRole: 3 });
    }
    const response = await call(
      service,
      ["POST", "/user-admin"],
      { authorization: ADMIN_TOKEN },
      body,
    );
    expect([response.status, await response.json()]).toMatchObject([400, { details: [{ path }] }]);
  });

  test("several people create accounts of viewers with an invite link", async () => {
    const link = (await service.admin("POST", "/invite-link/tokens", {
      name: "team",
      expiresAt: new Date(Date.now() + 365 * 86_400_000).toISOString(),
    })) as { secret: string; url: string; expiresAt: string };
    expect(new URL(link.url).searchParams.get("invite")).toBe(link.secret);
    expect(new Date(link.expiresAt).getTime()).toBeLessThan(Date.now() + 32 * 86_400_000);
    expect((await service.request(`/invite/${link.secret}/validate`)).status).toBe(200);
    const signUp = (username: string, email: string) =>
      service.request(`/invite/${link.secret}/signup`, {
        method: "POST",
        body: { username, email, name: "Kim", password: PASSWORD },
      });
    const created = await signUp("kim", "kim@example.com");
    expect([created.status, await created.json()]).toMatchObject([201, { rootRole: 3 }]);
    expect((await signUp("kim2", "KIM@example.com")).status).toBe(400);
    await logIn(service, "kim");
    const { tokens } = (await service.admin("GET", "/invite-link/tokens")) as {
      tokens: { secret: string; users: { username: string }[] }[];
    };
    expect(tokens.map(({ users: own }) => own.map(({ username }) => username))).toEqual([["kim"]]);
    const [{ secret: id } = { secret: "" }] = tokens;
    await service.admin("PUT", `/invite-link/tokens/${id}`, { enabled: false });
    expect((await service.request(`/invite/${link.secret}/validate`)).status).toBe(400);
    expect((await signUp("lea", "lea@example.com")).status).toBe(400);
  });

  test("no response and no event contains a hash, a password or the secret of a link", async () => {
    const { events } = (await service.admin("GET", "/search/events?limit=1000")) as {
      events: object[];
    };
    const { users: listed } = (await service.admin("GET", "/user-admin")) as { users: object[] };
    const text = JSON.stringify({ events, listed });
    expect(text).toContain("user-created");
    expect(text).not.toMatch(/scrypt|pear|_hash|Hash|user:v2_/);
    expect(service.errors).toEqual([]);
  });
});

describeAnyStorage("the setup", (source) => {
  const start = async () => {
    const storage = await source.openFresh();
    const [first, second] = [await startService(storage), await startService(storage)];
    await storage.transact((db) => db.delete(apiTokens));
    const code = await storage.write(SYSTEM_ACTOR, createSetupCode);
    return { storage, first, second, code };
  };

  const setUp = (service: Pick<Service, "request">, code: string, username = "root") =>
    service.request("/auth/setup", {
      method: "POST",
      body: { code, username, password: PASSWORD },
    });

  test("the first account is an admin who is signed in, and there is only one on all replicas", async () => {
    const { first, second, code } = await start();
    const options = await first.request("/auth/options");
    expect(await options.json()).toMatchObject({ password: false, setup: true });
    expect((await setUp(first, "wrong")).status).toBe(401);
    const both = await Promise.all([setUp(first, code, "one"), setUp(second, code, "two")]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const winner = both.find(({ status }) => status === 200);
    expect(winner?.headers.getSetCookie()).toHaveLength(1);
    expect(await winner?.json()).toMatchObject({ rootRole: 1 });
    expect((await setUp(first, code, "three")).status).toBe(409);
    const after = await second.request("/auth/options");
    expect(await after.json()).toMatchObject({ password: true, setup: false });
  });

  test("a code is replaced by the next one, and expires", async () => {
    const { storage, first, code } = await start();
    const next = await storage.write(SYSTEM_ACTOR, createSetupCode);
    expect((await setUp(first, code)).status).toBe(401);
    await storage.transact((db) => db.update(setupCodes).set({ expiresAt: new Date() }));
    expect((await setUp(first, next)).status).toBe(401);
    expect(await storage.db.select().from(users)).toEqual([]);
  });

  test("guesses of the code are limited", async () => {
    const { first } = await start();
    const statuses = new Set<number>();
    // On a busy machine, some more are allowed in the meantime.
    for (let round = 0; !statuses.has(429) && round < 5; round += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const guesses = await Promise.all(
        Array.from({ length: 520 }, (_, index) => setUp(first, `guess-${round}-${index}`)),
      );
      for (const { status } of guesses) statuses.add(status);
    }
    expect(statuses).toEqual(new Set([401, 429]));
  });

  test("a service with an admin token or OpenID Connect offers none", async () => {
    const storage = await source.openFresh();
    const service = await startService(storage);
    expect((await setUp(service, "code")).status).toBe(409);
    await expect(storage.write(SYSTEM_ACTOR, createSetupCode)).rejects.toThrow("an admin");
    expect(await (await service.request("/auth/options")).json()).toMatchObject({ setup: false });
  });
});
