import { eq } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { segments } from "../src/storage/schema/strategies.ts";
import { useAdmin } from "./_admin.ts";
import type { SegmentResponse, StrategyResponse } from "./_responses.ts";
import { describeAnyStorage } from "./_storages.ts";

interface Segments {
  readonly segments: readonly SegmentResponse[];
}

describeAnyStorage("segments", (source) => {
  const admin = useAdmin(source);
  const STRATEGIES = "/projects/default/features/flag/environments/production/strategies";
  const CONSTRAINT = { contextName: "userId", operator: "IN", values: ["1"] };

  beforeAll(async () => {
    await admin.must(201, "POST", "/projects/default/features", { name: "flag" });
    await admin.must(201, "POST", "/projects", { id: "other", name: "Other" });
  });

  let segmentCount = 0;
  const create = async (body: object = {}) => {
    const input = { name: `s${++segmentCount}`, constraints: [], ...body };
    return (await admin.must<SegmentResponse>(201, "POST", "/segments", input)).body;
  };
  const addStrategy = async (segments: readonly number[]) =>
    (await admin.must<StrategyResponse>(200, "POST", STRATEGIES, { name: "default", segments }))
      .body;

  test("POST /segments creates a segment and records it", async () => {
    const recorded = await admin.eventsOf(async () => {
      const response = await admin.must<SegmentResponse>(201, "POST", "/segments", {
        name: "beta users",
        description: "d",
        project: "default",
        constraints: [CONSTRAINT],
      });
      expect(response.headers.get("location")).toBe(`segments/${response.body.id}`);
      expect(response.body).toEqual({
        id: expect.any(Number),
        name: "beta users",
        description: "d",
        project: "default",
        constraints: [{ ...CONSTRAINT, inverted: false, caseInsensitive: false }],
        createdBy: "init-admin",
        createdAt: expect.any(String),
      });
      expect((await admin.must(200, "GET", `/segments/${response.body.id}`)).body).toEqual(
        response.body,
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
          values: Array.from({ length: 2001 }, () => "v"),
        })),
      },
    ],
  ])("POST and PUT reject an invalid body at %s", async (path, body) => {
    const { id } = await create();
    const bad = { status: 400, name: "BadDataError", path };
    await admin.refuse(bad, "POST", "/segments", body);
    await admin.refuse(bad, "PUT", `/segments/${id}`, body);
  });

  test("a segment can have 1 MiB of constraints; a larger one can only shrink", async () => {
    /** Each has about 95 kB. */
    const constraintsOf = (count: number) =>
      Array.from({ length: count }, () => ({
        ...CONSTRAINT,
        values: Array.from({ length: 250 }, (_, index) => `${index}${"\u{1F600}".repeat(95)}`),
      }));
    const path = "/body/constraints";
    const tooLarge = { status: 400, name: "BadDataError", path };
    const large = { name: "large", constraints: constraintsOf(12) };
    const file = { version: 1, segments: [large], features: [] };
    const imported = { ...tooLarge, path: "/body/segments/0/constraints" };
    await admin.refuse(imported, "POST", "/projects/default/import", file);
    const { id } = await create({ constraints: constraintsOf(10) });
    const put = (constraints: readonly object[]) =>
      ["PUT", `/segments/${id}`, { name: "large", constraints }] as const;

    // Larger ones do not fit into a request that is not an import.
    const stored = constraintsOf(14).map((constraint) => ({
      ...constraint,
      inverted: false,
      caseInsensitive: false,
    }));
    await admin.storage.db.update(segments).set({ constraints: stored }).where(eq(segments.id, id));
    await admin.must(204, ...put(constraintsOf(9)));
    await admin.refuse({ status: 413, name: "PayloadTooLargeError" }, ...put(constraintsOf(12)));
  });

  test("a list with IN or NOT_IN in a segment can have 10,000 values", async () => {
    const values = Array.from({ length: 10_000 }, (_, index) => `customer-${index}`);
    const { id } = await create({ constraints: [{ ...CONSTRAINT, values }] });
    const stored = await admin.must(200, "GET", `/segments/${id}`);
    expect(stored.body).toMatchObject({ constraints: [{ values }] });
    await create({ constraints: [{ ...CONSTRAINT, operator: "NOT_IN", values }] });

    const refusal = async (name: string, constraint: object) => {
      const expected = { status: 400, name };
      const segment = { name: "refused", constraints: [constraint] };
      return (await admin.refuse(expected, "POST", "/segments", segment)).body.message;
    };
    expect(
      await refusal("BadDataError", { ...CONSTRAINT, values: [...values, "one more"] }),
    ).toContain("must contain at most 10000 values, and contain 10001");
    expect(
      await refusal("ExceedsLimitError", {
        ...CONSTRAINT,
        operator: "STR_CONTAINS",
        values: values.slice(0, 251),
      }),
    ).toBe(
      "A list with the operator STR_CONTAINS can have at most 250 values, and this one has 251: put the list into a segment, where IN and NOT_IN accept 10000",
    );
    await admin.must(204, "POST", "/constraints/validate", { ...CONSTRAINT, values });
  });

  test("segment names are unique", async () => {
    const { name } = await create();
    const { id } = await create();
    const taken = { status: 409, name: "NameExistsError" };
    await admin.refuse(taken, "POST", "/segments", { name, constraints: [] });
    await admin.refuse(taken, "PUT", `/segments/${id}`, { name, constraints: [] });
    await admin.refuse(taken, "POST", "/segments/validate", { name });
    await admin.must(204, "POST", "/segments/validate", { name: "available" });
    await admin.refuse({ status: 400, name: "BadDataError" }, "POST", "/segments/validate", {});
  });

  test("PUT /segments/{id} replaces a segment and records its previous and new state", async () => {
    const before = await create({ description: "d", project: "default" });
    const recorded = await admin.eventsOf(async () => {
      const response = await admin.must(204, "PUT", `/segments/${before.id}`, {
        name: before.name,
        constraints: [CONSTRAINT],
      });
      expect(response.text).toBe("");
    });
    const after = (await admin.must(200, "GET", `/segments/${before.id}`)).body;
    expect(after).toMatchObject({ description: "d", constraints: [CONSTRAINT] });
    expect(after).not.toHaveProperty("project");
    expect(recorded).toEqual([
      expect.objectContaining({ type: "segment-updated", preData: before, data: after }),
    ]);
  });

  test("PUT rejects a project if flags of other projects use the segment", async () => {
    const { id, name } = await create();
    await addStrategy([id]);
    await admin.refuse(
      { status: 400, name: "BadDataError", path: "/body/project" },
      "PUT",
      `/segments/${id}`,
      { name, constraints: [], project: "other" },
    );
  });

  test("strategies reject segments of other projects", async () => {
    const { id } = await create({ project: "other" });
    await admin.refuse(
      { status: 400, name: "BadDataError", path: "/body/segments" },
      "POST",
      STRATEGIES,
      { name: "default", segments: [id] },
    );
  });

  test("usage is counted and listed, and a segment in use cannot be deleted", async () => {
    const { id } = await create();
    const strategy = await addStrategy([id, id]);
    expect(strategy.segments).toEqual([id]);
    const { body } = await admin.must<Segments>(200, "GET", "/segments");
    expect(body.segments.find((segment) => segment.id === id)).toMatchObject({
      usedInFeatures: 1,
      usedInProjects: 1,
    });
    const usage = await admin.must(200, "GET", `/segments/${id}/strategies`);
    expect(usage.body).toEqual({
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

  test("a segment that only an archived flag uses can be deleted, which disables the strategy", async () => {
    const { id } = await create();
    const strategy = await addStrategy([id]);
    await admin.must(202, "DELETE", "/projects/default/features/flag");
    const recorded = await admin.eventsOf(() => admin.must(204, "DELETE", `/segments/${id}`));
    expect(recorded).toEqual([
      expect.objectContaining({
        type: "feature-strategy-update",
        featureName: "flag",
        environment: "production",
        preData: { id: strategy.id, disabled: false },
        data: { id: strategy.id, disabled: true },
      }),
      expect.objectContaining({ type: "segment-deleted" }),
    ]);
    await admin.must(200, "POST", "/projects/default/revive", { features: ["flag"] });
    // Enabled, it would be on for everyone.
    expect((await admin.must(200, "GET", `${STRATEGIES}/${strategy.id}`)).body).toMatchObject({
      disabled: true,
      segments: [],
    });
    await admin.must(200, "DELETE", `${STRATEGIES}/${strategy.id}`);
  });

  test("POST /segments/strategies replaces the segments of a strategy and records it", async () => {
    const [one, two] = [await create(), await create()];
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

  test("unknown and invalid ids are rejected", async () => {
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

  test("no request caused an internal error", () => {
    expect(admin.errors).toEqual([]);
  });
});
