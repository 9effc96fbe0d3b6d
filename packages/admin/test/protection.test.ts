import { beforeAll, expect, test } from "vitest";
import { createUser, logIn } from "./_accounts.ts";
import { type DescribedRoute, readDescribedRoutes } from "./_routes.ts";
import { ADMIN_TOKEN, KNOWS_SEGMENTS, PRODUCTION_TOKEN, useService } from "./_service.ts";
import { describeAnyStorage } from "./_storages.ts";

const STRATEGY = { name: "flexibleRollout", parameters: { rollout: "50", stickiness: "default" } };

describeAnyStorage("an environment that requires approvals", (source) => {
  const service = useService(source);
  const FLAG = "/projects/default/features/guarded";
  const PRODUCTION = `${FLAG}/environments/production`;
  let strategy = "";
  let segment = 0;

  const asAdmin = (method: string, path: string, body?: unknown) =>
    service.request(`/api/admin${path}`, { method, token: ADMIN_TOKEN, body });

  /** What SDKs read of production, with its version. */
  const served = async (): Promise<string> => {
    const response = await service.request("/api/client/features", {
      token: PRODUCTION_TOKEN,
      headers: KNOWS_SEGMENTS,
    });
    return response.text();
  };

  beforeAll(async () => {
    const admin: typeof service.admin = (...call) => service.admin(...call);
    ({ id: segment } = (await admin("POST", "/segments", {
      name: "customers",
      constraints: [{ contextName: "userId", operator: "IN", values: ["1"] }],
    })) as { id: number });
    await admin("POST", "/projects/default/features", { name: "parent" });
    await admin("POST", "/projects/default/features", { name: "guarded" });
    await admin("POST", "/projects/default/features", { name: "archived" });
    for (const name of ["parent", "guarded", "archived"]) {
      const at = `/projects/default/features/${name}/environments/production`;
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { id } = (await admin("POST", `${at}/strategies`, {
        ...STRATEGY,
        segments: [segment],
      })) as { id: string };
      if (name === "guarded") strategy = id;
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await admin("POST", `${at}/on`);
    }
    await admin("DELETE", "/projects/default/features/archived");
    await admin("POST", "/projects", { id: "other", name: "Other" });
    await admin("PUT", "/environments/update/production", { requiredApprovals: 1 });
  });

  test("shows the protection with the environment and with each project", async () => {
    expect(await service.admin("GET", "/environments/production")).toMatchObject({
      protection: "approvals",
      requiredApprovals: 1,
    });
    expect(await service.admin("GET", "/projects/default/change-requests/config")).toEqual([
      {
        environment: "development",
        type: "development",
        changeRequestEnabled: false,
        requiredApprovals: null,
      },
      {
        environment: "production",
        type: "production",
        changeRequestEnabled: true,
        requiredApprovals: 1,
      },
    ]);
  });

  const segmentBody = (): unknown => ({
    name: "customers",
    constraints: [{ contextName: "userId", operator: "IN", values: ["2"] }],
  });
  const importBody = (): unknown => ({
    version: 1,
    features: [
      {
        name: "guarded",
        environments: [{ name: "production", enabled: false, strategies: [] }],
      },
    ],
  });

  /** Requests that would change for whom flags are on in production. */
  const CHANGES: readonly [method: string, path: string, body?: () => unknown][] = [
    ["POST", `${PRODUCTION}/strategies`, () => STRATEGY],
    ["PUT", `${PRODUCTION}/strategies/:strategy`, () => ({ ...STRATEGY, parameters: {} })],
    [
      "PATCH",
      `${PRODUCTION}/strategies/:strategy`,
      () => [{ op: "replace", path: "/disabled", value: true }],
    ],
    ["DELETE", `${PRODUCTION}/strategies/:strategy`],
    ["POST", `${PRODUCTION}/strategies/set-sort-order`, () => [{ id: strategy, sortOrder: 7 }]],
    [
      "POST",
      "/segments/strategies",
      () => ({
        projectId: "default",
        strategyId: strategy,
        environmentId: "production",
        segmentIds: [],
      }),
    ],
    ["PUT", `${PRODUCTION}/rules`, () => ({ strategies: [STRATEGY], variants: [] })],
    ["PUT", `${PRODUCTION}/variants`, () => [{ name: "a", weight: 1000 }]],
    [
      "PATCH",
      `${PRODUCTION}/variants`,
      () => [{ op: "add", path: "/0", value: { name: "a", weight: 1000 } }],
    ],
    [
      "PUT",
      `${FLAG}/variants-batch`,
      () => ({ environments: ["production"], variants: [{ name: "a", weight: 1000 }] }),
    ],
    [
      "POST",
      "/projects/default/bulk_features/environments/production/on",
      () => ({ features: ["fresh"] }),
    ],
    ["DELETE", FLAG],
    ["POST", "/projects/default/archive", () => ({ features: ["guarded"] })],
    ["POST", "/archive/revive/archived"],
    ["POST", "/projects/default/revive", () => ({ features: ["archived"] })],
    ["POST", `${FLAG}/dependencies`, () => ({ feature: "parent" })],
    ["POST", `${FLAG}/changeProject`, () => ({ newProjectId: "other" })],
    ["PUT", "/segments/:segment", segmentBody],
    ["DELETE", "/projects/default/environments/production"],
  ];

  test.each(CHANGES)("%s %s is a 403 and changes nothing", async (method, path, body) => {
    await asAdmin("POST", "/projects/default/features", { name: "fresh" });
    const before = await served();
    const response = await asAdmin(
      method,
      path.replace(":strategy", strategy).replace(":segment", String(segment)),
      body?.(),
    );
    expect([response.status, await response.json()]).toEqual([
      403,
      expect.objectContaining({
        name: "PermissionError",
        message:
          'Changes in the environment "production" of the project "default" require 1 approval: request this one with POST /api/admin/projects/default/environments/production/change-requests',
      }),
    ]);
    expect(await served()).toBe(before);
  });

  test.each([
    ["/projects/default/import", importBody],
    ["/import", (): unknown => ({ file: importBody(), project: "default", overwrite: true })],
    [
      "/features-batch/import",
      (): unknown => ({
        project: "default",
        environment: "production",
        data: {
          features: [{ name: "guarded" }],
          featureEnvironments: [
            { name: "guarded", featureName: "guarded", environment: "production", enabled: false },
          ],
          featureStrategies: [],
        },
      }),
    ],
  ])("POST %s makes a request in review instead", async (path: string, body: () => unknown) => {
    const before = await served();
    const response = await asAdmin("POST", path, body());
    const request = (await response.json()) as { id: number };
    expect([response.status, request]).toEqual([
      202,
      expect.objectContaining({ state: "In review", environment: "production" }),
    ]);
    expect(response.headers.get("location")).toBe(`projects/default/change-requests/${request.id}`);
    expect(await served()).toBe(before);
  });

  test("a flag that is off in production can be prepared in other environments", async () => {
    const base = "/projects/default/features/prepared";
    await service.admin("POST", "/projects/default/features", { name: "prepared" });
    await service.admin("POST", `${base}/environments/development/on`);
    await service.admin("POST", `${base}/dependencies`, { feature: "parent" });
    await service.admin("POST", `${FLAG}/clone`, { name: "copy" });
    await service.admin("DELETE", base);
  });

  test("a flag can be turned off at once, with a reason that is recorded", async () => {
    await service.admin("POST", "/environments", { name: "live", type: "production" });
    await service.admin("POST", "/projects/default/environments", { environment: "live" });
    const at = `${FLAG}/environments/live`;
    await service.admin("POST", `${at}/on`);
    await service.admin("PUT", "/projects/default/environments/live/change-requests/config", {
      changeRequestsEnabled: true,
      requiredApprovals: 2,
    });
    const refused = await asAdmin("POST", `${at}/off`);
    expect([refused.status, await refused.json()]).toEqual([
      400,
      expect.objectContaining({
        message:
          "Bad request: /body/reason is missing: changes in this environment require approvals, so say why the flag is turned off without them",
      }),
    ]);
    await service.admin("POST", `${at}/off`, { reason: "Payments fail" });
    expect(await service.admin("GET", at)).toMatchObject({ enabled: false });
    expect(await service.admin("GET", "/search/events?feature=IS:guarded&limit=2")).toMatchObject({
      events: [
        {
          type: "feature-environment-disabled-without-approval",
          environment: "live",
          data: { reason: "Payments fail" },
        },
        { type: "feature-environment-disabled", environment: "live" },
      ],
    });
  });

  test("a project can require more approvals than the environment, but not fewer", async () => {
    const path = "/projects/other/environments/production/change-requests/config";
    await service.admin("PUT", path, { changeRequestsEnabled: true, requiredApprovals: 3 });
    expect(await service.admin("GET", "/projects/other/change-requests/config")).toMatchObject([
      {},
      { environment: "production", changeRequestEnabled: true, requiredApprovals: 3 },
    ]);
    const { projects } = (await service.admin("GET", "/projects")) as {
      readonly projects: readonly { readonly id: string }[];
    };
    expect(projects.find(({ id }) => id === "other")).toMatchObject({
      changeRequestEnvironments: [{ name: "production", requiredApprovals: 3 }],
    });
    const response = await asAdmin("PUT", path, { changeRequestsEnabled: false });
    expect([response.status, await response.json()]).toEqual([
      403,
      expect.objectContaining({
        message:
          'The environment "production" requires at least 1 approvals in every project: ask an admin to change the environment',
      }),
    ]);
  });

  test("no route that takes the flag, the segment or the project changes what production serves", async () => {
    const routes = await readDescribedRoutes(service.app);
    const { username } = await createUser(service, "owner", "Admin");
    const headers = { ...(await logIn(service, username)), "content-type": "application/json" };
    const before = await served();
    const tried: string[] = [];
    for (const { method, path } of routes.filter(isChange)) {
      for (const body of [undefined, '{"features":["guarded"]}']) {
        const address = fill(path);
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await service.request(address, {
          method,
          headers,
          ...(body !== undefined && { body }),
        });
        tried.push(`${method} ${address}`);
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        expect([`${method} ${path}`, await served()]).toEqual([`${method} ${path}`, before]);
      }
    }
    expect(tried.length).toBeGreaterThan(100);
  });

  /** Turning a flag off is allowed with a reason, and admins may change the protection itself. */
  const isChange = ({ method, path }: DescribedRoute): boolean =>
    method !== "GET" &&
    path.startsWith("/api/admin/") &&
    !/change-password|\/user\/sessions|\/environments\/update\//.test(path);

  const fill = (path: string): string =>
    path
      .replace(":projectId", "default")
      .replace(":feature", "guarded")
      .replace(":environment", "production")
      .replace(":strategyId", strategy)
      .replace(":segmentId", String(segment))
      .replaceAll(/:\w+/g, "1");
});
