import { describe, expect, test } from "vitest";
import { useAdmin } from "./_admin.ts";
import type {
  EnvironmentOfFeature,
  FeatureList,
  FeaturePage,
  FeatureResponse,
  Named,
} from "./_responses.ts";
import { describeAnyStorage } from "./_storages.ts";

interface FeatureTypes {
  readonly types: readonly { readonly id: string; readonly lifetimeDays: number | null }[];
}

describeAnyStorage("features", (source) => {
  const admin = useAdmin(source);
  let featureCount = 0;

  const FEATURES = "/projects/default/features";
  const create = async (body: object = {}): Promise<string> => {
    const input = { name: `feature-${++featureCount}`, ...body };
    return (await admin.must<Named>(201, "POST", FEATURES, input)).body.name;
  };
  const segments = new Map<string, Promise<number>>();
  /** Returns the id of a segment that the tests share. */
  const segmentOf = (name: string): Promise<number> => {
    const id =
      segments.get(name) ??
      admin
        .must<{ readonly id: number }>(201, "POST", "/segments", { name, constraints: [] })
        .then(({ body }) => body.id);
    segments.set(name, id);
    return id;
  };
  const read = async (name: string) =>
    (await admin.must<FeatureResponse>(200, "GET", `${FEATURES}/${name}`)).body;
  const environmentOf = async (name: string, environment: string) => {
    const path = `${FEATURES}/${name}/environments/${environment}`;
    return (await admin.must<EnvironmentOfFeature>(200, "GET", path)).body;
  };

  describe("POST /api/admin/projects/{projectId}/features", () => {
    test("creates a flag that is off in every environment, and records it", async () => {
      const body = {
        name: "made",
        type: "experiment",
        description: "What it is for",
        impressionData: true,
        tags: [{ type: "simple", value: "new-tag" }],
        // What reading a flag returns, and a tool sends back.
        archived: true,
        environments: [],
      };
      const recorded = await admin.eventsOf(async () => {
        const response = await admin.must(201, "POST", FEATURES, body);
        expect(response.body).toEqual({
          name: "made",
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
      expect(recorded.map(({ type }) => type)).toEqual(["tag-created", "feature-created"]);
      expect(recorded[1]).toMatchObject({
        project: "default",
        featureName: "made",
        preData: null,
        data: { name: "made", type: "experiment" },
        tags: [{ type: "simple", value: "new-tag" }],
      });
      expect(await read("made")).toMatchObject({
        favorite: false,
        environments: [
          { name: "development", type: "development", enabled: false, strategies: [] },
          { name: "production", type: "production", enabled: false, strategies: [] },
        ],
        dependencies: [],
        children: [],
        tags: [{ type: "simple", value: "new-tag" }],
      });
    });

    test("applies defaults to absent properties", async () => {
      expect(await read(await create())).toMatchObject({
        type: "release",
        description: null,
        impressionData: false,
        stale: false,
      });
    });

    test("rejects taken names, including those of archived flags, and unknown projects", async () => {
      const name = await create();
      const taken = { status: 409, name: "NameExistsError" };
      await admin.refuse(taken, "POST", FEATURES, { name });
      await admin.must(202, "DELETE", `${FEATURES}/${name}`);
      await admin.refuse(taken, "POST", FEATURES, { name });
      await admin.refuse(
        { status: 404, name: "NotFoundError" },
        "POST",
        "/projects/none/features",
        {
          name: "lost",
        },
      );
    });

    test.each([
      ["/body/name", {}],
      ["/body/name", { name: "a b" }],
      ["/body/name", { name: "." }],
      ["/body/name", { name: null }],
      ["/body/type", { name: "x", type: "other" }],
      ["/body/impressionData", { name: "x", impressionData: "no" }],
      ["/body/tags/0/value", { name: "x", tags: [{ type: "simple" }] }],
      ["/body", { name: "x", tags: [{ type: "no-such-type", value: "vv" }] }],
    ])("rejects an invalid body at %s: %j", async (path, body) => {
      await admin.refuse({ status: 400, name: "BadDataError", path }, "POST", FEATURES, body);
    });

    test("creates one flag if several requests with the same name arrive at the same time", async () => {
      const responses = await Promise.all(
        Array.from({ length: 10 }, () => admin.call("POST", FEATURES, { name: "once" })),
      );
      const statuses = responses.map(({ status }) => status).toSorted();
      expect(statuses).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
    });
  });

  describe("POST /api/admin/features/validate", () => {
    test("checks whether a name is available", async () => {
      const name = await create();
      const path = "/features/validate";
      await admin.must(200, "POST", path, { name: "available" });
      await admin.must(200, "POST", path, { name: "available", projectId: "default" });
      await admin.refuse({ status: 409, name: "NameExistsError" }, "POST", path, { name });
      await admin.refuse({ status: 400, name: "BadDataError" }, "POST", path, { name: "a/b" });
      await admin.refuse({ status: 404, name: "NotFoundError" }, "POST", path, {
        name: "available",
        projectId: "none",
      });
    });
  });

  describe("GET /api/admin/projects/{projectId}/features", () => {
    test("lists flags by prefix and tag, with a summary of their environments", async () => {
      await create({ name: "List-a", tags: [{ type: "simple", value: "listed" }] });
      await create({ name: "list-b" });
      const namesOf = async (query: string): Promise<string[]> => {
        const { body } = await admin.must<FeatureList>(200, "GET", `${FEATURES}?${query}`);
        expect(body.version).toBe(2);
        return body.features.map(({ name }) => name);
      };
      expect((await namesOf("namePrefix=list-")).toSorted()).toEqual(["List-a", "list-b"]);
      expect(await namesOf("tag=simple:listed")).toEqual(["List-a"]);
      expect(await namesOf("tag=simple:none&tag=simple:listed")).toEqual(["List-a"]);
      expect(await namesOf("namePrefix=%25")).toEqual([]);
      await admin.refuse(
        { status: 400, name: "BadDataError", path: "/query/tag" },
        "GET",
        `${FEATURES}?tag=simple`,
      );
      await admin.must(200, "POST", `${FEATURES}/list-b/environments/production/on`);
      const { body } = await admin.must<FeatureList>(200, "GET", `${FEATURES}?namePrefix=list-b`);
      expect(body.features[0]?.environments).toEqual([
        expect.objectContaining({
          name: "development",
          enabled: false,
          hasStrategies: false,
          hasEnabledStrategies: false,
        }),
        expect.objectContaining({
          name: "production",
          enabled: true,
          hasStrategies: true,
          hasEnabledStrategies: true,
        }),
      ]);
    });

    const rollout = (percentage: string) => ({
      name: "flexibleRollout",
      parameters: { rollout: percentage, percentage: "90" },
    });
    const constraints = [{ contextName: "country", operator: "IN", values: ["DE"] }];

    test.each([
      ["no strategy", [], { percentage: 100 }],
      ["everyone", [{ name: "default" }], { strategyCount: 1, percentage: 100 }],
      ["a rollout", [rollout("25")], { strategyCount: 1, percentage: 25 }],
      [
        "an old rollout",
        [{ name: "gradualRolloutUserId", parameters: { percentage: "7", groupId: "g" } }],
        { strategyCount: 1, percentage: 7 },
      ],
      ["two rollouts", [rollout("25"), rollout("40")], { strategyCount: 2, percentage: 40 }],
      [
        "a constraint and a list",
        [
          { ...rollout("25"), constraints },
          { name: "userWithId", parameters: { userIds: "1" } },
        ],
        { strategyCount: 2, percentage: null, conditionalCount: 2 },
      ],
      [
        "the same segments twice",
        [{ segments: ["one", "two"] }, { segments: ["two"] }, rollout("5")],
        { strategyCount: 3, percentage: 5, conditionalCount: 2, segmentCount: 2 },
      ],
      [
        "disabled strategies",
        [
          { disabled: true },
          { segments: ["one"], disabled: true },
          { ...rollout("10"), disabled: false },
        ],
        { strategyCount: 1, percentage: 10 },
      ],
      ["only disabled strategies", [{ disabled: true }], { percentage: null }],
    ])("says whom flags with %s reach", async (_, strategies, reach) => {
      const flag = await create({ name: `reach-${++featureCount}` });
      for (const { segments = [], ...strategy } of strategies as readonly {
        readonly segments?: readonly string[];
      }[]) {
        // oxlint-disable-next-line no-await-in-loop -- in their order
        const ids = await Promise.all(segments.map(segmentOf));
        // oxlint-disable-next-line no-await-in-loop -- in their order
        await admin.must(200, "POST", `${FEATURES}/${flag}/environments/production/strategies`, {
          name: "default",
          ...strategy,
          segments: ids,
        });
      }
      const { body } = await admin.must<FeatureList>(200, "GET", `${FEATURES}?namePrefix=${flag}`);
      const counts = { strategyCount: 0, conditionalCount: 0, segmentCount: 0 };
      expect(body.features[0]?.environments).toContainEqual(
        expect.objectContaining({ name: "production", reach: { ...counts, ...reach } }),
      );
    });

    test("is empty for an unknown project", async () => {
      const { body } = await admin.must(200, "GET", "/projects/none/features");
      expect(body).toEqual({ version: 2, features: [] });
    });
  });

  describe("PUT /api/admin/projects/{projectId}/features/{feature}", () => {
    test("replaces the given properties and no others", async () => {
      const name = await create({ type: "experiment", description: "d", impressionData: true });
      const before = await read(name);
      const recorded = await admin.eventsOf(() =>
        admin.must(200, "PUT", `${FEATURES}/${name}`, { description: null }),
      );
      expect(await read(name)).toEqual({ ...before, description: null });
      expect(recorded).toEqual([
        expect.objectContaining({
          type: "feature-metadata-updated",
          featureName: name,
          preData: expect.objectContaining({ description: "d", type: "experiment" }),
          data: expect.objectContaining({ description: null, type: "experiment" }),
        }),
      ]);
      expect(
        await admin.eventsOf(() => admin.must(200, "PUT", `${FEATURES}/${name}`, before)),
      ).toHaveLength(1);
      expect(await admin.eventsOf(() => admin.must(200, "PUT", `${FEATURES}/${name}`, {}))).toEqual(
        [],
      );
    });

    test("records a change of stale as its own event", async () => {
      const name = await create();
      const recorded = await admin.eventsOf(() =>
        admin.must(200, "PUT", `${FEATURES}/${name}`, { stale: true }),
      );
      expect(recorded).toEqual([
        expect.objectContaining({
          type: "feature-stale-on",
          preData: { stale: false },
          data: { stale: true },
        }),
      ]);
    });

    test("ignores the name and the project, which the path contains", async () => {
      const name = await create();
      const sent = { name: "other", project: "other", description: "new" };
      await admin.must(200, "PUT", `${FEATURES}/${name}`, sent);
      expect(await read(name)).toMatchObject({ name, project: "default", description: "new" });
    });

    test("rejects a change of the archived state, and invalid values", async () => {
      const path = `${FEATURES}/${await create()}`;
      for (const [at, body] of [
        ["/body/archived", { archived: true }],
        ["/body/type", { type: "none" }],
        ["/body/stale", { stale: 1 }],
        ["/body", undefined],
      ] as const) {
        await admin.refuse({ status: 400, name: "BadDataError", path: at }, "PUT", path, body);
      }
      await admin.refuse({ status: 404, name: "NotFoundError" }, "PUT", `${FEATURES}/none`, {});
    });
  });

  describe("PATCH /api/admin/projects/{projectId}/features/{feature}", () => {
    test("applies a JSON Patch", async () => {
      const name = await create({ description: "d", type: "experiment" });
      const { body } = await admin.must(200, "PATCH", `${FEATURES}/${name}`, [
        { op: "test", path: "/description", value: "d" },
        { op: "replace", path: "/type", value: "permission" },
        { op: "remove", path: "/description" },
        { op: "add", path: "/stale", value: true },
      ]);
      expect(body).toMatchObject({ type: "permission", description: null, stale: true });
    });

    test.each([
      ["/body/0/value", [{ op: "test", path: "/type", value: "other" }]],
      ["/body/0/path", [{ op: "remove", path: "/none" }]],
      ["/body/0/path", [{ op: "add", path: "/none/deep", value: 1 }]],
      ["/body/0/op", [{ op: "destroy", path: "/type" }]],
      ["/body/0/value", [{ op: "replace", path: "/type" }]],
      ["/patched/type", [{ op: "replace", path: "/type", value: "none" }]],
      ["/patched", [{ op: "replace", path: "", value: 5 }]],
      ["/patched/name", [{ op: "replace", path: "/name", value: 5 }]],
      ["/body/archived", [{ op: "replace", path: "/archived", value: true }]],
      ["/body", {}],
      ["/body/0", [5]],
    ])("rejects an invalid body at %s: %j", async (path, body) => {
      const name = await create();
      await admin.refuse(
        { status: 400, name: "BadDataError", path },
        "PATCH",
        `${FEATURES}/${name}`,
        body,
      );
    });

    test("rejects unknown flags", async () => {
      await admin.refuse({ status: 404, name: "NotFoundError" }, "PATCH", `${FEATURES}/none`, []);
    });
  });

  describe("POST /api/admin/projects/{projectId}/stale", () => {
    test("marks flags and records those that change", async () => {
      const [one, two] = [await create(), await create()];
      const path = "/projects/default/stale";
      await admin.must(202, "POST", path, { features: [one], stale: true });
      const recorded = await admin.eventsOf(() =>
        admin.must(202, "POST", path, { features: [one, two, "none"], stale: true }),
      );
      expect(recorded).toEqual([
        expect.objectContaining({ type: "feature-stale-on", featureName: two }),
      ]);
      expect(await read(one)).toMatchObject({ stale: true });
      await admin.must(202, "POST", path, { features: [one], stale: false });
      expect(await read(one)).toMatchObject({ stale: false });
    });

    test("rejects flags of other projects, invalid bodies and unknown projects", async () => {
      await admin.must(201, "POST", "/projects", { id: "elsewhere", name: "Elsewhere" });
      await admin.must(201, "POST", "/projects/elsewhere/features", { name: "foreign" });
      const path = "/projects/default/stale";
      await admin.refuse({ status: 403, name: "InvalidOperationError" }, "POST", path, {
        features: [await create(), "foreign"],
        stale: true,
      });
      const bad = { status: 400, name: "BadDataError" };
      await admin.refuse(bad, "POST", path, { features: [], stale: "yes" });
      await admin.refuse(bad, "POST", path, { stale: true });
      await admin.refuse({ status: 404, name: "NotFoundError" }, "POST", "/projects/none/stale", {
        features: [],
        stale: true,
      });
    });
  });

  describe("turning flags on and off", () => {
    test("adds a strategy for everyone to a flag without strategies", async () => {
      const name = await create();
      const path = `${FEATURES}/${name}/environments/production`;
      const recorded = await admin.eventsOf(async () => {
        const response = await admin.must(200, "POST", `${path}/on`);
        expect(response.text).toBe("");
      });
      expect(await environmentOf(name, "production")).toEqual({
        name,
        environment: "production",
        enabled: true,
        strategies: [
          {
            id: expect.any(String),
            name: "flexibleRollout",
            title: null,
            disabled: false,
            constraints: [],
            parameters: { rollout: "100", stickiness: "default", groupId: name },
            variants: [],
            segments: [],
            sortOrder: 0,
          },
        ],
      });
      expect(recorded.map(({ type, environment }) => [type, environment])).toEqual([
        ["feature-strategy-add", "production"],
        ["feature-environment-enabled", "production"],
      ]);
      expect(recorded[1]).toMatchObject({ preData: { enabled: false }, data: { enabled: true } });
      expect(await environmentOf(name, "development")).toMatchObject({ enabled: false });
    });

    test("is idempotent", async () => {
      const name = await create();
      const path = `${FEATURES}/${name}/environments/production`;
      await admin.must(200, "POST", `${path}/on`);
      expect(await admin.eventsOf(() => admin.must(200, "POST", `${path}/on`))).toEqual([]);
      const off = await admin.eventsOf(() => admin.must(200, "POST", `${path}/off`));
      expect(off.map(({ type }) => type)).toEqual(["feature-environment-disabled"]);
      expect(await admin.eventsOf(() => admin.must(200, "POST", `${path}/off`))).toEqual([]);
      expect(await environmentOf(name, "production")).toMatchObject({
        strategies: [{ name: "flexibleRollout" }],
      });
    });

    test.each([
      ["", [true, false]],
      ["?shouldActivateDisabledStrategies=true", [false]],
    ])("adds or enables a strategy if all are disabled: %j", async (query, disabled) => {
      const name = await create();
      const path = `${FEATURES}/${name}/environments/production`;
      await admin.must(200, "POST", `${path}/strategies`, { name: "default", disabled: true });
      await admin.must(200, "POST", `${path}/on${query}`);
      const { strategies, enabled } = await environmentOf(name, "production");
      expect(enabled).toBe(true);
      expect(strategies.map((strategy) => strategy.disabled)).toEqual(disabled);
    });

    test("rejects unknown flags and environments", async () => {
      const name = await create();
      const missing = { status: 404, name: "NotFoundError" };
      for (const action of ["on", "off"]) {
        await admin.refuse(missing, "POST", `${FEATURES}/none/environments/production/${action}`);
        const path = `${FEATURES}/${name}/environments/none/${action}`;
        const { body } = await admin.refuse(missing, "POST", path);
        expect(body.message).toBe('There is no environment "none"');
        await admin.refuse(
          missing,
          "POST",
          `/projects/none/features/${name}/environments/production/${action}`,
        );
      }
      await admin.refuse(missing, "GET", `${FEATURES}/${name}/environments/none`);
    });

    test("switches several flags: all of them or none", async () => {
      const names = [await create(), await create()];
      const path = "/projects/default/bulk_features/environments/production";
      await admin.refuse({ status: 404, name: "NotFoundError" }, "POST", `${path}/on`, {
        features: [...names, "none"],
      });
      await admin.must(200, "POST", `${path}/on`, { features: names });
      expect(await environmentOf(names[1] ?? "", "production")).toMatchObject({ enabled: true });
      await admin.must(200, "POST", `${path}/off`, { features: names });
      expect(await environmentOf(names[1] ?? "", "production")).toMatchObject({ enabled: false });
      await admin.refuse({ status: 400, name: "BadDataError" }, "POST", `${path}/off`, {});
    });

    test.each([
      ["", ["feature-strategy-add"]],
      ["?shouldActivateDisabledStrategies=true", Array(2).fill("feature-strategy-update")],
    ])("records each change of several flags, in their order: %s", async (query, ofDisabled) => {
      const empty = await create();
      const disabled = await create();
      const ready = await create();
      const add = (name: string, strategy: object) =>
        admin.must(200, "POST", `${FEATURES}/${name}/environments/production/strategies`, {
          name: "default",
          ...strategy,
        });
      await add(disabled, { disabled: true, sortOrder: 7 });
      await add(disabled, { disabled: true, sortOrder: 8 });
      await add(ready, {});
      const path = "/projects/default/bulk_features/environments/production/on";
      const features = [ready, disabled, empty, disabled];
      const turnOn = () => admin.must(200, "POST", `${path}${query}`, { features });
      const recorded = await admin.eventsOf(turnOn);
      const on = "feature-environment-enabled";
      expect(recorded.map(({ featureName, type }) => [featureName, type])).toEqual([
        [ready, on],
        ...ofDisabled.map((type) => [disabled, type]),
        [disabled, on],
        [empty, "feature-strategy-add"],
        [empty, on],
      ]);
      expect(recorded.at(-2)?.data).toMatchObject({
        name: "flexibleRollout",
        parameters: { rollout: "100", stickiness: "default", groupId: empty },
        sortOrder: 0,
        segments: [],
      });
      if (query === "") expect(recorded[1]?.data).toMatchObject({ sortOrder: 9 });
      expect(await admin.eventsOf(turnOn)).toEqual([]);
    });

    test.each([
      "/projects/none/bulk_features/environments/production",
      "/projects/default/bulk_features/environments/none",
    ])("rejects an empty list for an unknown project or environment: %s", async (path) => {
      for (const action of ["on", "off"]) {
        const missing = { status: 404, name: "NotFoundError" };
        await admin.refuse(missing, "POST", `${path}/${action}`, { features: [] });
      }
    });

    test("accepts any content type because there is no body", async () => {
      const name = await create();
      const response = await admin.call(
        "POST",
        `${FEATURES}/${name}/environments/production/on`,
        undefined,
        { headers: { "content-type": "application/x-www-form-urlencoded" } },
      );
      expect(response.status).toBe(200);
    });
  });

  describe("GET /api/admin/search/features", () => {
    test("finds flags by words, project and type", async () => {
      const name = await create({ name: "needle-1", description: "100% hay", type: "permission" });
      const find = async (query: string): Promise<string[]> => {
        const { body } = await admin.must<FeaturePage>(200, "GET", `/search/features?${query}`);
        return body.features.map((feature) => feature.name);
      };
      expect(await find("query=NEEDLE")).toEqual([name]);
      expect(await find("query=100%25")).toEqual([name]);
      expect(await find("query=needle_1")).toEqual([]);
      expect(await find("type=IS:permission&query=needle")).toEqual([name]);
      expect(await find("type=IS_ANY_OF:release,permission&query=needle")).toEqual([name]);
      expect(await find("project=IS:none&query=needle")).toEqual([]);
      expect(await find("query=needle&archived=IS:true")).toEqual([]);
      expect(await find("query=none,%20Needle,,needle,")).toEqual([name]);
      expect(await find("query=,%20&type=IS:permission")).toContain(name);
      await admin.refuse(
        { status: 400, name: "BadDataError", path: "/query/sortBy" },
        "GET",
        "/search/features?sortBy=secret",
      );
    });

    test("accepts ten words with 200 characters", async () => {
      const words = Array.from({ length: 10 }, (_, index) => `word${index}`);
      const path = (...query: readonly string[]) => `/search/features?query=${query.join()}`;
      await admin.must(200, "GET", path(...words, ...words));
      await admin.must(200, "GET", path("x".repeat(200)));
      const tooMuch = { status: 400, name: "BadDataError", path: "/query/query" };
      await admin.refuse(tooMuch, "GET", path(...words, "another"));
      await admin.refuse(tooMuch, "GET", path("x".repeat(201)));
    });
  });

  test("a flag can be created and changed as the Terraform provider of Philips Labs does", async () => {
    const flag = {
      archived: false,
      description: "",
      name: "from-terraform",
      project: "default",
      stale: false,
      type: "kill-switch",
      impressionData: false,
      environments: null,
      variants: null,
    };
    const path = "/projects/default/features";
    await admin.must(201, "POST", path, flag);
    await admin.must(200, "PUT", `${path}/from-terraform`, { ...flag, variants: [] });
    await admin.refuse(
      { status: 400, name: "BadDataError", path: "/body/variants" },
      "PUT",
      `${path}/from-terraform`,
      { ...flag, variants: [{ name: "a" }] },
    );
  });

  test("the lifetime of a type of flags can be changed", async () => {
    const put = (lifetimeDays: unknown) =>
      admin.must<{ lifetimeDays: number | null }>(200, "PUT", "/feature-types/release/lifetime", {
        lifetimeDays,
      });
    const lifetime = async () => {
      const { body } = await admin.must<FeatureTypes>(200, "GET", "/feature-types");
      return body.types.find(({ id }) => id === "release")?.lifetimeDays;
    };
    const recorded = await admin.eventsOf(async () => {
      expect((await put(14)).body).toMatchObject({ id: "release", lifetimeDays: 14 });
      await put(14);
    });
    expect(recorded).toMatchObject([
      { type: "feature-type-updated", preData: { lifetimeDays: 40 }, data: { lifetimeDays: 14 } },
    ]);
    expect(await lifetime()).toBe(14);
    expect((await put(0)).body.lifetimeDays).toBeNull();
    expect(await lifetime()).toBeNull();
    await put(40);
    const unknown = "/feature-types/lunar/lifetime";
    await admin.refuse({ status: 404, name: "NotFoundError" }, "PUT", unknown, { lifetimeDays: 1 });
    for (const lifetimeDays of [-1, 1.5, "7", 2 ** 31, undefined]) {
      await admin.refuse(
        { status: 400, name: "BadDataError" },
        "PUT",
        "/feature-types/release/lifetime",
        { lifetimeDays },
      );
    }
  });

  test("GET /api/admin/feature-types lists the types", async () => {
    const { body } = await admin.must<FeatureTypes>(200, "GET", "/feature-types");
    expect(body.types.map(({ id }) => id)).toEqual([
      "release",
      "experiment",
      "operational",
      "kill-switch",
      "permission",
      "sunset",
    ]);
  });

  test("no request caused an internal error", () => {
    expect(admin.errors).toEqual([]);
  });
});
