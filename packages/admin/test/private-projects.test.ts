import { beforeAll, expect, test } from "vitest";
import { createUser, logIn, type TestUser } from "./_accounts.ts";
import { type DescribedRoute, readDescribedRoutes } from "./_routes.ts";
import { BACKEND_TOKEN, useService } from "./_service.ts";
import { describeAnyStorage } from "./_storages.ts";

/** Is part of every name in the private project, and of nothing else. */
const SECRET = "zebra";

interface Answer {
  readonly status: number;
  readonly text: string;
}

describeAnyStorage("a private project", (source) => {
  const service = useService(source);
  let routes: readonly DescribedRoute[];
  const users = new Map<string, TestUser & { headers: Readonly<Record<string, string>> }>();
  /** What is in the private project, by the parameter of paths. */
  const names: Record<string, string> = {};
  let strategyOfOthers = "";

  const as = async (who: string, method: string, path: string, body?: unknown): Promise<Answer> => {
    const headers = users.get(who)?.headers ?? {};
    const response = await service.request(`/api/admin${path}`, {
      method,
      headers: { ...headers, "content-type": "application/json" },
      ...(body !== undefined && { body }),
    });
    return { status: response.status, text: await response.text() };
  };

  const signedUp = async (name: string, rootRole: "Admin" | "Editor" | "Viewer") => {
    const user = await createUser(service, name, rootRole);
    users.set(name, { ...user, headers: await logIn(service, name) });
  };

  beforeAll(async () => {
    routes = (await readDescribedRoutes(service.app)).filter(({ path }) =>
      path.startsWith("/api/admin/"),
    );
    await signedUp("owner", "Viewer");
    await signedUp("member", "Viewer");
    await signedUp("outsider", "Editor");
    await signedUp("reader", "Viewer");
    const project = `${SECRET}-p`;
    const admin: typeof service.admin = (...call) => service.admin(...call);
    await admin("POST", "/projects", { id: project, name: `The ${SECRET}`, mode: "private" });
    const idOf = (name: string) => users.get(name)?.id;
    await admin("POST", `/projects/${project}/access`, { roles: [4], users: [idOf("owner")] });
    await admin("POST", `/projects/${project}/access`, { roles: [5], users: [idOf("member")] });
    const flag = `${SECRET}-flag`;
    const base = `/projects/${project}/features`;
    await admin("POST", base, { name: flag, description: SECRET });
    await admin("POST", base, { name: `${SECRET}-old` });
    await admin("DELETE", `${base}/${SECRET}-old`);
    await admin("POST", `/projects/${project}/stale`, { features: [flag], stale: true });
    await admin("POST", "/context", { name: `${SECRET}-field`, project });
    const constraint = { contextName: `${SECRET}-field`, operator: "IN", values: [SECRET] };
    const { id: segment } = (await admin("POST", "/segments", {
      name: `${SECRET}-segment`,
      project,
      constraints: [constraint],
    })) as { id: number };
    // What all projects share, and what only the private one uses.
    const { id: shared } = (await admin("POST", "/segments", {
      name: "shared",
      constraints: [],
    })) as { id: number };
    await admin("POST", "/context", { name: "shared-field" });
    await admin("POST", "/tag-types", { name: "team" }).catch(() => undefined);
    await admin("POST", `/features/${flag}/tags`, { type: "simple", value: "shared-tag" });
    const { id: strategy } = (await admin(
      "POST",
      `${base}/${flag}/environments/development/strategies`,
      {
        name: "default",
        segments: [segment, shared],
        constraints: [{ contextName: "shared-field", operator: "IN", values: ["x"] }],
      },
    )) as { id: string };
    strategyOfOthers = strategy;
    await admin("POST", `${base}/${flag}/environments/development/on`);
    await admin("POST", "/api-tokens", {
      tokenName: `${SECRET}-token`,
      type: "backend",
      projects: [project, "default"],
      environment: "development",
    });
    for (const appName of [`${SECRET}-app`, "shared-app"]) {
      const post = (path: string, body: unknown) =>
        service.request(`/api/client${path}`, { method: "POST", token: BACKEND_TOKEN, body });
      const started = new Date().toISOString();
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await post("/register", { appName, instanceId: "i", strategies: [], started, interval: 1 });
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await post("/metrics", {
        appName,
        instanceId: "i",
        bucket: { start: started, stop: started, toggles: { [flag]: { yes: 3, no: 0 } } },
      });
    }
    await admin("POST", "/projects/default/features", { name: "open-flag" });
    Object.assign(names, {
      projectId: project,
      feature: flag,
      segmentId: String(segment),
      contextField: `${SECRET}-field`,
      strategyId: strategy,
      appName: `${SECRET}-app`,
      name: `${SECRET}-token`,
    });
  });

  const fill = (path: string, values: Readonly<Record<string, string>>): string =>
    path
      .slice("/api/admin".length)
      .replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? "development");

  const reading = () =>
    routes.filter(({ method, path }) => method === "GET" && path !== "/api/admin/changes");

  /** Removes what a response repeats of its request. */
  const withoutEcho = (text: string, values: Readonly<Record<string, string>>): string =>
    Object.values(values)
      .filter((value) => value.includes(SECRET))
      .reduce((all, value) => all.replaceAll(value, "…"), text);

  test("nothing that others read contains anything of it", async () => {
    const shared = { segmentId: "2", contextField: "shared-field", appName: "shared-app" };
    const leaks: string[] = [];
    for (const { path } of reading()) {
      for (const values of [names, { ...names, ...shared }, shared]) {
        const filled = fill(path, values);
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const { status, text } = await as("reader", "GET", filled);
        const repeatsName = status !== 200 || /\/(client-metrics|events)\//.test(filled);
        const found = repeatsName ? withoutEcho(text, values) : text;
        if (found.includes(SECRET)) leaks.push(`GET ${filled}: ${status} ${text}`);
      }
    }
    const bodies: readonly (readonly [string, object])[] = [
      ["/playground", { environment: "development", context: {} }],
      ["/playground/advanced", { environments: ["development"], context: {} }],
      ["/features-batch/export", { environment: "development", tag: "shared-tag" }],
      ["/features-batch/export", { environment: "development", features: [names["feature"]] }],
      ["/projects/default/archive/validate", { features: [names["feature"]] }],
    ];
    for (const [path, body] of bodies) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { status, text } = await as("reader", "POST", path, body);
      expect([path, status]).toEqual([path, 200]);
      if (text.replace(/"input":\{[^}]*\}/, "").includes(SECRET))
        leaks.push(`POST ${path}: ${text}`);
    }
    expect(leaks).toEqual([]);
  });

  test("its members read all of it", async () => {
    for (const path of ["/projects", "/search/features", "/archive/features", "/segments"]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await as("member", "GET", path)).text).toContain(SECRET);
    }
    for (const path of ["/metrics/applications", "/events", "/api-tokens", "/cleanup"]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await as("member", "GET", path)).text).toContain(SECRET);
    }
  });

  test("what is hidden does not differ from what does not exist", async () => {
    const unknown = {
      projectId: "nowhere",
      feature: "nothing",
      segmentId: "4711",
      contextField: "no-field",
      strategyId: "no-strategy",
      appName: "no-app",
      name: "no-token",
    };
    const neutral = (text: string, values: Readonly<Record<string, string>>): string =>
      Object.values(values)
        .filter((value) => !/^\d+$/.test(value))
        .reduce((all, value) => all.replaceAll(value, "…"), text)
        .replaceAll(/"(id|timestamp)":"[^"]*"/g, "")
        .replaceAll(/segment \d+/g, "segment");
    for (const route of routes) {
      if (
        route.path === "/api/admin/changes" ||
        !/:(projectId|feature|segmentId|contextField|strategyId|appName|name)\b/.test(route.path)
      )
        continue;
      for (const who of ["reader", "outsider"]) {
        const body = route.method === "GET" || route.method === "DELETE" ? undefined : {};
        const [hidden, missing] = [
          // oxlint-disable-next-line no-await-in-loop -- one after the other
          await as(who, route.method, fill(route.path, names), body),
          // oxlint-disable-next-line no-await-in-loop -- one after the other
          await as(who, route.method, fill(route.path, unknown), body),
        ];
        expect([who, route.id, hidden.status, neutral(hidden.text, names)]).toEqual([
          who,
          route.id,
          missing.status,
          neutral(missing.text, unknown),
        ]);
      }
    }
  });

  test("others change nothing in it", async () => {
    const { feature = "", projectId = "", segmentId = "" } = names;
    const constraints: readonly unknown[] = [];
    const attempts: readonly (readonly [string, string, unknown, number])[] = [
      ["POST", "/segments", { name: "s", project: projectId, constraints }, 400],
      ["PUT", "/segments/2", { name: "shared", project: projectId, constraints }, 400],
      ["POST", "/context", { name: "f", project: projectId }, 400],
      ["PUT", "/context/shared-field", { project: projectId }, 400],
      [
        "POST",
        "/segments/strategies",
        { projectId, strategyId: strategyOfOthers, environmentId: "development", segmentIds: [] },
        404,
      ],
      [
        "POST",
        "/features-batch/import",
        {
          project: projectId,
          environment: "development",
          data: { features: [], featureStrategies: [] },
        },
        404,
      ],
      // As for projects that do not exist.
      ...[projectId, "nowhere"].flatMap((id): (readonly [string, string, unknown, number])[] => {
        const file = { version: 1, features: [] };
        return [
          ["POST", "/import", { file, project: id }, 404],
          ["POST", "/import", { file, projects: { default: id } }, 404],
        ];
      }),
      ["POST", "/features/validate", { name: "x", projectId }, 404],
      ["DELETE", "/tags/simple/shared-tag", undefined, 403],
      ["PUT", `/features/${feature}/tags`, { addedTags: [], removedTags: [] }, 404],
      ["POST", `/archive/revive/${SECRET}-old`, undefined, 404],
      ["DELETE", `/segments/${segmentId}`, undefined, 404],
    ];
    for (const [method, path, body, status] of attempts) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const answer = await as("outsider", method, path, body);
      expect([method, path, answer.status, answer.text]).toEqual([
        method,
        path,
        status,
        expect.any(String),
      ]);
    }
    // An error names nothing of it either.
    for (const path of ["/segments/2", "/context/shared-field"]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { status, text } = await as("outsider", "DELETE", path);
      expect([path, status]).toEqual([path, 409]);
      expect(text).not.toContain(SECRET);
    }
  });

  test("a member changes flags, and an owner also the project and its tokens", async () => {
    const { projectId } = names;
    const flags = `/projects/${projectId}/features`;
    expect((await as("member", "POST", flags, { name: "by-member" })).status).toBe(201);
    expect((await as("reader", "POST", flags, { name: "x" })).status).toBe(404);
    const settings = `/projects/${projectId}/settings`;
    expect((await as("member", "PUT", settings, { mode: "open" })).status).toBe(403);
    expect((await as("owner", "PUT", settings, { mode: "private" })).status).toBe(200);
    const tokens = `/projects/${projectId}/api-tokens`;
    const token = { tokenName: "own", type: "backend", environment: "development" };
    expect((await as("member", "POST", tokens, token)).status).toBe(403);
    expect((await as("owner", "POST", tokens, token)).status).toBe(201);
    // Neither gives more: not outside of the project, and not for all projects.
    for (const who of ["member", "owner"]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await as(who, "POST", "/api-tokens", token)).status).toBe(403);
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const elsewhere = await as(who, "POST", "/projects/default/features", { name: "x" });
      expect(elsewhere.status).toBe(403);
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await as(who, "DELETE", `/projects/${projectId}`)).status).toBe(403);
    }
    const file = {
      version: 1,
      project: projectId,
      features: [],
      tagTypes: [{ name: "new-type" }],
    };
    const imported = await as("member", "POST", `/projects/${projectId}/import`, file);
    expect([imported.status, imported.text]).toEqual([403, expect.stringContaining("share")]);
  });

  test("a protected project is read by everyone, and changed by members", async () => {
    await service.admin("POST", "/projects", { id: "walled", name: "W", mode: "protected" });
    await service.admin("POST", "/projects/walled/access", {
      roles: [5],
      users: [users.get("member")?.id],
    });
    const flags = "/projects/walled/features";
    expect((await as("outsider", "GET", flags)).status).toBe(200);
    expect((await as("outsider", "POST", flags, { name: "w1" })).status).toBe(403);
    expect((await as("member", "POST", flags, { name: "w1" })).status).toBe(201);
    const { text } = await as("outsider", "GET", "/projects/walled");
    expect(JSON.parse(text)).toMatchObject({ mode: "protected", callerRole: "viewer" });
  });

  test("the last owner can neither leave nor become a member", async () => {
    const { projectId } = names;
    const owner = users.get("owner")?.id;
    const path = `/projects/${projectId}/users/${owner}/roles`;
    const access = `/projects/${projectId}/access`;
    for (const answer of [
      await as("owner", "DELETE", path),
      await as("owner", "PUT", path, { roles: [5] }),
      await as("owner", "PUT", access, { roles: [] }),
    ]) {
      expect([answer.status, answer.text]).toEqual([403, expect.stringContaining("no owner")]);
    }
    const member = users.get("member")?.id;
    const both = { roles: [{ id: 4, users: [owner, member] }] };
    expect((await as("owner", "PUT", access, both)).status).toBe(200);
    expect((await as("owner", "DELETE", path)).status).toBe(200);
    expect((await as("owner", "GET", access)).status).toBe(404);
    const { text } = await as("member", "GET", access);
    expect(JSON.parse(text)).toMatchObject({
      users: [{ id: member, username: "member", roleId: 4, roles: [4] }],
      groups: [],
      roles: [
        { id: 4, name: "Owner" },
        { id: 5, name: "Member" },
      ],
    });
    await service.admin("PUT", access, {
      roles: [
        { id: 4, users: [owner] },
        { id: 5, users: [member] },
      ],
    });
  });

  test.each([
    ["POST", { roles: [1], users: [1] }, "/body/roles/0 must be 4"],
    ["POST", { roles: [4], users: [99_999] }, "there is no user 99999"],
    ["POST", { roles: [4], users: [1], groups: [1] }, "Groups are not supported|/body/groups"],
    ["PUT", { roles: [{ id: 9, users: [1] }] }, "/body/roles/0/id must be 4"],
  ] as const)("%s access %j is refused", async (method, body, message) => {
    const answer = await as("owner", method, `/projects/${names["projectId"]}/access`, body);
    expect(answer.status).toBe(400);
    expect(answer.text).toMatch(RegExp(message));
  });

  test("tools find the roles and permissions", async () => {
    const roles = JSON.parse((await as("reader", "GET", "/roles")).text) as {
      roles: { id: number; name: string; type: string }[];
    };
    expect(roles.roles.map(({ id, name, type }) => [id, name, type])).toEqual([
      [1, "Admin", "root"],
      [2, "Editor", "root"],
      [3, "Viewer", "root"],
      [4, "Owner", "project"],
      [5, "Member", "project"],
    ]);
    expect((await as("reader", "GET", "/roles/4")).text).toContain("PROJECT_USER_ACCESS_WRITE");
    expect((await as("reader", "GET", "/roles/5")).text).not.toContain("PROJECT_USER_ACCESS_WRITE");
    expect((await as("reader", "GET", "/roles/77")).status).toBe(404);
    expect(JSON.parse((await as("reader", "GET", "/permissions")).text)).toMatchObject({
      permissions: {
        root: expect.arrayContaining([expect.objectContaining({ name: "ADMIN" })]) as unknown,
        environments: [{ name: "development" }, { name: "production" }],
      },
    });
  });

  test("a personal token and a changed mode apply at once", async () => {
    const { projectId } = names;
    const created = await as("member", "POST", "/user/tokens", {
      description: "script",
      expiresAt: new Date(Date.now() + 60_000).toISOString(),
    });
    const { secret } = JSON.parse(created.text) as { secret: string };
    const read = async () =>
      (await service.request(`/api/admin/projects/${projectId}`, { token: secret })).status;
    expect(await read()).toBe(200);
    const member = users.get("member")?.id;
    await service.admin("DELETE", `/projects/${projectId}/users/${member}/roles`);
    expect(await read()).toBe(404);
    await service.admin("PUT", `/projects/${projectId}/settings`, { mode: "open" });
    expect(await read()).toBe(200);
    await service.admin("PUT", `/projects/${projectId}/settings`, { mode: "private" });
  });
});
