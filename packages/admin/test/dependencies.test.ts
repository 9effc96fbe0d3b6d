import { beforeAll, expect, test } from "vitest";
import { useAdmin } from "./_admin.ts";
import type { FeatureResponse } from "./_responses.ts";
import { describeAnyStorage } from "./_storages.ts";

describeAnyStorage("dependencies", (source) => {
  const admin = useAdmin(source);
  const FEATURES = "/projects/default/features";
  const createFeature = (name: string) => admin.must(201, "POST", FEATURES, { name });
  const dependenciesOf = async (name: string) =>
    (await admin.must<FeatureResponse>(200, "GET", `${FEATURES}/${name}`)).body.dependencies;

  beforeAll(async () => {
    for (const name of ["parent", "second-parent", "child", "alone"]) await createFeature(name);
    await admin.must(201, "POST", "/projects", { id: "other", name: "Other" });
    await admin.must(201, "POST", "/projects/other/features", { name: "foreign" });
  });

  test("a new dependency replaces the previous one", async () => {
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

  test("rejects a chain, a cycle, and a parent that is unknown, archived or in another project", async () => {
    const forbidden = { status: 403, name: "InvalidOperationError" };
    const refuse = (child: string, feature: string) =>
      admin.refuse(forbidden, "POST", `${FEATURES}/${child}/dependencies`, { feature });
    await refuse("child", "child");
    await refuse("second-parent", "parent");
    await refuse("alone", "child");
    await refuse("alone", "none");
    await refuse("alone", "foreign");
    await createFeature("asleep");
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
    expect(body).toEqual(["parent", "second-parent"]);
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

  test("removes one dependency or all", async () => {
    const path = `${FEATURES}/child/dependencies`;
    const missing = { status: 404, name: "NotFoundError" };
    await admin.refuse(missing, "DELETE", `${path}/parent`);
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
    expect(all).toEqual([
      expect.objectContaining({
        type: "feature-dependencies-removed",
        featureName: "child",
        preData: [{ feature: "parent", enabled: true }],
        data: [],
      }),
    ]);
    expect(await admin.eventsOf(() => admin.must(200, "DELETE", path))).toEqual([]);
    await admin.refuse(missing, "DELETE", `${FEATURES}/none/dependencies`);
    await admin.refuse(missing, "DELETE", `${FEATURES}/none/dependencies/parent`);
  });

  test("no request caused an internal error", () => {
    expect(admin.errors).toEqual([]);
  });
});
