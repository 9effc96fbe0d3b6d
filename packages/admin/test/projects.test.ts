import { sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { useAdmin } from "./_admin.ts";
import type { ProjectResponse } from "./_responses.ts";
import { describeAnyStorage } from "./_storages.ts";

interface Projects {
  readonly version: number;
  readonly projects: readonly ProjectResponse[];
}

interface EnvironmentsOfProject {
  readonly environments: readonly { readonly visible: boolean }[];
}

describeAnyStorage("projects and environments", (source) => {
  const admin = useAdmin(source);

  const idsOf = async (query = ""): Promise<string[]> => {
    const { body } = await admin.must<Projects>(200, "GET", `/projects${query}`);
    expect(body.version).toBe(1);
    return body.projects.map(({ id }) => id);
  };

  describe("POST /api/admin/projects", () => {
    test("creates a project in all enabled environments, and records this", async () => {
      const recorded = await admin.eventsOf(async () => {
        const response = await admin.must(201, "POST", "/projects", {
          id: "shop",
          name: "The shop",
          description: "d",
          defaultStickiness: "userId",
        });
        expect(response.headers.get("location")).toBe("projects/shop");
        expect(response.body).toMatchObject({
          id: "shop",
          name: "The shop",
          description: "d",
          defaultStickiness: "userId",
          archivedAt: null,
          environments: ["development", "production"],
        });
      });
      expect(recorded).toEqual([
        expect.objectContaining({
          type: "project-created",
          project: "shop",
          preData: null,
          data: expect.objectContaining({ id: "shop" }),
        }),
      ]);
      expect((await admin.must(200, "GET", "/projects/shop")).body).toMatchObject({
        mode: "open",
        environments: [{ environment: "development" }, { environment: "production" }],
      });
    });

    test.each([
      ["Die Küche!", "die-kuche"],
      ["Die Küche", "die-kuche-1"],
      ["日本", "project"],
      ["Archive", "archive-1"],
    ])("derives an id from the name %s", async (name, id) => {
      const { body } = await admin.must<ProjectResponse>(201, "POST", "/projects", { name });
      expect(body.id).toBe(id);
    });

    test("uses the given environments", async () => {
      const { body } = await admin.must<ProjectResponse>(201, "POST", "/projects", {
        name: "One",
        environments: ["production", "production"],
      });
      expect(body.environments).toEqual(["production"]);
      const none = await admin.must<ProjectResponse>(201, "POST", "/projects", {
        name: "Bare",
        environments: [],
      });
      expect(none.body.environments).toEqual([]);
    });

    test.each([
      ["/body/name", {}],
      ["/body/name", { name: " " }],
      ["/body/id", { name: "x", id: "archive" }],
      ["/body/id", { name: "x", id: "a b" }],
      ["/body/id", { name: "x", id: 5 }],
      ["/body/environments/1", { name: "x", environments: ["production", "none"] }],
      ["/body/environments", { name: "x", environments: "production" }],
    ])("rejects an invalid body at %s: %j", async (path, body) => {
      await admin.refuse({ status: 400, name: "BadDataError", path }, "POST", "/projects", body);
    });

    test("rejects an id that is taken", async () => {
      const taken = { status: 409, name: "NameExistsError" };
      await admin.refuse(taken, "POST", "/projects", { name: "x", id: "default" });
      await admin.refuse(taken, "POST", "/projects/validate", { id: "default" });
      await admin.must(200, "POST", "/projects/validate", { id: "available" });
      await admin.refuse({ status: 400, name: "BadDataError" }, "POST", "/projects/validate", {
        id: "a b",
      });
    });
  });

  describe("reading projects", () => {
    test("counts active flags and lists environments", async () => {
      await admin.must(201, "POST", "/projects/shop/features", { name: "shop-1" });
      await admin.must(201, "POST", "/projects/shop/features", { name: "shop-2" });
      await admin.must(202, "DELETE", "/projects/shop/features/shop-2");
      const { body } = await admin.must<Projects>(200, "GET", "/projects");
      expect(body.projects.find(({ id }) => id === "shop")).toMatchObject({
        featureCount: 1,
        environments: ["development", "production"],
      });
      expect((await admin.must(200, "GET", "/projects/shop/overview")).body).toMatchObject({
        version: 1,
        name: "The shop",
        environments: [{ environment: "development" }, { environment: "production" }],
        featureTypeCounts: [{ type: "release", count: 1 }],
      });
    });

    test("rejects unknown projects and invalid filters", async () => {
      const missing = { status: 404, name: "NotFoundError" };
      await admin.refuse(missing, "GET", "/projects/none");
      await admin.refuse(missing, "GET", "/projects/none/overview");
      await admin.refuse({ status: 400, name: "BadDataError" }, "GET", "/projects?archived=maybe");
    });
  });

  describe("PUT /api/admin/projects/{projectId}", () => {
    test("replaces the given properties and no others", async () => {
      const before = (await admin.must<ProjectResponse>(200, "GET", "/projects/shop")).body;
      const recorded = await admin.eventsOf(() =>
        admin.must(200, "PUT", "/projects/shop", { description: null }),
      );
      expect(recorded).toEqual([
        expect.objectContaining({
          type: "project-updated",
          project: "shop",
          preData: expect.objectContaining({ description: "d" }),
          data: expect.objectContaining({ description: null, name: "The shop" }),
        }),
      ]);
      expect((await admin.must(200, "GET", "/projects/shop")).body).toEqual({
        ...before,
        description: null,
        updatedAt: expect.any(String),
      });
      expect(
        await admin.eventsOf(() => admin.must(200, "PUT", "/projects/shop", { name: "The shop" })),
      ).toEqual([]);
    });

    test("rejects invalid bodies and unknown projects", async () => {
      await admin.refuse({ status: 400, name: "BadDataError" }, "PUT", "/projects/shop", {
        name: "",
      });
      await admin.refuse({ status: 404, name: "NotFoundError" }, "PUT", "/projects/none", {});
    });
  });

  describe("archiving projects", () => {
    test("rejects a project with active flags and the default project", async () => {
      await admin.refuse(
        { status: 403, name: "InvalidOperationError" },
        "POST",
        "/projects/archive/shop",
      );
      await admin.refuse(
        { status: 403, name: "InvalidOperationError" },
        "POST",
        "/projects/archive/default",
      );
    });

    test("archives and revives a project, and ignores repetitions", async () => {
      await admin.must(202, "DELETE", "/projects/shop/features/shop-1");
      const archived = await admin.eventsOf(() =>
        admin.must(200, "POST", "/projects/archive/shop"),
      );
      expect(archived).toEqual([
        expect.objectContaining({
          type: "project-archived",
          preData: expect.objectContaining({ archivedAt: null }),
          data: expect.objectContaining({ archivedAt: expect.any(String) }),
        }),
      ]);
      expect(await admin.eventsOf(() => admin.must(200, "POST", "/projects/archive/shop"))).toEqual(
        [],
      );
      expect(await idsOf()).not.toContain("shop");
      expect(await idsOf("?archived=true")).toEqual(["shop"]);
      const missing = { status: 404, name: "NotFoundError" };
      await admin.refuse(missing, "POST", "/projects/shop/features", { name: "late" });
      await admin.refuse(missing, "PUT", "/projects/shop", { name: "x" });

      const revived = await admin.eventsOf(() => admin.must(200, "POST", "/projects/revive/shop"));
      expect(revived.map(({ type }) => type)).toEqual(["project-revived"]);
      expect(await admin.eventsOf(() => admin.must(200, "POST", "/projects/revive/shop"))).toEqual(
        [],
      );
      expect(await idsOf()).toContain("shop");
    });

    test("rejects unknown projects", async () => {
      const missing = { status: 404, name: "NotFoundError" };
      await admin.refuse(missing, "POST", "/projects/archive/none");
      await admin.refuse(missing, "POST", "/projects/revive/none");
    });
  });

  describe("environments", () => {
    test("lists the built-in environments with their usage", async () => {
      const { body } = await admin.must(200, "GET", "/environments");
      expect(body).toEqual({
        version: 1,
        environments: [
          expect.objectContaining({
            name: "development",
            type: "development",
            enabled: true,
            protected: false,
            sortOrder: 2,
            requiredApprovals: null,
            apiTokenCount: 2,
            enabledToggleCount: 0,
          }),
          expect.objectContaining({ name: "production", sortOrder: 3 }),
        ],
      });
    });

    test("creates an environment, and adds it to and removes it from a project", async () => {
      const recorded = await admin.eventsOf(async () => {
        const { body, headers } = await admin.must(201, "POST", "/environments", {
          name: "staging",
          type: "test",
          sortOrder: 1,
        });
        expect(headers.get("location")).toBe("environments/staging");
        expect(body).toMatchObject({ name: "staging", type: "test", enabled: true, sortOrder: 1 });
      });
      expect(recorded.map(({ type, environment }) => [type, environment])).toEqual([
        ["environment-created", "staging"],
      ]);

      await admin.must(201, "POST", "/projects/default/features", { name: "everywhere" });
      const added = await admin.eventsOf(() =>
        admin.must(200, "POST", "/projects/default/environments", { environment: "staging" }),
      );
      expect(added).toEqual([
        expect.objectContaining({
          type: "project-environment-added",
          project: "default",
          environment: "staging",
        }),
      ]);
      const path = "/projects/default/features/everywhere/environments/staging";
      await admin.must(200, "POST", `${path}/on`);
      expect((await admin.must(200, "GET", path)).body).toMatchObject({ enabled: true });
      await admin.refuse(
        { status: 409, name: "NameExistsError" },
        "POST",
        "/projects/default/environments",
        { environment: "staging" },
      );
      const { body } = await admin.must<EnvironmentsOfProject>(
        200,
        "GET",
        "/environments/project/default",
      );
      expect(body.environments.map(({ visible }) => visible)).toEqual([true, true, true]);

      await admin.must(200, "DELETE", "/projects/default/environments/staging");
      const missing = { status: 404, name: "NotFoundError" };
      await admin.refuse(missing, "GET", path);
      const refused = await admin.refuse(missing, "POST", `${path}/on`);
      expect(refused.body.message).toBe(
        'The project "default" does not contain the environment "staging": add it in the project settings, or with POST /api/admin/projects/default/environments',
      );
      expect(
        await admin.eventsOf(() =>
          admin.must(200, "DELETE", "/projects/default/environments/staging"),
        ),
      ).toEqual([]);
    });

    test("adds an environment to a project with more flags than a statement has parameters", async () => {
      await admin.must(201, "POST", "/projects", { id: "old", name: "Old", environments: [] });
      await admin.storage.db.execute(sql`
        insert into features (name, project, created_by, archived_at)
        select 'old-' || number, 'old', 'test', now() from generate_series(1, 33000) as number`);
      const environment = "production";
      await admin.must(200, "POST", "/projects/old/environments", { environment });
      await admin.must(200, "POST", "/projects/old/revive", { features: ["old-33000"] });
      await admin.must(200, "GET", "/projects/old/features/old-33000/environments/production");
      await admin.storage.db.execute(sql`delete from features where project = 'old'`);
    });

    test("turns an environment on and off, and ignores repetitions", async () => {
      const off = await admin.eventsOf(() => admin.must(204, "POST", "/environments/staging/off"));
      expect(off).toEqual([
        expect.objectContaining({
          type: "environment-disabled",
          environment: "staging",
          preData: expect.objectContaining({ enabled: true }),
          data: expect.objectContaining({ enabled: false }),
        }),
      ]);
      expect(
        await admin.eventsOf(() => admin.must(204, "POST", "/environments/staging/off")),
      ).toEqual([]);
      const project = await admin.must<ProjectResponse>(201, "POST", "/projects", { name: "Late" });
      expect(project.body.environments).not.toContain("staging");
      await admin.must(204, "POST", "/environments/staging/on");
      expect((await admin.must(200, "GET", "/environments/staging")).body).toMatchObject({
        enabled: true,
      });
    });

    test("rejects invalid bodies, taken names and unknown environments", async () => {
      const bad = { status: 400, name: "BadDataError" };
      await admin.refuse({ ...bad, path: "/body/type" }, "POST", "/environments", { name: "x" });
      await admin.refuse({ ...bad, path: "/body/name" }, "POST", "/environments", {
        name: "validate",
        type: "test",
      });
      await admin.refuse(
        { ...bad, path: "/body/environment" },
        "POST",
        "/projects/default/environments",
        {
          environment: "none",
        },
      );
      const taken = { status: 409, name: "NameExistsError" };
      await admin.refuse(taken, "POST", "/environments", { name: "production", type: "x" });
      await admin.refuse(taken, "POST", "/environments/validate", { name: "production" });
      await admin.must(200, "POST", "/environments/validate", { name: "available" });
      const missing = { status: 404, name: "NotFoundError" };
      await admin.refuse(missing, "GET", "/environments/none");
      await admin.refuse(missing, "POST", "/environments/none/on");
      await admin.refuse(missing, "POST", "/environments/none/off");
      await admin.refuse(missing, "GET", "/environments/project/none");
      await admin.refuse(missing, "POST", "/projects/none/environments", {
        environment: "staging",
      });
      await admin.refuse(missing, "DELETE", "/projects/none/environments/staging");
    });
  });

  test("no request caused an internal error", () => {
    expect(admin.errors).toEqual([]);
  });
});
