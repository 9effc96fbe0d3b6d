import { beforeAll, describe, expect, test } from "vitest";
import { useAdmin } from "./_admin.ts";
import { BACKEND_TOKEN, KNOWS_SEGMENTS } from "./_service.ts";
import { describeAnyStorage } from "./_storages.ts";

interface VariantList {
  readonly version: number;
  readonly variants: readonly { readonly name: string; readonly weight: number }[];
}

interface SdkFeature {
  readonly name: string;
  readonly variants: readonly object[];
}

const FEATURES = "/projects/default/features";
const path = (feature: string, environment = "development") =>
  `${FEATURES}/${feature}/environments/${environment}/variants`;

/** A complete variant, as it is stored. */
const variant = (name: string, weight: number, more: object = {}) => ({
  name,
  weight,
  weightType: "variable",
  stickiness: "default",
  ...more,
});

describeAnyStorage("variants of flags in an environment", (source) => {
  const admin = useAdmin(source);

  const weightsOf = async (feature: string, environment?: string) => {
    const { body } = await admin.must<VariantList>(200, "GET", path(feature, environment));
    return body.variants.map(({ name, weight }) => [name, weight]);
  };

  const sdkFeature = async (name: string): Promise<SdkFeature | undefined> => {
    const response = await admin.app.inject({
      path: `/api/client/features/${name}`,
      headers: { authorization: BACKEND_TOKEN, ...KNOWS_SEGMENTS },
    });
    return response.json<SdkFeature>();
  };

  beforeAll(async () => {
    for (const name of ["flag", "archived", "other"]) {
      await admin.must(201, "POST", FEATURES, { name });
    }
    await admin.must(202, "POST", "/projects/default/archive", { features: ["archived"] });
    await admin.must(201, "POST", "/projects", { id: "empty", name: "Empty" });
  });

  test("a new flag has no variants", async () => {
    const { body } = await admin.must(200, "GET", path("flag"));
    expect(body).toEqual({ version: 1, variants: [] });
  });

  test("PUT completes variants, computes their weights and records one event", async () => {
    const events = await admin.eventsOf(async () => {
      const { body } = await admin.must(200, "PUT", path("flag"), [
        { name: "b", weight: 1, overrides: [{ contextName: "userId", values: ["7"] }] },
        { name: "a", weight: 5 },
        { name: "fixed", weight: 100, weightType: "fix", payload: { type: "json", value: "{}" } },
      ]);
      expect(body).toEqual({
        version: 1,
        variants: [
          variant("a", 450),
          variant("b", 450, { overrides: [{ contextName: "userId", values: ["7"] }] }),
          variant("fixed", 100, { weightType: "fix", payload: { type: "json", value: "{}" } }),
        ],
      });
    });
    expect(events).toEqual([
      expect.objectContaining({
        type: "feature-environment-variants-updated",
        project: "default",
        featureName: "flag",
        environment: "development",
        preData: { variants: [] },
        data: {
          variants: [expect.objectContaining({ name: "a" }), expect.anything(), expect.anything()],
        },
      }),
    ]);
    expect(await weightsOf("flag", "production")).toEqual([]);
  });

  test("PUT of what GET returns changes and records nothing", async () => {
    const { body } = await admin.must<VariantList>(200, "GET", path("flag"));
    const put = () => admin.must(200, "PUT", path("flag"), body.variants);
    expect(await admin.eventsOf(put)).toEqual([]);
    expect((await admin.must(200, "GET", path("flag"))).body).toEqual(body);
  });

  test("PATCH applies a JSON Patch and recomputes the weights", async () => {
    await admin.must(200, "PATCH", path("flag"), [
      { op: "remove", path: "/2" },
      { op: "add", path: "/-", value: { name: "c", weight: 0 } },
    ]);
    expect(await weightsOf("flag")).toEqual([
      ["a", 334],
      ["b", 333],
      ["c", 333],
    ]);
  });

  test("the flag, its list entry and its possible parents' variants contain them", async () => {
    const one = await admin.must<{ environments: object[] }>(200, "GET", `${FEATURES}/flag`);
    expect(one.body.environments[0]).toMatchObject({ variants: [{ name: "a" }, {}, {}] });
    const list = await admin.must(200, "GET", `${FEATURES}?namePrefix=flag`);
    expect(list.body).toMatchObject({
      features: [{ environments: [{ variantCount: 3 }, { variantCount: 0 }] }],
    });
    const names = await admin.must(200, "GET", `${FEATURES}/flag/parent-variants`);
    expect(names.body).toEqual(["a", "b", "c"]);
  });

  test("SDKs of the environment receive the variants at once", async () => {
    await admin.must(200, "POST", `${FEATURES}/flag/environments/development/on`);
    expect(await sdkFeature("flag")).toMatchObject({
      variants: [
        variant("a", 334),
        variant("b", 333, { overrides: [{ contextName: "userId", values: ["7"] }] }),
        variant("c", 333),
      ],
    });
    await admin.must(200, "PUT", path("flag"), [variant("only", 1000)]);
    expect((await sdkFeature("flag"))?.variants).toEqual([variant("only", 1000)]);
  });

  test("the playground selects among the variants of the flag, unless the strategy has its own", async () => {
    const play = async () => {
      const { body } = await admin.must<{ features: { name: string }[] }>(
        200,
        "POST",
        "/playground",
        {
          environment: "development",
          context: { userId: "7" },
        },
      );
      return body.features.find(({ name }) => name === "flag");
    };
    expect(await play()).toMatchObject({
      variant: { name: "only", enabled: true },
      variants: [{ name: "only" }],
    });
    const strategies = `${FEATURES}/flag/environments/development/strategies`;
    const { body } = await admin.must<{ id: string; name: string }[]>(200, "GET", strategies);
    await admin.must(200, "PUT", `${strategies}/${body[0]?.id}`, {
      variants: [variant("of-strategy", 1000)],
    });
    expect(await play()).toMatchObject({
      variant: { name: "of-strategy" },
      variants: [{ name: "of-strategy" }],
    });
  });

  test("archiving and reviving a flag keeps its variants", async () => {
    await admin.must(202, "POST", "/projects/default/archive", { features: ["flag"] });
    await admin.must(200, "POST", "/projects/default/revive", { features: ["flag"] });
    expect(await weightsOf("flag")).toEqual([["only", 1000]]);
  });

  describe("variants-batch", () => {
    const batch = `${FEATURES}/other/variants-batch`;

    test("variants-batch replaces the variants of several environments, with one event for each", async () => {
      const events = await admin.eventsOf(() =>
        admin.must(200, "PUT", batch, {
          environments: ["production", "development", "production"],
          variants: [{ name: "x", weight: 1000 }],
        }),
      );
      expect(events.map(({ type, environment }) => [type, environment])).toEqual([
        ["feature-environment-variants-updated", "production"],
        ["feature-environment-variants-updated", "development"],
      ]);
      expect(await weightsOf("other", "production")).toEqual([["x", 1000]]);
    });

    test.each([
      [{ environments: [], variants: [] }, 400, "BadDataError", "/body/environments"],
      [{ environments: ["development"] }, 400, "BadDataError", "/body/variants"],
      [
        { environments: ["development"], variants: [{ name: "x", weight: 1, weightType: "fix" }] },
        400,
        "BadDataError",
        "/body/variants",
      ],
      [{ environments: ["development", "none"], variants: [] }, 404, "NotFoundError", undefined],
    ] as const)("variants-batch refuses %j as a whole", async (body, status, name, errorPath) => {
      const expected = { status, name, ...(errorPath !== undefined && { path: errorPath }) };
      await admin.refuse(expected, "PUT", batch, body);
    });
  });

  const twice = [variant("a", 1), variant("a", 1)];
  test.each([
    [{}, "/body"],
    [[{ weight: 1 }], "/body/0/name"],
    [[{ name: "a" }], "/body/0/weight"],
    [[{ name: "a b", weight: 1 }], "/body/0/name"],
    [[variant("a", 1001)], "/body/0/weight"],
    [[variant("a", 1, { stickiness: "" })], "/body/0/stickiness"],
    [[variant("a", 1, { weightType: "fix" })], "/body"],
    [[variant("a", 900, { weightType: "fix" }), variant("b", 900, { weightType: "fix" })], "/body"],
    [twice, "/body/1/name"],
    [[variant("a", 1, { payload: { type: "number", value: "x" } })], "/body/0/payload/value"],
    [[variant("a", 1, { overrides: [{ values: [] }] })], "/body/0/overrides/0/contextName"],
  ])("PUT of %j is refused", async (body, errorPath) => {
    await admin.refuse(
      { status: 400, name: "BadDataError", path: errorPath },
      "PUT",
      path("flag"),
      body,
    );
  });

  test.each([
    [[{ op: "remove", path: "/9" }], "/body/0/path"],
    [[{ op: "replace", path: "", value: {} }], "/patched"],
    [[{ op: "replace", path: "/0/weight", value: "much" }], "/patched/0/weight"],
    [[{ op: "remove", path: "/0/weight" }], "/patched/0/weight"],
    [[{ op: "replace", path: "", value: twice }], "/patched/1/name"],
  ])("PATCH with %j is refused", async (patch, errorPath) => {
    const expected = { status: 400, name: "BadDataError", path: errorPath };
    await admin.refuse(expected, "PATCH", path("flag"), patch);
  });

  test("unknown flags, environments and projects are a 404, archived flags a 400", async () => {
    const unknown = { status: 404, name: "NotFoundError" };
    const elsewhere = path("flag").replace("default", "empty");
    for (const target of [path("none"), path("flag", "none"), elsewhere]) {
      await admin.refuse(unknown, "GET", target);
      await admin.refuse(unknown, "PUT", target, []);
      await admin.refuse(unknown, "PATCH", target, []);
    }
    const archived = { status: 400, name: "ArchivedFeatureError" };
    await admin.refuse(archived, "PUT", path("archived"), []);
    await admin.refuse(archived, "PUT", `${FEATURES}/archived/variants-batch`, {
      environments: ["development"],
      variants: [],
    });
    expect(await weightsOf("archived")).toEqual([]);
  });

  test("no request caused an internal error", () => {
    expect(admin.errors).toEqual([]);
  });
});
