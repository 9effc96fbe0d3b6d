// Requests that tools made by others send, recorded.

import { expect, test } from "vitest";
import { createUser, logIn } from "./_accounts.ts";
import { ADMIN_TOKEN, useService } from "./_service.ts";
import { describeAnyStorage } from "./_storages.ts";

type SentRequest = readonly [status: number, method: string, path: string, body?: unknown];

/**
 * The official Terraform provider (v3, July 2026): `apply` of a project, an environment in it, a context field, a token, and a user
 * who owns the project, a refresh, an `apply` that changes all of them, another refresh, and `destroy`.
 */
const TERRAFORM: readonly SentRequest[] = [
  [
    201,
    "POST",
    "/projects",
    {
      defaultStickiness: "default",
      description: "d",
      environments: [],
      id: "shop",
      mode: "open",
      name: "Shop",
    },
  ],
  [200, "PUT", "/projects/shop/settings", { mode: "open" }],
  [201, "POST", "/environments", { name: "staging", type: "test" }],
  [
    201,
    "POST",
    "/context",
    { description: "Plan", legalValues: [], name: "plan", stickiness: true },
  ],
  [200, "POST", "/projects/shop/environments", { environment: "staging" }],
  [200, "GET", "/environments/project/shop"],
  [
    201,
    "POST",
    "/api-tokens",
    {
      environment: "staging",
      expiresAt: "2090-01-01T00:00:00Z",
      projects: ["shop"],
      tokenName: "tf",
      type: "client",
    },
  ],
  [200, "GET", "/roles"],
  [
    201,
    "POST",
    "/user-admin",
    {
      email: "ann@example.com",
      name: "Ann",
      password: "a pear on the lake",
      rootRole: 3,
      sendEmail: false,
    },
  ],
  [200, "PUT", "/projects/shop/access", { roles: [{ id: 4, users: ["{user}"] }, { id: 5 }] }],
  [200, "GET", "/user-admin/{user}"],
  [200, "GET", "/projects/shop/access"],
  [200, "GET", "/context/plan"],
  [200, "GET", "/environments/staging"],
  [200, "GET", "/projects"],
  [200, "GET", "/environments/project/shop"],
  [200, "PUT", "/projects/shop/settings", { mode: "protected" }],
  [200, "PUT", "/user-admin/{user}", { email: "ann@example.com", name: "Ann", rootRole: 2 }],
  [200, "PUT", "/projects/shop", { description: "d", name: "The shop" }],
  [200, "GET", "/projects"],
  [200, "DELETE", "/context/plan"],
  [200, "PUT", "/environments/update/staging", { type: "preproduction" }],
  [
    201,
    "POST",
    "/context",
    { description: "The plan", legalValues: [], name: "plan", stickiness: true },
  ],
  [200, "PUT", "/api-tokens/{secret}", { expiresAt: "2091-01-01T00:00:00Z" }],
  [200, "GET", "/context/plan"],
  [200, "GET", "/environments/staging"],
  [200, "GET", "/projects"],
  [200, "GET", "/environments/project/shop"],
  [200, "DELETE", "/user-admin/{user}"],
  [200, "DELETE", "/api-tokens/{secret}"],
  [200, "DELETE", "/context/plan"],
  [200, "DELETE", "/projects/shop/environments/staging"],
  [200, "DELETE", "/environments/staging"],
  [200, "DELETE", "/projects/shop"],
];

const STRATEGIES = "/projects/default/features/checkout-wallet/environments/development/strategies";

/** The official MCP server (0.0.4, November 2025), with the personal token of an editor: each of its tools once. */
const MCP: readonly SentRequest[] = [
  [200, "GET", "/projects"],
  [200, "GET", "/projects/default/features"],
  [
    201,
    "POST",
    "/projects/default/features",
    { name: "checkout-wallet", type: "release", description: "Wallet payments" },
  ],
  [
    200,
    "POST",
    STRATEGIES,
    {
      name: "flexibleRollout",
      parameters: { rollout: "25", groupId: "checkout-wallet", stickiness: "default" },
      variants: [
        {
          name: "blue",
          weight: 500,
          weightType: "variable",
          stickiness: "default",
          payload: { type: "string", value: "b" },
        },
        { name: "red", weight: 500, weightType: "variable", stickiness: "default" },
      ],
    },
  ],
  [200, "POST", "/projects/default/features/checkout-wallet/environments/development/on"],
  [200, "GET", "/projects/default/features/checkout-wallet"],
  [200, "DELETE", `${STRATEGIES}/{id}`],
  [200, "GET", "/projects/default/features/checkout-wallet"],
  [200, "POST", "/projects/default/features/checkout-wallet/environments/development/off"],
];

/** What a tool remembers of answers. */
interface Answer {
  readonly id?: string | number;
  readonly secret?: string;
}

describeAnyStorage("recorded requests", (source) => {
  const service = useService(source);

  /** Sends requests that build on each other: `{name}` in one stands for what an earlier answer contained. */
  async function replay(
    requests: readonly SentRequest[],
    token: string,
  ): Promise<ReadonlyMap<string, string>> {
    const known = new Map<string, string>();
    const fill = (text: string): string =>
      text.replaceAll(/"?\{(\w+)\}"?/g, (_, name: string) => known.get(name) ?? "");
    for (const [status, method, path, body] of requests) {
      // oxlint-disable no-await-in-loop -- the requests build on each other
      const response = await service.request(`/api/admin${fill(path)}`, {
        method,
        token,
        body: body === undefined ? undefined : JSON.parse(fill(JSON.stringify(body))),
      });
      const text = await response.text();
      // oxlint-enable no-await-in-loop
      expect([method, path, response.status, text]).toEqual([method, path, status, text]);
      const { id, secret } = JSON.parse(text === "" ? "{}" : text) as Answer;
      if (secret !== undefined) known.set("secret", secret);
      if (id !== undefined) known.set(path === "/user-admin" ? "user" : "id", String(id));
      // The provider crashes if a name of a user is null.
      if (path.startsWith("/user-admin")) {
        expect(text).not.toMatch(/"(?:email|name|username)":null/);
      }
    }
    return known;
  }

  test("the official Terraform provider creates, changes and destroys, and leaves nothing behind", async () => {
    const readAll = () =>
      Promise.all(
        ["/api-tokens", "/environments", "/projects", "/context", "/user-admin"].map((path) =>
          service.admin("GET", path),
        ),
      );
    const before = await readAll();
    const known = await replay(TERRAFORM, ADMIN_TOKEN);
    expect(known.get("secret")).toContain("shop:staging.");
    expect(await readAll()).toEqual(before);
  });

  test("the official MCP server creates a flag, rolls it out and turns it off, as its user", async () => {
    await createUser(service, "ann", "Editor");
    const response = await service.request("/api/admin/user/tokens", {
      method: "POST",
      headers: await logIn(service, "ann"),
      body: { description: "assistant", expiresAt: new Date(Date.now() + 3.6e6).toISOString() },
    });
    const { secret } = (await response.json()) as { readonly secret: string };
    await replay(MCP, secret);
    expect(await service.admin("GET", "/search/events?feature=IS:checkout-wallet")).toMatchObject({
      events: [
        { type: "feature-environment-disabled", createdBy: "ann" },
        { type: "feature-strategy-remove", createdBy: "ann" },
        { type: "feature-environment-enabled", createdBy: "ann" },
        { type: "feature-strategy-add", createdBy: "ann" },
        { type: "feature-created", createdBy: "ann" },
      ],
    });
  });
});
