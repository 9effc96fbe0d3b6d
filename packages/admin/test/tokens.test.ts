import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { apiTokens, deletedTokens } from "../src/storage/schema/access.ts";
import { events } from "../src/storage/schema/events.ts";
import { parseConfiguredTokens } from "../src/access/configured-tokens.ts";
import { DEFAULT_RETENTION, deleteExpired } from "../src/retention.ts";
import {
  findTokensOfOtherType,
  findUnusableTokens,
  createConfiguredTokens,
} from "../src/access/create-configured-tokens.ts";
import type { Storage } from "../src/storage/storage.ts";
import { ADMIN_TOKEN, BACKEND_TOKEN, type Service, startService, useService } from "./_service.ts";
import { describeAnyStorage } from "./_storages.ts";

interface TokenResponse {
  readonly id: string;
  readonly secret: string;
  readonly tokenName: string;
  readonly projects: readonly string[];
}

describeAnyStorage("API tokens", (source) => {
  const service = useService(source);

  const create = async (service: Service, body: unknown): Promise<TokenResponse> =>
    (await service.admin("POST", "/api-tokens", body)) as TokenResponse;

  const statusWith = async (service: Service, token: string): Promise<number> => {
    const response = await service.request("/api/client/features", { token });
    await response.text();
    return response.status;
  };

  describe("POST /api/admin/api-tokens", () => {
    test.each([
      [{ type: "client" }, "*:development.", { type: "client", projects: ["*"], project: "*" }],
      [{ type: "Backend" }, "*:development.", { type: "backend" }],
      [{ type: "FRONTEND" }, "*:development.", { type: "frontend" }],
      [{ type: "client", environment: "production" }, "*:production.", {}],
      [{ type: "client", project: "default" }, "default:development.", { projects: ["default"] }],
      [{ type: "client", projects: ["default"] }, "default:development.", { project: "default" }],
      [{ type: "client", projects: ["default", "default"] }, "default:development.", {}],
      [{ type: "client", projects: ["default", "*"] }, "*:development.", { projects: ["*"] }],
      [{ type: "client", project: "*" }, "*:development.", { projects: ["*"] }],
      [{ type: "client", project: "default", projects: ["default"] }, "default:development.", {}],
      [{ type: "admin" }, "*:*.", { type: "admin", environment: "*", projects: ["*"] }],
      [{ type: "admin", environment: "*", projects: ["*"], project: "*" }, "*:*.", {}],
    ])("POST of %j creates a token", async (body, prefix, expected) => {
      const response = await service.request("/api/admin/api-tokens", {
        method: "POST",
        token: ADMIN_TOKEN,
        body: { tokenName: "created", ...body },
      });
      expect(response.status).toBe(201);
      expect(response.headers.get("location")).toBe("api-tokens");
      const token = (await response.json()) as TokenResponse;
      expect(token).toMatchObject({
        tokenName: "created",
        expiresAt: null,
        seenAt: null,
        ...expected,
      });
      expect(token.secret.startsWith(prefix)).toBe(true);
      expect(token.secret.slice(prefix.length)).toMatch(/^[0-9a-f]{56}$/);
    });

    test("the text of a token for several projects starts with []", async () => {
      await service.admin("POST", "/projects", { id: "other", name: "Other" });
      const token = await create(service, {
        tokenName: "several",
        type: "client",
        projects: ["default", "other"],
      });
      expect(token.secret).toMatch(/^\[\]:development\.[0-9a-f]{56}$/);
      expect(token.projects).toEqual(["default", "other"]);
      expect(await statusWith(service, token.secret)).toBe(200);
    });

    test.each([
      [{}, "/body/tokenName"],
      [{ tokenName: "", type: "client" }, "/body/tokenName"],
      [{ tokenName: 5, type: "client" }, "/body/tokenName"],
      [{ tokenName: "t" }, "/body/type"],
      [{ tokenName: "t", type: "root" }, "/body/type"],
      [{ tokenName: "t", type: "constructor" }, "/body/type"],
      [{ tokenName: "t", type: "client", environment: "*" }, "/body/environment"],
      [{ tokenName: "t", type: "client", environment: "missing" }, "/body/environment"],
      [{ tokenName: "t", type: "client", project: "nothing" }, "/body/projects"],
      [{ tokenName: "t", type: "client", project: "" }, "/body/project"],
      [{ tokenName: "t", type: "client", projects: [] }, "/body/projects"],
      [{ tokenName: "t", type: "client", projects: ["default", "nothing"] }, "/body/projects"],
      [{ tokenName: "t", type: "client", projects: "default" }, "/body/projects"],
      [{ tokenName: "t", type: "client", project: "default", projects: ["*"] }, "/body/project"],
      [{ tokenName: "t", type: "admin", environment: "development" }, "/body/environment"],
      [{ tokenName: "t", type: "admin", project: "default" }, "/body/project"],
      [{ tokenName: "t", type: "admin", projects: ["default"] }, "/body/projects"],
      [{ tokenName: "t", type: "client", expiresAt: "tomorrow" }, "/body/expiresAt"],
      [{ tokenName: "t\0", type: "client" }, "/body/tokenName"],
    ])("POST of %j responds with a 400 that names %s and creates nothing", async (body, path) => {
      const before = await service.storage.revision();
      const response = await service.request("/api/admin/api-tokens", {
        method: "POST",
        token: ADMIN_TOKEN,
        body,
      });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        name: "BadDataError",
        details: [expect.objectContaining({ path })],
      });
      expect(await service.storage.revision()).toBe(before);
    });
  });

  test("the secret of a token is in the response to its creation, and neither stored nor listed", async () => {
    const { secret, id } = await create(service, { tokenName: "secretive", type: "client" });
    await service.admin("PUT", `/api-tokens/${id}`, { expiresAt: "2090-01-01T00:00:00Z" });
    await service.admin("DELETE", `/api-tokens/${id}`);
    const random = secret.split(".")[1] ?? "";
    const stored = JSON.stringify([
      await service.storage.db.select().from(apiTokens),
      await service.storage.db.select().from(events),
      await service.admin("GET", "/api-tokens"),
    ]);
    expect(stored).not.toContain(random);
    expect(stored).not.toContain(ADMIN_TOKEN);
    expect(stored).not.toContain(BACKEND_TOKEN);
    const recorded = await service.storage.db.select().from(events);
    expect(JSON.stringify(recorded)).not.toContain("secretHash");
    expect(
      recorded.filter(({ data, preData }) => JSON.stringify([data, preData]).includes(id)),
    ).toEqual([
      expect.objectContaining({ type: "api-token-created", preData: null }),
      expect.objectContaining({
        type: "api-token-updated",
        environment: "development",
        preData: expect.objectContaining({ expiresAt: null }),
        data: expect.objectContaining({ expiresAt: "2090-01-01T00:00:00.000Z" }),
      }),
      expect.objectContaining({ type: "api-token-deleted", data: null }),
    ]);
  });

  test("POST with an expiry in the past creates a token that is not accepted", async () => {
    const expiresAt = "2020-01-01T00:00:00Z";
    const { secret } = await create(service, { tokenName: "past", type: "admin", expiresAt });
    expect((await service.request("/api/admin/user", { token: secret })).status).toBe(401);
  });

  test("GET lists all tokens or those with a name, with backend tokens as type client", async () => {
    await create(service, { tokenName: "listed", type: "backend" });
    await create(service, { tokenName: "listed", type: "frontend" });
    expect(await service.admin("GET", "/api-tokens/listed")).toEqual({
      tokens: [
        expect.objectContaining({ tokenName: "listed", type: "client" }),
        expect.objectContaining({ tokenName: "listed", type: "frontend" }),
      ],
    });
    const { tokens } = (await service.admin("GET", "/api-tokens")) as { tokens: TokenResponse[] };
    expect(tokens.filter(({ tokenName }) => tokenName === "listed")).toHaveLength(2);
    for (const token of tokens) {
      // Clients of servers that store hashes expect these, and none may contain the token.
      expect(token).toMatchObject({ secret: token.id, secure: true, alias: null });
      expect(token).not.toHaveProperty("secretHash");
    }
    expect(await service.admin("GET", "/api-tokens/nobody")).toEqual({ tokens: [] });
  });

  test.each(["id", "secret"] as const)(
    "DELETE by %s revokes a token before the next request",
    async (key) => {
      const token = await create(service, { tokenName: "short-lived", type: "client" });
      expect(await statusWith(service, token.secret)).toBe(200);
      await service.admin("DELETE", `/api-tokens/${encodeURIComponent(token[key])}`);
      expect(await statusWith(service, token.secret)).toBe(401);
    },
  );

  test("a revoked admin token is rejected", async () => {
    const { secret, id } = await create(service, { tokenName: "second-admin", type: "admin" });
    const send = (method: string, path: string) =>
      service.request(`/api/admin${path}`, { method, token: secret });
    expect((await send("GET", "/api-tokens")).status).toBe(200);
    expect((await send("DELETE", `/api-tokens/${id}`)).status).toBe(200);
    expect((await send("GET", "/api-tokens")).status).toBe(401);
  });

  test("PUT changes the expiry of a token for the next request", async () => {
    const { secret, id } = await create(service, {
      tokenName: "expiring",
      type: "client",
      expiresAt: "2090-01-01T00:00:00+02:00",
    });
    expect(await statusWith(service, secret)).toBe(200);
    await service.admin("PUT", `/api-tokens/${id}`, { expiresAt: "2020-01-01T00:00:00Z" });
    expect(await statusWith(service, secret)).toBe(401);
    await service.admin("PUT", `/api-tokens/${id}`, { expiresAt: null });
    expect(await statusWith(service, secret)).toBe(200);
  });

  test.each([
    ["PUT", { expiresAt: null }],
    ["DELETE", undefined],
  ])("%s of an unknown token responds with 404", async (method, body) => {
    const call = { method, token: ADMIN_TOKEN, body };
    const response = await service.request("/api/admin/api-tokens/unknown", call);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ name: "NotFoundError" });
  });

  test.each([
    [{}, 400],
    [{ expiresAt: 5 }, 400],
    [{ expiresAt: "0000-01-01T00:00:00Z" }, 400],
    [{ expiresAt: "2025-02-30T00:00:00Z" }, 400],
    ["{", 400],
  ])("PUT with %j responds with %i", async (body, status) => {
    const { id } = await create(service, { tokenName: "unchanged", type: "client" });
    const call = { method: "PUT", token: ADMIN_TOKEN, body };
    expect((await service.request(`/api/admin/api-tokens/${id}`, call)).status).toBe(status);
  });

  const uses = {
    "at the API": statusWith,
    "through a proxy": (used: Service, secret: string) =>
      used.request("/edge/validate", { method: "POST", body: { tokens: [secret] } }),
  };

  test.each(Object.entries(uses))("a token stores when it was last used %s", async (_, use) => {
    const used = await startService(service.storage);
    const { id, secret } = await create(used, { tokenName: "used", type: "client" });
    await use(used, secret);
    await used.app.close();
    const rows = await service.storage.db.select().from(apiTokens).where(eq(apiTokens.id, id));
    expect(rows[0]?.seenAt).toBeInstanceOf(Date);
  });

  test("createConfiguredTokens() creates missing tokens once, even if replicas start at the same time", async () => {
    const { tokens } = parseConfiguredTokens({
      admin: ["*:*.one-of-two-seeded"],
      backend: ["default:production.two-of-two-seeded"],
      frontend: [],
    });
    const counts = await Promise.all([
      createConfiguredTokens(service.storage, tokens),
      createConfiguredTokens(service.storage, tokens),
    ]);
    expect(counts.map(({ created }) => created).toSorted()).toEqual([0, 2]);
    const before = await service.storage.revision();
    expect(await createConfiguredTokens(service.storage, tokens)).toEqual({
      created: 0,
      deleted: [],
    });
    expect(await service.storage.revision()).toBe(before);

    expect(await statusWith(service, "default:production.two-of-two-seeded")).toBe(200);
    expect(await statusWith(service, "*:*.one-of-two-seeded")).toBe(403);
  });

  test("findUnusableTokens() finds tokens whose environment or project does not exist", async () => {
    const { tokens } = parseConfiguredTokens({
      admin: ["*:*.one-of-two-seeded"],
      backend: ["default:production.exists-already", "shop:prod.does-not-exist-yet"],
      frontend: ["*:prod.three"],
    });
    const environments = 'no environment "prod" (existing: development, production)';
    expect(await findUnusableTokens(service.storage.db, tokens)).toEqual([
      {
        type: "backend",
        scope: "shop:prod",
        missing: `${environments} and no project "shop" (existing: default, other)`,
      },
      { type: "frontend", scope: "*:prod", missing: environments },
    ]);
  });

  test("createConfiguredTokens() neither creates a deleted token again nor renews an expired one", async () => {
    const secrets = [
      "default:production.revoked-and-listed",
      "default:production.expired-and-listed",
    ] as const;
    const { tokens } = parseConfiguredTokens({ admin: [], backend: secrets, frontend: [] });
    await createConfiguredTokens(service.storage, tokens);
    await service.admin("DELETE", `/api-tokens/${secrets[0]}`);
    const expiresAt = new Date(0).toISOString();
    await service.admin("PUT", `/api-tokens/${secrets[1]}`, { expiresAt });
    for (const secret of secrets) expect(await statusWith(service, secret)).toBe(401);

    expect(await createConfiguredTokens(service.storage, tokens)).toEqual({
      created: 0,
      deleted: [tokens[0]],
    });
    for (const secret of secrets) expect(await statusWith(service, secret)).toBe(401);

    const added = "default:production.listed-in-its-place";
    const { tokens: more } = parseConfiguredTokens({
      admin: [],
      backend: [...secrets, added],
      frontend: [],
    });
    expect(await createConfiguredTokens(service.storage, more)).toEqual({
      created: 1,
      deleted: [more[0]],
    });
    expect(await statusWith(service, added)).toBe(200);
  });

  test("a token that moves to the list of another type keeps its type, and is found", async () => {
    const { db } = service.storage;
    const secret = "default:production.listed-with-two-types";
    const { tokens } = parseConfiguredTokens({ admin: [], backend: [secret], frontend: [] });
    await createConfiguredTokens(service.storage, tokens);
    expect(await findTokensOfOtherType(db, tokens)).toEqual([]);
    const { tokens: moved } = parseConfiguredTokens({ admin: [], backend: [], frontend: [secret] });
    expect(await createConfiguredTokens(service.storage, moved)).toEqual({
      created: 0,
      deleted: [],
    });
    expect(await statusWith(service, secret)).toBe(200);
    expect(await findTokensOfOtherType(db, moved)).toEqual([
      { configured: moved[0], type: "backend" },
    ]);
  });

  test("createConfiguredTokens() does not create a token that is deleted while the service starts", async () => {
    const secret = "default:production.deleted-during-the-start";
    const { tokens } = parseConfiguredTokens({ admin: [], backend: [secret], frontend: [] });
    const { storage } = service;
    // Another replica creates the token, and an admin deletes it, before this one begins to write.
    const later: Pick<Storage, "db" | "write"> = {
      db: storage.db,
      write: async (actor, work) => {
        await createConfiguredTokens(storage, tokens);
        await service.admin("DELETE", `/api-tokens/${secret}`);
        return storage.write(actor, work);
      },
    };
    expect(await createConfiguredTokens(later, tokens)).toEqual({ created: 0, deleted: tokens });
    expect(await statusWith(service, secret)).toBe(401);
  });

  test("the deletion of a token is remembered for as long as the token is listed", async () => {
    const { db } = service.storage;
    const listed = "default:production.deleted-but-listed";
    const { tokens } = parseConfiguredTokens({ admin: [], backend: [listed], frontend: [] });
    await createConfiguredTokens(service.storage, tokens);
    await service.admin("DELETE", `/api-tokens/${listed}`);
    const { id } = await create(service, { tokenName: "unlisted", type: "client" });
    await service.admin("DELETE", `/api-tokens/${id}`);
    const remembered = await db.select().from(deletedTokens);
    await db.update(deletedTokens).set({ usedAt: new Date(0) });

    await createConfiguredTokens(service.storage, tokens);
    const { signal } = new AbortController();
    const counts = await deleteExpired(service.storage, DEFAULT_RETENTION, { signal });
    expect(counts["deleted_tokens"]).toBe(remembered.length - 1);
    const { deleted } = await createConfiguredTokens(service.storage, tokens);
    expect(deleted).toEqual(tokens);
  });

  test("POST rejects a token beyond the limit of 2000", async () => {
    const crowded = await source.openFresh();
    const service = await startService(crowded);
    await crowded.db.insert(apiTokens).values(
      Array.from({ length: 1996 }, (_, index) => ({
        id: `t${index}`,
        name: "many",
        secretHash: `h${index}`,
        type: "backend" as const,
        environment: "development",
        projects: ["*"],
        createdBy: "test",
      })),
    );
    const response = await service.request("/api/admin/api-tokens", {
      method: "POST",
      token: ADMIN_TOKEN,
      body: { tokenName: "one-more", type: "client" },
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ name: "ExceedsLimitError" });
  });
});
