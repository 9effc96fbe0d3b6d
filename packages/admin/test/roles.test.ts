import { beforeAll, describe, expect, test } from "vitest";
import { includesLevel, ROLES, type Role } from "../src/access/role.ts";
import { digestTables, useAdmin } from "./_admin.ts";
import type { ErrorResponse } from "./_responses.ts";
import { type DescribedRoute, readDescribedRoutes } from "./_routes.ts";
import { ADMIN_TOKEN, BACKEND_TOKEN, type Service } from "./_service.ts";
import { FROM_PAGE, signIn } from "./_sessions.ts";
import { describeAnyStorage } from "./_storages.ts";

/** The beginning of a page of the documentation, which a test writes. */
const OPERATIONS_PAGE = `# Operations of the admin API

All operations, with the role that each requires: [by example](admin.md). \`/docs/openapi\` of a running service describes their bodies.
`;

describeAnyStorage("roles", (source) => {
  const admin = useAdmin(source);
  const tokens = new Map<Role, string>([["admin", ADMIN_TOKEN]]);
  const required = new Map<DescribedRoute, Role>();
  let routes: readonly DescribedRoute[] = [];
  let url = "";

  const request = (path: string, init: RequestInit = {}) => fetch(url + path, init);

  const signedIn = async (role: Role) => {
    const service: Pick<Service, "request"> = {
      request: (path, { method = "GET", body, headers } = {}) =>
        request(path, {
          method,
          headers: { "content-type": "application/json", ...headers },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
    };
    return signIn(service, tokens.get(role));
  };

  beforeAll(async () => {
    const { port } = admin.app.server.address() as { port: number };
    url = `http://127.0.0.1:${port}`;
    const described = await readDescribedRoutes(admin.app);
    routes = described.filter(({ path }) => path.startsWith("/api/admin/"));
    for (const role of ["editor", "viewer"] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { body } = await admin.must<{ secret: string; type: string }>(
        201,
        "POST",
        "/api-tokens",
        { tokenName: role, type: role },
      );
      expect(body).toMatchObject({ type: role, environment: "*", projects: ["*"] });
      expect(body.secret).toMatch(/^\*:\*\.[0-9a-f]{56}$/);
      tokens.set(role, body.secret);
    }
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    for (const route of routes) required.set(route, await requiredRole(route));
  });

  const isStream = ({ path }: DescribedRoute): boolean => path === "/api/admin/changes";

  /** Sends a request whose body is invalid, so that nothing changes if it is accepted. The role is checked first. */
  const callWith = (
    { method, path }: DescribedRoute,
    credentials: Readonly<Record<string, string>>,
  ): Promise<Response> =>
    request(path.replaceAll(/:\w+/g, "1"), {
      method,
      headers: { ...credentials, "content-type": "application/json" },
      ...(method !== "GET" && { body: "{" }),
    });

  /** Returns the role that a route requires, according to its response to a viewer. */
  const requiredRole = async (route: DescribedRoute): Promise<Role> => {
    if (isStream(route)) return "viewer";
    const text = await (
      await callWith(route, { authorization: tokens.get("viewer") ?? "" })
    ).text();
    return (/This requires the role (\w+)/.exec(text)?.[1] ?? "viewer") as Role;
  };

  test("the operations have the recorded ids and roles", async () => {
    expect(routes.length).toBeGreaterThan(90);
    const lines = routes.map(
      (route) => `${required.get(route)} ${route.id}: ${route.method} ${route.path}\n`,
    );
    // After an intended change, `npm test -- packages/admin/test/roles.test.ts -u` records it.
    await expect(lines.toSorted().join("")).toMatchFileSnapshot("operations.txt");
  });

  test("the documentation lists the operations", async () => {
    const toLine = (route: DescribedRoute): string => {
      const path = route.path.replaceAll(/:(\w+)/g, "{$1}");
      return `- \`${route.method} ${path}\` (${required.get(route)}): ${route.summary}\n`;
    };
    const toKey = ({ path, method }: DescribedRoute): string => `${path} ${method}`;
    const tags = [...new Set(routes.map(({ tag }) => tag))].toSorted();
    const sections = tags.map((tag) => {
      const members = routes
        .filter((route) => route.tag === tag)
        .toSorted((one, other) => toKey(one).localeCompare(toKey(other), "en"));
      return `\n## ${tag}\n\n${members.map(toLine).join("")}`;
    });
    // Written by the command above, too.
    await expect(OPERATIONS_PAGE + sections.join("")).toMatchFileSnapshot(
      "../../../docs/reference/admin-endpoints.md",
    );
  });

  test("viewers can call only operations that change nothing, or only their own account", () => {
    const changing = routes.filter(
      (route) => route.method !== "GET" && required.get(route) === "viewer",
    );
    expect(changing.map(({ path }) => path).toSorted()).toEqual([
      "/api/admin/constraints/validate",
      "/api/admin/context/validate",
      "/api/admin/environments/validate",
      "/api/admin/features-batch/export",
      "/api/admin/features/validate",
      "/api/admin/playground",
      "/api/admin/playground/advanced",
      "/api/admin/projects/:projectId/archive/validate",
      "/api/admin/projects/:projectId/context/validate",
      "/api/admin/projects/:projectId/favorites",
      "/api/admin/projects/:projectId/favorites",
      "/api/admin/projects/:projectId/features/:feature/favorites",
      "/api/admin/projects/:projectId/features/:feature/favorites",
      "/api/admin/projects/validate",
      "/api/admin/segments/validate",
      "/api/admin/tag-types/validate",
      "/api/admin/user-admin/validate-password",
      "/api/admin/user/change-password",
      "/api/admin/user/sessions",
      "/api/admin/user/sessions/:id",
      "/api/admin/user/tokens",
      "/api/admin/user/tokens/:id",
    ]);
  });

  describe.each(["token", "session"] as const)("with a %s", (kind) => {
    test.each(ROLES)("every route accepts or rejects the role %s", async (role) => {
      const credentials: Record<string, string> =
        kind === "token"
          ? { authorization: tokens.get(role) ?? "" }
          : { ...(await signedIn(role)).cookie, ...FROM_PAGE };
      const before = await digestTables(admin.storage);
      const responses = await Promise.all(
        routes
          .filter((route) => !isStream(route))
          .map(async (route) => {
            const response = await callWith(route, credentials);
            return { route, status: response.status, text: await response.text() };
          }),
      );
      for (const { route, status, text } of responses) {
        const needed = required.get(route) ?? "admin";
        const isRefused = status === 403 && text.includes("This requires the role");
        expect([route.method, route.path, isRefused]).toEqual([
          route.method,
          route.path,
          !includesLevel(role, needed),
        ]);
        if (isRefused) {
          expect(JSON.parse(text)).toMatchObject({
            name: "PermissionError",
            message: expect.stringMatching(
              `^This requires the role ${needed}( in the project)?, but you have the role ${role}: contact an`,
            ) as string,
          } satisfies Partial<ErrorResponse>);
        } else if (!text.includes("This requires the account of a user")) {
          expect([401, 403]).not.toContain(status);
        }
      }
      expect(await digestTables(admin.storage)).toEqual(before);
    });
  });

  test.each(ROLES)("HEAD is like GET for the role %s", async (role) => {
    const headers = { authorization: tokens.get(role) ?? "" };
    const response = await request("/api/admin/projects", { method: "HEAD", headers });
    expect(response.status).toBe(200);
  });

  test.each(ROLES)("GET /user returns the role %s", async (role) => {
    const { body, text } = await admin.call("GET", "/user", undefined, {
      token: tokens.get(role) ?? "",
    });
    expect(body).toEqual({
      user: {
        id: null,
        name: role === "admin" ? "init-admin" : role,
        kind: "token",
        isAPI: true,
      },
      role,
      permissions: role === "admin" ? [{ permission: "ADMIN" }] : [],
      feedback: [],
      splash: {},
    });
    expect((await signedIn(role)).body.role).toBe(role);
    expect(text).not.toContain("secret");
  });

  test("an editor changes flags, and a viewer does not", async () => {
    for (const [role, status] of [
      ["viewer", 403],
      ["editor", 201],
    ] as const) {
      const body = { name: `by-${role}` };
      const token = tokens.get(role) ?? "";
      // oxlint-disable-next-line no-await-in-loop -- sequential, so that a failure is easy to find
      const response = await admin.call("POST", "/projects/default/features", body, { token });
      expect(response.status).toBe(status);
    }
    const { body } = await admin.must<{ events: { createdBy: string }[] }>(
      200,
      "GET",
      "/events/by-editor",
    );
    expect(body.events.map(({ createdBy }) => createdBy)).toEqual(["editor"]);
  });

  test("tokens of the admin API are not for SDKs, and apply to everything", async () => {
    for (const role of ["editor", "viewer"] as const) {
      const secret = tokens.get(role) ?? "";
      // oxlint-disable-next-line no-await-in-loop -- sequential, so that a failure is easy to find
      const sdk = await request("/api/client/features", { headers: { authorization: secret } });
      expect(sdk.status).toBe(403);
      // oxlint-disable-next-line no-await-in-loop -- sequential, so that a failure is easy to find
      const validated = await request("/edge/validate", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ tokens: [secret, BACKEND_TOKEN] }),
      });
      // oxlint-disable-next-line no-await-in-loop -- sequential, so that a failure is easy to find
      expect(await validated.json()).toMatchObject({ tokens: [{ token: BACKEND_TOKEN }] });
      // oxlint-disable-next-line no-await-in-loop -- sequential, so that a failure is easy to find
      await admin.refuse(
        { status: 400, name: "BadDataError", path: "/body/environment" },
        "POST",
        "/api-tokens",
        { tokenName: "x", type: role, environment: "production" },
      );
    }
  });

  test("no request caused an internal error", () => {
    expect(admin.errors).toEqual([]);
  });
});
