import { beforeAll, expect, test } from "vitest";
import { useAdmin } from "./_admin.ts";
import { describeAnyStorage } from "./_storages.ts";

interface TokenResponse {
  readonly id: string;
  readonly secret: string;
  readonly tokenName: string;
  readonly projects: readonly string[];
}

const TOKENS = "/projects/shop/api-tokens";

describeAnyStorage("API tokens of a project", (source) => {
  const admin = useAdmin(source);

  const create = async (path: string, body: object): Promise<TokenResponse> =>
    (await admin.must<TokenResponse>(201, "POST", path, { type: "backend", ...body })).body;

  const statusOf = async (token: string): Promise<number> => {
    const { statusCode } = await admin.app.inject({
      path: "/api/client/features",
      headers: { authorization: token },
    });
    return statusCode;
  };

  beforeAll(async () => {
    for (const id of ["shop", "blog", "old"]) {
      await admin.must(201, "POST", "/projects", { id, name: id });
    }
    await admin.must(200, "POST", "/projects/archive/old");
  });

  test("POST creates a token that is only for the project, and records it", async () => {
    const events = await admin.eventsOf(async () => {
      const { secret, ...token } = await create(TOKENS, { tokenName: "own", projects: ["shop"] });
      expect(token).toMatchObject({ tokenName: "own", type: "backend", projects: ["shop"] });
      expect(secret).toMatch(/^shop:development\.[0-9a-f]{56}$/);
      expect(await statusOf(secret)).toBe(200);
    });
    expect(events).toEqual([
      expect.objectContaining({ type: "api-token-created", project: "shop" }),
    ]);
  });

  test.each([
    [{ type: "backend" }, "/body/tokenName"],
    [{ tokenName: "t", type: "admin" }, "/body/type"],
    [{ tokenName: "t", type: "root" }, "/body/type"],
    [{ tokenName: "t", type: "backend", project: "blog" }, "/body/project"],
    [{ tokenName: "t", type: "backend", project: "*" }, "/body/project"],
    [{ tokenName: "t", type: "backend", projects: ["shop", "blog"] }, "/body/projects"],
    [{ tokenName: "t", type: "backend", environment: "none" }, "/body/environment"],
    [{ tokenName: "t", type: "backend", environment: "*" }, "/body/environment"],
  ])("POST with %j is refused", async (body, path) => {
    await admin.refuse({ status: 400, name: "BadDataError", path }, "POST", TOKENS, body);
  });

  test("GET lists the tokens that name the project, without their secrets", async () => {
    await create("/api-tokens", { tokenName: "several", projects: ["shop", "blog"] });
    await create("/api-tokens", { tokenName: "all", projects: ["*"] });
    await create("/api-tokens", { tokenName: "foreign", projects: ["blog"] });
    const { body } = await admin.must<{ tokens: TokenResponse[] }>(200, "GET", TOKENS);
    expect(body.tokens.map(({ tokenName, projects }) => [tokenName, projects])).toEqual([
      ["own", ["shop"]],
      ["several", ["shop", "blog"]],
    ]);
    for (const token of body.tokens) expect(token).toMatchObject({ secret: token.id });
  });

  test.each(["id", "secret"] as const)("DELETE by %s revokes a token at once", async (key) => {
    const token = await create(TOKENS, { tokenName: "short-lived" });
    expect(await statusOf(token.secret)).toBe(200);
    await admin.must(200, "DELETE", `${TOKENS}/${encodeURIComponent(token[key])}`);
    expect(await statusOf(token.secret)).toBe(401);
    const unknown = { status: 404, name: "NotFoundError" };
    await admin.refuse(unknown, "DELETE", `${TOKENS}/${token.id}`);
  });

  test("DELETE refuses tokens of other and of several projects", async () => {
    const several = await create("/api-tokens", { tokenName: "t", projects: ["shop", "blog"] });
    await admin.refuse({ status: 400, name: "BadDataError" }, "DELETE", `${TOKENS}/${several.id}`);
    for (const projects of [["blog"], ["*"]]) {
      const foreign = await create("/api-tokens", { tokenName: "t", projects });
      await admin.refuse(
        { status: 404, name: "NotFoundError" },
        "DELETE",
        `${TOKENS}/${foreign.id}`,
      );
      expect(await statusOf(foreign.secret)).toBe(200);
    }
  });

  test("unknown projects are a 404, and archived ones get no new tokens", async () => {
    const unknown = { status: 404, name: "NotFoundError" };
    const body = { tokenName: "t", type: "backend" };
    await admin.refuse(unknown, "GET", "/projects/none/api-tokens");
    await admin.refuse(unknown, "POST", "/projects/none/api-tokens", body);
    await admin.refuse(unknown, "DELETE", "/projects/none/api-tokens/id");
    await admin.refuse(unknown, "POST", "/projects/old/api-tokens", body);
    expect((await admin.must(200, "GET", "/projects/old/api-tokens")).body).toEqual({ tokens: [] });
  });
});
