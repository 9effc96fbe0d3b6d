import { expect, test } from "vitest";
import { useAdmin } from "./_admin.ts";
import { describeAnyStorage } from "./_storages.ts";

type SentRequest = readonly [status: number, method: string, path: string, body?: unknown];

/**
 * The requests of the official Terraform provider (v3, July 2026), recorded: `apply` of a project, an environment in it, a context
 * field and a token, a refresh, an `apply` that changes all of them, another refresh, and `destroy`.
 */
const REQUESTS: readonly SentRequest[] = [
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
  [200, "GET", "/context/plan"],
  [200, "GET", "/environments/staging"],
  [200, "GET", "/projects"],
  [200, "GET", "/environments/project/shop"],
  [200, "PUT", "/projects/shop/settings", { mode: "open" }],
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
  [200, "DELETE", "/api-tokens/{secret}"],
  [200, "DELETE", "/context/plan"],
  [200, "DELETE", "/projects/shop/environments/staging"],
  [200, "DELETE", "/environments/staging"],
  [200, "DELETE", "/projects/shop"],
];

const CREATED = ["/api-tokens", "/environments", "/projects", "/context"];

describeAnyStorage("the official Terraform provider", (source) => {
  const admin = useAdmin(source);

  const readAll = () =>
    Promise.all(CREATED.map(async (path) => (await admin.must(200, "GET", path)).body));

  test("creates, changes and destroys resources, and leaves nothing behind", async () => {
    const before = await readAll();
    let secret = "";
    for (const [status, method, path, body] of REQUESTS) {
      // oxlint-disable-next-line no-await-in-loop -- the requests build on each other
      const response = await admin.must<{ readonly secret?: string } | undefined>(
        status,
        method,
        path.replace("{secret}", secret),
        body,
      );
      secret = response.body?.secret ?? secret;
    }
    expect(secret).toContain("shop:staging.");
    expect(await readAll()).toEqual(before);
  });
});
