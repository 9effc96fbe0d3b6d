import { beforeAll, expect, test } from "vitest";
import { useAdmin } from "./_admin.ts";
import type { FeatureResponse, SegmentResponse, StrategyResponse } from "./_responses.ts";
import { describeAnyStorage } from "./_storages.ts";

const FEATURES = "/projects/default/features";
const DEVELOPMENT = `${FEATURES}/original/environments/development`;
const PRODUCTION = `${FEATURES}/original/environments/production`;

const ROLLOUT = { rollout: "50", stickiness: "userId" };
const VARIANT = { name: "blue", weight: 1000, weightType: "variable", stickiness: "userId" };

describeAnyStorage("POST /api/admin/projects/{projectId}/features/{feature}/clone", (source) => {
  const admin = useAdmin(source);
  let original: FeatureResponse;

  const read = async (name: string) =>
    (await admin.must<FeatureResponse>(200, "GET", `${FEATURES}/${name}`)).body;
  const groupIdsOf = ({ environments }: FeatureResponse) =>
    environments.flatMap(({ strategies }) =>
      strategies.map(({ parameters }) => parameters["groupId"]),
    );

  beforeAll(async () => {
    await admin.must(201, "POST", FEATURES, { name: "parent" });
    await admin.must(201, "POST", FEATURES, {
      name: "original",
      type: "experiment",
      description: "What it is for",
      impressionData: true,
      tags: [{ type: "simple", value: "shop" }],
    });
    await admin.must(200, "POST", `${FEATURES}/original/dependencies`, {
      feature: "parent",
      variants: ["red"],
    });
    const { body: segment } = await admin.must<SegmentResponse>(201, "POST", "/segments", {
      name: "beta",
      constraints: [],
    });
    for (const strategy of [
      {
        name: "flexibleRollout",
        title: "Half",
        parameters: { ...ROLLOUT, groupId: "original" },
        constraints: [{ contextName: "userId", operator: "IN", values: ["1", "2"] }],
        segments: [segment.id],
        variants: [VARIANT],
      },
      {
        name: "flexibleRollout",
        disabled: true,
        parameters: { ...ROLLOUT, groupId: "shared" },
      },
    ]) {
      await admin.must(200, "POST", `${DEVELOPMENT}/strategies`, strategy);
    }
    await admin.must(200, "PUT", `${PRODUCTION}/variants`, [
      { ...VARIANT, overrides: [{ contextName: "userId", values: ["7"] }] },
    ]);
    await admin.must(200, "POST", `${DEVELOPMENT}/on`);
    await admin.must(202, "POST", "/projects/default/stale", {
      features: ["original"],
      stale: true,
    });
    original = await read("original");
  });

  test("copies everything but the states, and records what it creates", async () => {
    const recorded = await admin.eventsOf(async () => {
      const { body } = await admin.must(201, "POST", `${FEATURES}/original/clone`, {
        name: "copy",
      });
      expect(body).toEqual({
        name: "copy",
        type: "experiment",
        project: "default",
        description: "What it is for",
        stale: false,
        impressionData: true,
        createdAt: expect.any(String),
        createdBy: { name: "init-admin" },
        archived: false,
      });
    });
    const copiedIds = new Set(
      (await read("copy")).environments.flatMap(({ strategies }) => strategies.map(({ id }) => id)),
    );
    const withoutIds = ({ environments, ...feature }: FeatureResponse) => ({
      ...feature,
      environments: environments.map(({ strategies, ...environment }) => ({
        ...environment,
        strategies: strategies.map(({ id: _id, ...strategy }) => strategy),
      })),
    });
    const copy = withoutIds(await read("copy"));
    expect(copy).toEqual({
      ...withoutIds(original),
      name: "copy",
      stale: false,
      createdAt: expect.any(String),
      lifecycle: { stage: "initial", enteredStageAt: expect.any(String) },
      environments: withoutIds(original).environments.map((environment) => ({
        ...environment,
        enabled: false,
        strategies: environment.strategies.map((strategy) => ({
          ...strategy,
          parameters: {
            ...strategy.parameters,
            groupId: strategy.parameters["groupId"] === "original" ? "copy" : "shared",
          },
        })),
      })),
    });
    expect(copiedIds.size).toBe(2);
    for (const { strategies } of original.environments) {
      for (const { id } of strategies) expect(copiedIds.has(id)).toBe(false);
    }
    expect(await read("original")).toEqual(original);
    expect(recorded.map(({ type, environment }) => [type, environment])).toEqual([
      ["feature-created", null],
      ["feature-strategy-add", "development"],
      ["feature-strategy-add", "development"],
      ["feature-environment-variants-updated", "production"],
      ["feature-dependency-added", null],
    ]);
    for (const { featureName, project, tags } of recorded) {
      expect([featureName, project, tags]).toEqual([
        "copy",
        "default",
        [{ type: "simple", value: "shop" }],
      ]);
    }
  });

  test("keeps the group id if the request says so", async () => {
    await admin.must(201, "POST", `${FEATURES}/original/clone`, {
      name: "same-group",
      replaceGroupId: false,
    });
    expect(groupIdsOf(await read("same-group"))).toEqual(["original", "shared"]);
  });

  test("copies a strategy that would no longer be valid", async () => {
    const legalValues = [{ value: "eu" }, { value: "us" }];
    await admin.must(201, "POST", "/context", { name: "region", legalValues });
    await admin.must(201, "POST", FEATURES, { name: "by-region" });
    const constraints = [{ contextName: "region", operator: "IN", values: ["us"] }];
    const path = `${FEATURES}/by-region/environments/development/strategies`;
    await admin.must(200, "POST", path, { name: "default", constraints });
    await admin.must(200, "PUT", "/context/region", { legalValues: [{ value: "eu" }] });
    await admin.must(201, "POST", `${FEATURES}/by-region/clone`, { name: "by-region-copy" });
    const { body } = await admin.must<readonly StrategyResponse[]>(
      200,
      "GET",
      `${FEATURES}/by-region-copy/environments/development/strategies`,
    );
    expect(body[0]?.constraints).toMatchObject(constraints);
  });

  test("rejects taken and invalid names, and flags that are unknown, archived or in another project", async () => {
    const clone = `${FEATURES}/original/clone`;
    await admin.must(201, "POST", FEATURES, { name: "gone" });
    await admin.must(202, "DELETE", `${FEATURES}/gone`);
    await admin.must(201, "POST", "/projects", { id: "other", name: "Other" });
    const taken = { status: 409, name: "NameExistsError" };
    const { body } = await admin.refuse(taken, "POST", clone, { name: "original" });
    expect(body.message).toBe('There is already a flag "original": choose another name');
    await admin.refuse(taken, "POST", clone, { name: "gone" });
    const invalid = { status: 400, name: "BadDataError" };
    await admin.refuse({ ...invalid, path: "/body/name" }, "POST", clone, {});
    await admin.refuse({ ...invalid, path: "/body/name" }, "POST", clone, { name: "a b" });
    await admin.refuse({ ...invalid, path: "/body/replaceGroupId" }, "POST", clone, {
      name: "x",
      replaceGroupId: "no",
    });
    const missing = { status: 404, name: "NotFoundError" };
    await admin.refuse(missing, "POST", `${FEATURES}/none/clone`, { name: "x" });
    await admin.refuse(missing, "POST", "/projects/other/features/original/clone", { name: "x" });
    await admin.refuse(
      { status: 400, name: "ArchivedFeatureError" },
      "POST",
      `${FEATURES}/gone/clone`,
      { name: "x" },
    );
  });
});
