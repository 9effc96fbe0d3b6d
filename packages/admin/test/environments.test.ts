import { expect, test } from "vitest";
import { useAdmin } from "./_admin.ts";
import { describeAnyStorage } from "./_storages.ts";

interface EnvironmentResponse {
  readonly name: string;
  readonly type: string;
  readonly sortOrder: number;
}

interface StateResponse {
  readonly enabled: boolean;
  readonly strategies: readonly { readonly id: string; readonly segments: readonly number[] }[];
}

const BAD = { status: 400, name: "BadDataError" };
const REFUSED = { status: 403, name: "InvalidOperationError" };
const MISSING = { status: 404, name: "NotFoundError" };

describeAnyStorage("environments", (source) => {
  const admin = useAdmin(source);

  const namesOf = async (): Promise<string[]> => {
    const { body } = await admin.must<{ environments: readonly EnvironmentResponse[] }>(
      200,
      "GET",
      "/environments",
    );
    return body.environments.map(({ name }) => name);
  };
  const create = (name: string) =>
    admin.must(201, "POST", "/environments", { name, type: "production" });

  test("PUT /environments/update/{name} replaces the given properties, and records this", async () => {
    await create("staging");
    const recorded = await admin.eventsOf(async () => {
      const { body } = await admin.must(200, "PUT", "/environments/update/staging", {
        type: "test",
      });
      expect(body).toMatchObject({ name: "staging", type: "test", enabled: true });
    });
    expect(recorded).toEqual([
      expect.objectContaining({
        type: "environment-updated",
        environment: "staging",
        preData: expect.objectContaining({ type: "production" }),
        data: expect.objectContaining({ type: "test" }),
      }),
    ]);
    const again = { type: "test", requiredApprovals: null };
    const unchanged = await admin.eventsOf(() =>
      admin.must(200, "PUT", "/environments/update/staging", again),
    );
    expect(unchanged).toEqual([]);
  });

  test.each([
    ["/body/type", { type: "" }],
    ["/body/sortOrder", { sortOrder: -1 }],
    ["/body/requiredApprovals", { requiredApprovals: 0 }],
    ["/body/requiredApprovals", { requiredApprovals: 11 }],
    ["/body/requiredApprovals", { protection: "confirm", requiredApprovals: 2 }],
    ["/body/protection", { protection: "some" }],
  ])("PUT /environments/update/{name} refuses a bad value at %s", async (path, body) => {
    await admin.refuse({ ...BAD, path }, "PUT", "/environments/update/development", body);
    await admin.refuse(MISSING, "PUT", "/environments/update/none", { type: "test" });
  });

  test("a number of approvals implies the protection, and null ends it", async () => {
    const body = { name: "guarded", type: "production", requiredApprovals: 2 };
    const created = await admin.must(201, "POST", "/environments", body);
    expect(created.body).toMatchObject({ protection: "approvals", requiredApprovals: 2 });
    for (const [change, protection, requiredApprovals] of [
      [{ type: "test" }, "approvals", 2],
      [{ requiredApprovals: null }, "none", null],
      [{ protection: "confirm" }, "confirm", null],
      [{ requiredApprovals: null }, "confirm", null],
      [{ protection: "approvals" }, "approvals", 1],
      [{ protection: "none" }, "none", null],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const changed = await admin.must(200, "PUT", "/environments/update/guarded", change);
      expect([change, changed.body]).toEqual([
        change,
        expect.objectContaining({ protection, requiredApprovals }),
      ]);
    }
  });

  test("PUT /environments/sort-order orders all or none", async () => {
    await create("first");
    await admin.must(200, "PUT", "/environments/sort-order", { first: 0, production: 1 });
    expect((await namesOf()).slice(0, 2)).toEqual(["first", "production"]);
    await admin.refuse({ ...BAD, path: "/body" }, "PUT", "/environments/sort-order", {
      first: 7,
      none: 1,
    });
    await admin.refuse(BAD, "PUT", "/environments/sort-order", { first: "7" });
  });

  test("DELETE /environments/{name} deletes only what nothing uses", async () => {
    await create("unused");
    await admin.must(200, "POST", "/projects/default/environments", { environment: "unused" });
    const inProject = await admin.refuse(REFUSED, "DELETE", "/environments/unused");
    expect(inProject.body.message).toContain('"default"');
    await admin.must(200, "DELETE", "/projects/default/environments/unused");

    const token = { tokenName: "reader", type: "client", environment: "unused" };
    const { body } = await admin.must<{ id: string }>(201, "POST", "/api-tokens", token);
    const withToken = await admin.refuse(REFUSED, "DELETE", "/environments/unused");
    expect(withToken.body.message).toContain('"reader"');
    await admin.must(200, "DELETE", `/api-tokens/${body.id}`);

    const recorded = await admin.eventsOf(() => admin.must(200, "DELETE", "/environments/unused"));
    expect(recorded).toEqual([
      expect.objectContaining({ type: "environment-deleted", environment: "unused", data: null }),
    ]);
    await admin.refuse(MISSING, "DELETE", "/environments/unused");
    await create("unused");
  });

  test("DELETE /environments/{name} spares the flags of archived projects", async () => {
    await create("kept");
    await admin.must(201, "POST", "/projects", { id: "old", name: "Old", environments: ["kept"] });
    await admin.must(200, "POST", "/projects/archive/old");
    await admin.refuse(REFUSED, "DELETE", "/environments/kept");
  });

  test("POST /environments/{name}/clone copies states, strategies, segments and variants", async () => {
    const flag = "/projects/default/features/cloned";
    await admin.must(201, "POST", "/projects/default/features", { name: "cloned" });
    const segment = await admin.must<{ id: number }>(201, "POST", "/segments", {
      name: "members",
      constraints: [],
    });
    const from = `${flag}/environments/development`;
    await admin.must(200, "POST", `${from}/strategies`, {
      name: "flexibleRollout",
      parameters: { rollout: "20", stickiness: "default", groupId: "cloned" },
      segments: [segment.body.id],
    });
    await admin.must(200, "POST", `${from}/on`);
    await admin.must(200, "PUT", `${from}/variants`, [
      { name: "blue", weight: 1000, weightType: "variable", stickiness: "default" },
    ]);
    await admin.must(201, "POST", "/projects", { id: "bare", name: "Bare", environments: [] });

    const { body } = await admin.must(200, "POST", "/environments/development/clone", {
      name: "copy",
      type: "test",
      clonePermissions: true,
    });
    expect(body).toMatchObject({ name: "copy", type: "test", enabled: true });
    const original = (await admin.must<StateResponse>(200, "GET", from)).body;
    const copied = (await admin.must<StateResponse>(200, "GET", `${flag}/environments/copy`)).body;
    expect(copied).toEqual({
      ...original,
      environment: "copy",
      strategies: original.strategies.map((strategy) => ({
        ...strategy,
        id: expect.not.stringMatching(strategy.id),
      })),
    });
    expect(copied).toMatchObject({
      enabled: true,
      strategies: [expect.objectContaining({ segments: [segment.body.id] })],
    });
    expect((await admin.must(200, "GET", `${flag}/environments/copy/variants`)).body).toMatchObject(
      {
        variants: [{ name: "blue" }],
      },
    );
    expect((await admin.must(200, "GET", "/projects/bare")).body).toMatchObject({
      environments: [],
    });
  });

  test("POST /environments/{name}/clone copies only the given projects", async () => {
    await admin.must(201, "POST", "/projects", { id: "shop", name: "Shop" });
    await admin.must(201, "POST", "/projects/shop/features", { name: "shop-flag" });
    const path = "/environments/production/clone";
    const body = { name: "shop-copy", type: "production", projects: ["shop"] };
    await admin.must(200, "POST", path, body);
    await admin.must(200, "GET", "/projects/shop/features/shop-flag/environments/shop-copy");
    const { body: projects } = await admin.must<{ environments: readonly object[] }>(
      200,
      "GET",
      "/projects/default",
    );
    expect(projects.environments).toContainEqual({ environment: "production" });
    expect(projects.environments).not.toContainEqual({ environment: "shop-copy" });
    await admin.refuse({ ...BAD, path: "/body/projects" }, "POST", path, {
      ...body,
      name: "other-copy",
      projects: ["none"],
    });
    await admin.refuse({ status: 409, name: "NameExistsError" }, "POST", path, body);
    await admin.refuse(MISSING, "POST", "/environments/none/clone", { ...body, name: "x" });
  });
});
