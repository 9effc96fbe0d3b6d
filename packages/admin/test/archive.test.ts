import { describe, expect, test } from "vitest";
import { useAdmin } from "./_admin.ts";
import type {
  ErrorResponse,
  FeatureList,
  FeaturePage,
  FeatureResponse,
  Named,
  SegmentResponse,
} from "./_responses.ts";
import { describeStorages } from "./_storages.ts";

interface Archive {
  readonly version: number;
  readonly features: readonly Named[];
}

describeStorages("archive", (source) => {
  const admin = useAdmin(source);
  let flagCount = 0;

  const FEATURES = "/projects/default/features";

  /** Creates flags with new names. */
  const createFlags = async (count: number, project = "default"): Promise<string[]> => {
    const names = Array.from({ length: count }, () => `f${++flagCount}`);
    for (const name of names) {
      await admin.must(201, "POST", `/projects/${project}/features`, { name });
    }
    return names;
  };
  const createArchivedFlags = async (count: number): Promise<string[]> => {
    const names = await createFlags(count);
    await admin.must(202, "POST", "/projects/default/archive", { features: names });
    return names;
  };
  const isActive = async (name: string, project = "default"): Promise<boolean> =>
    (await admin.call("GET", `/projects/${project}/features/${name}`)).status === 200;
  const turnOn = (name: string, environment: string) =>
    admin.must(200, "POST", `${FEATURES}/${name}/environments/${environment}/on`);

  describe("POST /api/admin/projects/{projectId}/revive", () => {
    const REVIVE = "/projects/default/revive";

    test("revives flags, off in every environment, with strategies, variants, segments and tags", async () => {
      const [name = ""] = await createFlags(1);
      const segment = await admin.must<SegmentResponse>(201, "POST", "/segments", {
        name: `segment of ${name}`,
        constraints: [{ contextName: "userId", operator: "IN", values: ["1"] }],
      });
      await admin.must(200, "POST", `${FEATURES}/${name}/environments/production/strategies`, {
        name: "flexibleRollout",
        title: "half",
        parameters: { rollout: "50" },
        constraints: [{ contextName: "appName", operator: "IN", values: ["web"] }],
        segments: [segment.body.id],
        variants: [
          { name: "b", weight: 1, weightType: "variable", stickiness: "default" },
          { name: "a", weight: 300, weightType: "fix", stickiness: "default" },
        ],
      });
      await admin.must(201, "POST", `/features/${name}/tags`, { type: "simple", value: "keep" });
      await turnOn(name, "development");
      await turnOn(name, "production");
      const before = (await admin.must<FeatureResponse>(200, "GET", `${FEATURES}/${name}`)).body;
      await admin.must(202, "DELETE", `${FEATURES}/${name}`);

      const recorded = await admin.eventsOf(async () => {
        const response = await admin.must(200, "POST", REVIVE, { features: [name] });
        expect(response.text).toBe("");
      });
      const after = (await admin.must(200, "GET", `${FEATURES}/${name}`)).body;
      expect(after).toEqual({
        ...before,
        lifecycle: { stage: "initial", enteredStageAt: expect.any(String) },
        environments: before.environments.map((environment) => ({
          ...environment,
          enabled: false,
        })),
      });
      expect(recorded).toEqual([
        {
          type: "feature-revived",
          createdBy: "init-admin",
          actorKind: "token",
          project: "default",
          featureName: name,
          environment: null,
          changeRequestId: null,
          preData: {
            archived: true,
            archivedAt: expect.any(String),
            environments: { development: true, production: true },
          },
          data: { archived: false, environments: { development: false, production: false } },
          tags: [{ type: "simple", value: "keep" }],
        },
      ]);
    });

    test("does not change active flags", async () => {
      const [archived = ""] = await createArchivedFlags(1);
      const [active = ""] = await createFlags(1);
      await turnOn(active, "production");
      const before = (await admin.must(200, "GET", `${FEATURES}/${active}`)).body;
      const recorded = await admin.eventsOf(() =>
        admin.must(200, "POST", REVIVE, { features: [active, archived, active] }),
      );
      expect((await admin.must(200, "GET", `${FEATURES}/${active}`)).body).toEqual(before);
      expect(recorded.map(({ featureName }) => featureName)).toEqual([archived]);
    });

    test("is idempotent", async () => {
      const names = await createArchivedFlags(2);
      const features = [...names, ...names];
      expect(
        await admin.eventsOf(() => admin.must(200, "POST", REVIVE, { features })),
      ).toHaveLength(2);
      expect(await admin.eventsOf(() => admin.must(200, "POST", REVIVE, { features }))).toEqual([]);
    });

    test("does nothing for an empty list", async () => {
      expect(await admin.eventsOf(() => admin.must(200, "POST", REVIVE, { features: [] }))).toEqual(
        [],
      );
    });

    test("rejects unknown names, listing them, and revives none", async () => {
      const [name = ""] = await createArchivedFlags(1);
      const unknown = [
        "nobody",
        "no one",
        "x".repeat(500),
        ...Array.from({ length: 20 }, (_, index) => `none-${index}`),
      ];
      const response = await admin.call<ErrorResponse>("POST", REVIVE, {
        features: [name, ...unknown, "nobody"],
      });
      expect([response.status, response.body.name]).toEqual([404, "NotFoundError"]);
      expect(response.body.message).toMatch(/"nobody", "no one", .* and 13 more$/);
      expect(response.body.details).toEqual(
        unknown.map((one, index) => ({
          message: `There is no flag ${JSON.stringify(one)}`,
          path: `/body/features/${index + 1}`,
        })),
      );
      expect(await isActive(name)).toBe(false);
    });

    test("rejects flags of another project and revives none", async () => {
      await admin.must(201, "POST", "/projects", { id: "other", name: "Other" });
      const [own = ""] = await createArchivedFlags(1);
      const [foreign = ""] = await createFlags(1, "other");
      await admin.must(202, "DELETE", `/projects/other/features/${foreign}`);
      await admin.refuse({ status: 403, name: "InvalidOperationError" }, "POST", REVIVE, {
        features: [own, foreign],
      });
      expect(await isActive(own)).toBe(false);
    });

    test("names the only unknown flag", async () => {
      const response = await admin.call<ErrorResponse>("POST", "/projects/default/revive", {
        features: ["nobody", "nobody"],
      });
      expect(response.body.message).toBe('There is no flag "nobody"');
    });

    test("rejects unknown and archived projects, even with an empty list", async () => {
      await admin.must(201, "POST", "/projects", { id: "asleep", name: "Asleep" });
      const [name = ""] = await createFlags(1, "asleep");
      await admin.must(202, "DELETE", `/projects/asleep/features/${name}`);
      await admin.must(200, "POST", "/projects/archive/asleep");
      const missing = { status: 404, name: "NotFoundError" };
      for (const features of [[], [name]]) {
        await admin.refuse(missing, "POST", "/projects/none/revive", { features });
        await admin.refuse(missing, "POST", "/projects/asleep/revive", { features });
      }
      await admin.refuse(missing, "POST", `/archive/revive/${name}`);
    });

    test.each([
      ["/body/features", {}],
      ["/body/features", { features: null }],
      ["/body/features", { features: "f1" }],
      ["/body/features", { features: { 0: "f1" } }],
      ["/body/features/1", { features: ["f1", 1] }],
      ["/body/features/0", { features: [null] }],
      ["/body/features/0", { features: [["f1"]] }],
      ["/body/features/0", { features: ["a\0"] }],
      ["/body", ["f1"]],
      ["/body", "null"],
      ["/body", undefined],
    ])("rejects an invalid body at %s: %j", async (path, body) => {
      await admin.refuse({ status: 400, name: "BadDataError", path }, "POST", REVIVE, body);
    });

    test("revives each flag once if 40 overlapping lists arrive at the same time", async () => {
      const names = await createArchivedFlags(20);
      const recorded = await admin.eventsOf(async () => {
        const responses = await Promise.all(
          Array.from({ length: 40 }, (_, index) => {
            const features = Array.from(
              { length: 7 },
              (_entry, offset) => names[(index * 3 + offset) % names.length],
            );
            return admin.call("POST", REVIVE, { features });
          }),
        );
        expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
      });
      expect(recorded.map(({ featureName }) => featureName).toSorted()).toEqual(names.toSorted());
      expect(await Promise.all(names.map((name) => isActive(name)))).toEqual(names.map(() => true));
    });

    test("accepts lists of thousands of names", async () => {
      const [name = ""] = await createArchivedFlags(1);
      await admin.must(200, "POST", REVIVE, { features: Array.from({ length: 9000 }, () => name) });
      const features = Array.from({ length: 9000 }, (_, index) => `none-${index}`);
      const { status, body } = await admin.call<ErrorResponse>("POST", REVIVE, { features });
      expect(status).toBe(404);
      expect(body.details).toHaveLength(9000);
    });
  });

  describe("POST /api/admin/archive/revive/{feature}", () => {
    test("revives an archived flag and does not change an active one", async () => {
      const [name = ""] = await createFlags(1);
      await turnOn(name, "production");
      expect(
        await admin.eventsOf(() => admin.must(200, "POST", `/archive/revive/${name}`)),
      ).toEqual([]);
      await admin.must(202, "DELETE", `${FEATURES}/${name}`);
      const recorded = await admin.eventsOf(() =>
        admin.must(200, "POST", `/archive/revive/${name}`),
      );
      expect(recorded.map(({ type }) => type)).toEqual(["feature-revived"]);
      const { body } = await admin.must<FeatureResponse>(200, "GET", `${FEATURES}/${name}`);
      expect(body.environments.map(({ enabled }) => enabled)).toEqual([false, false]);
    });

    test("rejects an unknown flag", async () => {
      await admin.refuse({ status: 404, name: "NotFoundError" }, "POST", "/archive/revive/none");
    });
  });

  describe("POST /api/admin/projects/{projectId}/archive", () => {
    const ARCHIVE = "/projects/default/archive";

    test("archives flags and records their previous and new state", async () => {
      const names = await createFlags(2);
      const recorded = await admin.eventsOf(async () => {
        const response = await admin.must(202, "POST", ARCHIVE, { features: [...names, "nobody"] });
        expect(response.text).toBe("");
      });
      expect(recorded.map(({ type, featureName }) => [type, featureName])).toEqual(
        names.map((name) => ["feature-archived", name]),
      );
      expect(recorded[0]).toMatchObject({
        project: "default",
        preData: { archived: false },
        data: { archived: true, archivedAt: expect.any(String) },
      });
      expect(
        await admin.eventsOf(() => admin.must(202, "POST", ARCHIVE, { features: names })),
      ).toEqual([]);
    });

    test("rejects flags of another project", async () => {
      const [own = ""] = await createFlags(1);
      const [foreign = ""] = await createFlags(1, "other");
      await admin.refuse({ status: 403, name: "InvalidOperationError" }, "POST", ARCHIVE, {
        features: [own, foreign],
      });
    });

    test("rejects a parent without its children and accepts both together", async () => {
      const [parent = "", child = ""] = await createFlags(2);
      await admin.must(200, "POST", `${FEATURES}/${child}/dependencies`, { feature: parent });
      const forbidden = { status: 403, name: "InvalidOperationError" };
      await admin.refuse(forbidden, "POST", ARCHIVE, { features: [parent] });
      await admin.refuse(forbidden, "DELETE", `${FEATURES}/${parent}`);
      const check = await admin.must(200, "POST", `${ARCHIVE}/validate`, { features: [parent] });
      expect(check.body).toEqual({
        parentsWithChildFeatures: [parent],
        hasDeletedDependencies: true,
        usedFeatures: [],
      });

      const recorded = await admin.eventsOf(() =>
        admin.must(202, "POST", ARCHIVE, { features: [parent, child] }),
      );
      expect(recorded.map(({ type }) => type)).toEqual([
        "feature-dependencies-removed",
        "feature-archived",
        "feature-archived",
      ]);
      expect(recorded[0]).toEqual(
        expect.objectContaining({
          project: "default",
          featureName: child,
          preData: [{ feature: parent, enabled: true }],
          data: [],
        }),
      );
      await admin.must(200, "POST", "/projects/default/revive", { features: [parent, child] });
      const { body } = await admin.must<FeatureResponse>(200, "GET", `${FEATURES}/${child}`);
      expect(body.dependencies).toEqual([]);
    });

    test("rejects invalid bodies and unknown projects", async () => {
      const bad = { status: 400, name: "BadDataError", path: "/body/features" };
      await admin.refuse(bad, "POST", ARCHIVE, {});
      await admin.refuse(bad, "POST", `${ARCHIVE}/validate`, {});
      await admin.refuse({ status: 404, name: "NotFoundError" }, "POST", "/projects/none/archive", {
        features: [],
      });
    });

    test("validate ignores unknown names", async () => {
      const { body } = await admin.must(200, "POST", `${ARCHIVE}/validate`, { features: ["none"] });
      expect(body).toEqual({
        parentsWithChildFeatures: [],
        hasDeletedDependencies: false,
        usedFeatures: [],
      });
    });
  });

  describe("DELETE /api/admin/projects/{projectId}/features/{feature}", () => {
    test("archives a flag, which only a reader who asks for it sees, and nobody can switch", async () => {
      const [name = ""] = await createFlags(1);
      await admin.must(202, "DELETE", `${FEATURES}/${name}`);
      expect(await admin.eventsOf(() => admin.must(202, "DELETE", `${FEATURES}/${name}`))).toEqual(
        [],
      );
      const archived = { status: 400, name: "ArchivedFeatureError" };
      for (const action of ["on", "off"]) {
        await admin.refuse(
          archived,
          "POST",
          `${FEATURES}/${name}/environments/production/${action}`,
        );
      }
      await admin.refuse(archived, "PUT", `${FEATURES}/${name}`, { description: "x" });
      await admin.refuse({ status: 404, name: "NotFoundError" }, "GET", `${FEATURES}/${name}`);
      const { body } = await admin.must(200, "GET", `${FEATURES}/${name}?archived=true`);
      expect(body).toMatchObject({ name, archived: true, environments: [{}, {}] });
      const list = await admin.must<FeatureList>(200, "GET", FEATURES);
      expect(list.body.features.map((feature) => feature.name)).not.toContain(name);
    });

    test("rejects unknown flags and flags of other projects in the same way", async () => {
      const missing = { status: 404, name: "NotFoundError" };
      await admin.refuse(missing, "DELETE", `${FEATURES}/none`);
      const [foreign = ""] = await createFlags(1, "other");
      await admin.refuse(missing, "DELETE", `${FEATURES}/${foreign}`);
    });
  });

  describe("permanent deletion", () => {
    test("POST /projects/{projectId}/delete deletes archived flags and ignores active ones", async () => {
      const [archived = ""] = await createArchivedFlags(1);
      const [active = ""] = await createFlags(1);
      const recorded = await admin.eventsOf(() =>
        admin.must(200, "POST", "/projects/default/delete", {
          features: [archived, active, "nobody"],
        }),
      );
      expect(recorded).toEqual([
        expect.objectContaining({
          type: "feature-deleted",
          featureName: archived,
          preData: expect.objectContaining({ name: archived, archived: true }),
          data: null,
        }),
      ]);
      expect(await isActive(active)).toBe(true);
      await admin.must(201, "POST", FEATURES, { name: archived });
    });

    test("DELETE /archive/{feature} deletes an archived flag and ignores others", async () => {
      const [archived = ""] = await createArchivedFlags(1);
      const [active = ""] = await createFlags(1);
      expect(
        await admin.eventsOf(() => admin.must(200, "DELETE", `/archive/${archived}`)),
      ).toHaveLength(1);
      for (const name of [archived, active, "nobody"]) {
        expect(await admin.eventsOf(() => admin.must(200, "DELETE", `/archive/${name}`))).toEqual(
          [],
        );
      }
    });

    test("rejects flags of another project, invalid bodies and unknown projects", async () => {
      const [foreign = ""] = await createFlags(1, "other");
      await admin.refuse(
        { status: 403, name: "InvalidOperationError" },
        "POST",
        "/projects/default/delete",
        { features: [foreign] },
      );
      await admin.refuse(
        { status: 400, name: "BadDataError", path: "/body/features" },
        "POST",
        "/projects/default/delete",
        { features: 1 },
      );
      await admin.refuse({ status: 404, name: "NotFoundError" }, "POST", "/projects/none/delete", {
        features: [],
      });
    });
  });

  describe("lists", () => {
    test("GET /archive/features lists archived flags of all projects, or of one", async () => {
      const [name = ""] = await createArchivedFlags(1);
      for (const path of ["/archive/features", "/archive/features/default"]) {
        const { body } = await admin.must<Archive>(200, "GET", path);
        expect(body.version).toBe(2);
        expect(body.features.find((feature) => feature.name === name)).toEqual(
          expect.objectContaining({ archived: true, archivedAt: expect.any(String) }),
        );
      }
      const other = await admin.must<Archive>(200, "GET", "/archive/features/none");
      expect(other.body.features).toEqual([]);
    });

    test("GET /search/features returns pages of archived flags", async () => {
      const names = await createArchivedFlags(3);
      const query = `project=IS:default&archived=IS:true&query=${names.join(",")}&sortBy=name`;
      const first = await admin.must<FeaturePage>(200, "GET", `/search/features?${query}&limit=2`);
      const second = await admin.must<FeaturePage>(
        200,
        "GET",
        `/search/features?${query}&limit=2&offset=2`,
      );
      const found = [...first.body.features, ...second.body.features];
      expect(first.body.features).toHaveLength(2);
      expect(first.body.total).toBeGreaterThanOrEqual(3);
      expect(found.map((feature) => feature.name)).toEqual(
        expect.arrayContaining(names.slice(0, 2)),
      );
      await admin.refuse(
        { status: 400, name: "BadDataError", path: "/query/project" },
        "GET",
        "/search/features?project=default",
      );
      await admin.refuse(
        { status: 400, name: "BadDataError", path: "/query/archived" },
        "GET",
        "/search/features?archived=IS:maybe",
      );
    });
  });

  test("no request caused an internal error", () => {
    expect(admin.errors).toEqual([]);
  });
});
