import { beforeAll, describe, expect, test } from "vitest";
import { useAdmin } from "./_admin.ts";
import type { FeatureResponse, SegmentResponse, StrategyResponse } from "./_responses.ts";
import { describeEachStorage } from "./_storages.ts";

interface Segments {
  readonly segments: readonly SegmentResponse[];
}

describeEachStorage("segments", (source) => {
  const admin = useAdmin(source);
  const STRATEGIES = "/projects/default/features/flag/environments/production/strategies";
  const CONSTRAINT = { contextName: "userId", operator: "IN", values: ["1"] };

  beforeAll(async () => {
    await admin.must(201, "POST", "/projects/default/features", { name: "flag" });
    await admin.must(201, "POST", "/projects", { id: "other", name: "Other" });
  });

  let made = 0;
  const make = async (body: object = {}) => {
    const input = { name: `s${++made}`, constraints: [], ...body };
    return (await admin.must<SegmentResponse>(201, "POST", "/segments", input)).body;
  };
  const addStrategy = async (segments: readonly number[]) =>
    (await admin.must<StrategyResponse>(200, "POST", STRATEGIES, { name: "default", segments }))
      .body;

  test("POST /segments makes a segment, and records it", async () => {
    const recorded = await admin.eventsOf(async () => {
      const answer = await admin.must<SegmentResponse>(201, "POST", "/segments", {
        name: "beta users",
        description: "d",
        project: "default",
        constraints: [CONSTRAINT],
      });
      expect(answer.headers.get("location")).toBe(`segments/${answer.body.id}`);
      expect(answer.body).toEqual({
        id: expect.any(Number),
        name: "beta users",
        description: "d",
        project: "default",
        constraints: [{ ...CONSTRAINT, inverted: false, caseInsensitive: false }],
        createdBy: "init-admin",
        createdAt: expect.any(String),
      });
      expect((await admin.must(200, "GET", `/segments/${answer.body.id}`)).body).toEqual(
        answer.body,
      );
    });
    expect(recorded).toEqual([
      expect.objectContaining({
        type: "segment-created",
        project: "default",
        preData: null,
        data: expect.objectContaining({ name: "beta users" }),
      }),
    ]);
  });

  test.each([
    ["/body/name", { constraints: [] }],
    ["/body/name", { name: " ", constraints: [] }],
    ["/body/constraints", { name: "x" }],
    ["/body/project", { name: "x", constraints: [], project: "none" }],
    ["/body/constraints/0/values", { name: "x", constraints: [{ ...CONSTRAINT, values: [] }] }],
    [
      "/body/constraints",
      {
        name: "x",
        constraints: Array.from({ length: 5 }, () => ({
          ...CONSTRAINT,
          values: Array.from({ length: 201 }, () => "v"),
        })),
      },
    ],
  ])("POST and PUT refuse what is wrong at %s", async (path, body) => {
    const { id } = await make();
    const bad = { status: 400, name: "BadDataError", path };
    await admin.refuse(bad, "POST", "/segments", body);
    await admin.refuse(bad, "PUT", `/segments/${id}`, body);
  });

  test("names are unique", async () => {
    const { name } = await make();
    const { id } = await make();
    const taken = { status: 409, name: "NameExistsError" };
    await admin.refuse(taken, "POST", "/segments", { name, constraints: [] });
    await admin.refuse(taken, "PUT", `/segments/${id}`, { name, constraints: [] });
    await admin.refuse(taken, "POST", "/segments/validate", { name });
    await admin.must(204, "POST", "/segments/validate", { name: "free" });
    await admin.refuse({ status: 400, name: "BadDataError" }, "POST", "/segments/validate", {});
  });

  test("PUT /segments/{id} replaces a segment, and records before and after", async () => {
    const before = await make({ description: "d", project: "default" });
    const recorded = await admin.eventsOf(async () => {
      const answer = await admin.must(204, "PUT", `/segments/${before.id}`, {
        name: before.name,
        constraints: [CONSTRAINT],
      });
      expect(answer.text).toBe("");
    });
    const after = (await admin.must(200, "GET", `/segments/${before.id}`)).body;
    expect(after).toMatchObject({ description: "d", constraints: [CONSTRAINT] });
    expect(after).not.toHaveProperty("project");
    expect(recorded).toEqual([
      expect.objectContaining({ type: "segment-updated", preData: before, data: after }),
    ]);
  });

  test("PUT refuses a project that other projects' features would lose the segment by", async () => {
    const { id, name } = await make();
    await addStrategy([id]);
    await admin.refuse(
      { status: 400, name: "BadDataError", path: "/body/project" },
      "PUT",
      `/segments/${id}`,
      { name, constraints: [], project: "other" },
    );
  });

  test("strategies take no segments of other projects", async () => {
    const { id } = await make({ project: "other" });
    await admin.refuse(
      { status: 400, name: "BadDataError", path: "/body/segments" },
      "POST",
      STRATEGIES,
      { name: "default", segments: [id] },
    );
  });

  test("uses are counted and listed, and a used segment is not deleted", async () => {
    const { id } = await make();
    const strategy = await addStrategy([id, id]);
    expect(strategy.segments).toEqual([id]);
    const { body } = await admin.must<Segments>(200, "GET", "/segments");
    expect(body.segments.find((segment) => segment.id === id)).toMatchObject({
      usedInFeatures: 1,
      usedInProjects: 1,
    });
    const uses = await admin.must(200, "GET", `/segments/${id}/strategies`);
    expect(uses.body).toEqual({
      strategies: [
        {
          id: strategy.id,
          projectId: "default",
          featureName: "flag",
          strategyName: "default",
          environment: "production",
        },
      ],
      changeRequestStrategies: [],
    });
    expect((await admin.must(200, "GET", `/segments/strategies/${strategy.id}`)).body).toEqual({
      segments: [expect.objectContaining({ id })],
    });
    const conflict = { status: 409, name: "ConflictError" };
    await admin.refuse(conflict, "DELETE", `/segments/${id}`);
    await admin.must(202, "DELETE", "/projects/default/features/flag");
    await admin.refuse(conflict, "DELETE", `/segments/${id}`);
    await admin.must(200, "POST", "/projects/default/revive", { features: ["flag"] });
    await admin.must(200, "DELETE", `${STRATEGIES}/${strategy.id}`);
    const recorded = await admin.eventsOf(() => admin.must(204, "DELETE", `/segments/${id}`));
    expect(recorded).toEqual([
      expect.objectContaining({
        type: "segment-deleted",
        preData: expect.objectContaining({ id }),
        data: null,
      }),
    ]);
  });

  test("POST /segments/strategies replaces the segments of a strategy, and records it", async () => {
    const [one, two] = [await make(), await make()];
    const strategy = await addStrategy([one.id]);
    const body = {
      projectId: "default",
      environmentId: "production",
      strategyId: strategy.id,
      segmentIds: [two.id],
    };
    const recorded = await admin.eventsOf(async () => {
      expect((await admin.must(201, "POST", "/segments/strategies", body)).body).toEqual(body);
    });
    expect(recorded).toEqual([
      expect.objectContaining({
        type: "feature-strategy-update",
        featureName: "flag",
        environment: "production",
        preData: strategy,
        data: { ...strategy, segments: [two.id] },
      }),
    ]);
    const path = "/segments/strategies";
    const missing = { status: 404, name: "NotFoundError" };
    await admin.refuse(missing, "POST", path, { ...body, strategyId: "none" });
    await admin.refuse(missing, "POST", path, { ...body, environmentId: "development" });
    await admin.refuse(missing, "POST", path, { ...body, projectId: "other" });
    await admin.refuse(missing, "POST", path, { ...body, segmentIds: [9999] });
    const bad = { status: 400, name: "BadDataError" };
    await admin.refuse(bad, "POST", path, { ...body, segmentIds: [1, 2, 3, 4, 5, 6] });
    await admin.refuse(bad, "POST", path, { ...body, segmentIds: 1 });
  });

  test("unknown and impossible ids are refused", async () => {
    const missing = { status: 404, name: "NotFoundError" };
    const body = { name: "unknown", constraints: [] };
    await admin.refuse(missing, "GET", "/segments/99999");
    await admin.refuse(missing, "PUT", "/segments/99999", body);
    await admin.refuse(missing, "DELETE", "/segments/99999");
    const bad = { status: 400, name: "BadDataError", path: "/params/segmentId" };
    for (const id of ["none", "1.5", "-1", "99999999999999999999"]) {
      await admin.refuse(bad, "GET", `/segments/${id}`);
      await admin.refuse(bad, "PUT", `/segments/${id}`, body);
      await admin.refuse(bad, "DELETE", `/segments/${id}`);
      await admin.refuse(bad, "GET", `/segments/${id}/strategies`);
    }
    expect((await admin.must(200, "GET", "/segments/strategies/none")).body).toEqual({
      segments: [],
    });
  });

  describe("dependencies", () => {
    const FEATURES = "/projects/default/features";
    const makeFeature = async (name: string) =>
      admin.must(201, "POST", FEATURES, { name }).then(() => name);
    const dependenciesOf = async (name: string) =>
      (await admin.must<FeatureResponse>(200, "GET", `${FEATURES}/${name}`)).body.dependencies;

    beforeAll(async () => {
      for (const name of ["parent", "second-parent", "child", "alone"]) await makeFeature(name);
      await admin.must(201, "POST", "/projects/other/features", { name: "foreign" });
    });

    test("a feature depends on one other, and a new one replaces it", async () => {
      expect((await admin.must(200, "GET", "/projects/default/dependencies")).text).toBe("false");
      const path = `${FEATURES}/child/dependencies`;
      const recorded = await admin.eventsOf(async () => {
        await admin.must(200, "POST", path, { feature: "parent", variants: ["a"] });
        await admin.must(200, "POST", path, {
          feature: "second-parent",
          enabled: false,
          variants: ["a"],
        });
        await admin.must(200, "POST", path, { feature: "second-parent", enabled: false });
      });
      expect(recorded).toEqual([
        expect.objectContaining({
          type: "feature-dependency-added",
          featureName: "child",
          preData: null,
          data: { feature: "parent", enabled: true, variants: ["a"] },
        }),
        expect.objectContaining({
          preData: { feature: "parent", enabled: true, variants: ["a"] },
          data: { feature: "second-parent", enabled: false },
        }),
      ]);
      expect(await dependenciesOf("child")).toEqual([
        { feature: "second-parent", enabled: false, variants: [] },
      ]);
      expect((await admin.must(200, "GET", "/projects/default/dependencies")).text).toBe("true");
      const parent = await admin.must<FeatureResponse>(200, "GET", `${FEATURES}/second-parent`);
      expect(parent.body.children).toEqual(["child"]);
    });

    test("refuses what would make a chain, a ring or a way to another project", async () => {
      const forbidden = { status: 403, name: "InvalidOperationError" };
      const refuse = (child: string, feature: string) =>
        admin.refuse(forbidden, "POST", `${FEATURES}/${child}/dependencies`, { feature });
      await refuse("child", "child");
      await refuse("second-parent", "parent");
      await refuse("alone", "child");
      await refuse("alone", "none");
      await refuse("alone", "foreign");
      await makeFeature("asleep");
      await admin.must(202, "DELETE", `${FEATURES}/asleep`);
      await refuse("alone", "asleep");
      await admin.refuse(
        { status: 404, name: "NotFoundError" },
        "POST",
        `${FEATURES}/none/dependencies`,
        {
          feature: "parent",
        },
      );
      await admin.refuse(
        { status: 400, name: "BadDataError" },
        "POST",
        `${FEATURES}/alone/dependencies`,
        {},
      );
    });

    test("lists possible parents and their variants", async () => {
      const { body } = await admin.must(200, "GET", `${FEATURES}/alone/parents`);
      expect(body).toEqual(["flag", "parent", "second-parent"]);
      await admin.must(200, "POST", `${FEATURES}/parent/environments/production/strategies`, {
        name: "default",
        variants: ["b", "a"].map((name) => ({
          name,
          weight: 1,
          weightType: "variable",
          stickiness: "default",
        })),
      });
      const variants = await admin.must(200, "GET", `${FEATURES}/parent/parent-variants`);
      expect(variants.body).toEqual(["a", "b"]);
      const missing = { status: 404, name: "NotFoundError" };
      await admin.refuse(missing, "GET", `${FEATURES}/none/parents`);
      await admin.refuse(missing, "GET", `${FEATURES}/none/parent-variants`);
    });

    test("are removed one by one or all, once", async () => {
      const path = `${FEATURES}/child/dependencies`;
      expect(await admin.eventsOf(() => admin.must(200, "DELETE", `${path}/parent`))).toEqual([]);
      const one = await admin.eventsOf(() => admin.must(200, "DELETE", `${path}/second-parent`));
      expect(one).toEqual([
        expect.objectContaining({
          type: "feature-dependency-removed",
          preData: { feature: "second-parent", enabled: false },
          data: null,
        }),
      ]);
      await admin.must(200, "POST", path, { feature: "parent" });
      const all = await admin.eventsOf(() => admin.must(200, "DELETE", path));
      expect(all.map(({ type }) => type)).toEqual(["feature-dependencies-removed"]);
      expect(await admin.eventsOf(() => admin.must(200, "DELETE", path))).toEqual([]);
      const missing = { status: 404, name: "NotFoundError" };
      await admin.refuse(missing, "DELETE", `${FEATURES}/none/dependencies`);
      await admin.refuse(missing, "DELETE", `${FEATURES}/none/dependencies/parent`);
    });
  });

  test("no request was answered by a failure of the service", () => {
    expect(admin.errors).toEqual([]);
  });
});
