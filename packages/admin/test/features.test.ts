import { describe, expect, test } from "vitest";
import { useAdmin } from "./_admin.ts";
import type {
  EnvironmentOfFeature,
  FeatureList,
  FeaturePage,
  FeatureResponse,
  Named,
} from "./_responses.ts";
import { describeEachStorage } from "./_storages.ts";

interface FeatureTypes {
  readonly types: readonly { readonly id: string }[];
}

describeEachStorage("features", (source) => {
  const admin = useAdmin(source);
  let made = 0;

  const FEATURES = "/projects/default/features";
  const make = async (body: object = {}): Promise<string> => {
    const input = { name: `feature-${++made}`, ...body };
    return (await admin.must<Named>(201, "POST", FEATURES, input)).body.name;
  };
  const read = async (name: string) =>
    (await admin.must<FeatureResponse>(200, "GET", `${FEATURES}/${name}`)).body;
  const environmentOf = async (name: string, environment: string) => {
    const path = `${FEATURES}/${name}/environments/${environment}`;
    return (await admin.must<EnvironmentOfFeature>(200, "GET", path)).body;
  };

  describe("POST /api/admin/projects/{projectId}/features", () => {
    test("makes a feature that is off everywhere, and records it", async () => {
      const body = {
        name: "made",
        type: "experiment",
        description: "What it is for",
        impressionData: true,
        tags: [{ type: "simple", value: "new-tag" }],
        enabled: true,
        archived: true,
        createdByUserId: 5,
      };
      const recorded = await admin.eventsOf(async () => {
        const answer = await admin.must(201, "POST", FEATURES, body);
        expect(answer.body).toEqual({
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

    test("takes defaults for what is not sent", async () => {
      expect(await read(await make())).toMatchObject({
        type: "release",
        description: null,
        impressionData: false,
        stale: false,
      });
    });

    test("refuses taken names, archived ones too, and unknown projects", async () => {
      const name = await make();
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
    ])("refuses what is wrong at %s: %j", async (path, body) => {
      await admin.refuse({ status: 400, name: "BadDataError", path }, "POST", FEATURES, body);
    });

    test("makes one feature when the same name is sent many times at once", async () => {
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => admin.call("POST", FEATURES, { name: "once" })),
      );
      const statuses = answers.map(({ status }) => status).toSorted();
      expect(statuses).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
    });
  });

  describe("POST /api/admin/features/validate", () => {
    test("tells whether a name is free", async () => {
      const name = await make();
      const path = "/features/validate";
      await admin.must(200, "POST", path, { name: "free" });
      await admin.must(200, "POST", path, { name: "free", projectId: "default" });
      await admin.refuse({ status: 409, name: "NameExistsError" }, "POST", path, { name });
      await admin.refuse({ status: 400, name: "BadDataError" }, "POST", path, { name: "a/b" });
      await admin.refuse({ status: 404, name: "NotFoundError" }, "POST", path, {
        name: "free",
        projectId: "none",
      });
    });
  });

  describe("GET /api/admin/projects/{projectId}/features", () => {
    test("lists features by prefix and tag, with what they have in their environments", async () => {
      await make({ name: "List-a", tags: [{ type: "simple", value: "listed" }] });
      await make({ name: "list-b" });
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

    test("is empty for an unknown project", async () => {
      const { body } = await admin.must(200, "GET", "/projects/none/features");
      expect(body).toEqual({ version: 2, features: [] });
    });
  });

  describe("PUT /api/admin/projects/{projectId}/features/{feature}", () => {
    test("replaces what is sent and keeps the rest", async () => {
      const name = await make({ type: "experiment", description: "d", impressionData: true });
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

    test("records a change of stale as such", async () => {
      const name = await make();
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

    test("refuses other names and projects, and what is not for it to do", async () => {
      const path = `${FEATURES}/${await make()}`;
      for (const [at, body] of [
        ["/body/name", { name: "other" }],
        ["/body/project", { project: "other" }],
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
      const name = await make({ description: "d", type: "experiment" });
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
      ["/body/name", [{ op: "replace", path: "/name", value: "other" }]],
      ["/body/archived", [{ op: "replace", path: "/archived", value: true }]],
      ["/body", {}],
      ["/body/0", [5]],
    ])("refuses what is wrong at %s: %j", async (path, body) => {
      const name = await make();
      await admin.refuse(
        { status: 400, name: "BadDataError", path },
        "PATCH",
        `${FEATURES}/${name}`,
        body,
      );
    });

    test("refuses unknown features", async () => {
      await admin.refuse({ status: 404, name: "NotFoundError" }, "PATCH", `${FEATURES}/none`, []);
    });
  });

  describe("POST /api/admin/projects/{projectId}/stale", () => {
    test("marks features and records those that change", async () => {
      const [one, two] = [await make(), await make()];
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

    test("refuses features of other projects, wrong bodies and unknown projects", async () => {
      await admin.must(201, "POST", "/projects", { id: "elsewhere", name: "Elsewhere" });
      await admin.must(201, "POST", "/projects/elsewhere/features", { name: "foreign" });
      const path = "/projects/default/stale";
      await admin.refuse({ status: 403, name: "InvalidOperationError" }, "POST", path, {
        features: [await make(), "foreign"],
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

  describe("switching on and off", () => {
    test("gives a feature without strategies one for everybody", async () => {
      const name = await make();
      const path = `${FEATURES}/${name}/environments/production`;
      const recorded = await admin.eventsOf(async () => {
        const answer = await admin.must(200, "POST", `${path}/on`);
        expect(answer.text).toBe("");
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

    test("can be repeated, and then does nothing", async () => {
      const name = await make();
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
    ])("with only disabled strategies, %s", async (query, disabled) => {
      const name = await make();
      const path = `${FEATURES}/${name}/environments/production`;
      await admin.must(200, "POST", `${path}/strategies`, { name: "default", disabled: true });
      await admin.must(200, "POST", `${path}/on${query}`);
      const { strategies, enabled } = await environmentOf(name, "production");
      expect(enabled).toBe(true);
      expect(strategies.map((strategy) => strategy.disabled)).toEqual(disabled);
    });

    test("refuses unknown features and environments", async () => {
      const name = await make();
      const missing = { status: 404, name: "NotFoundError" };
      for (const word of ["on", "off"]) {
        await admin.refuse(missing, "POST", `${FEATURES}/none/environments/production/${word}`);
        await admin.refuse(missing, "POST", `${FEATURES}/${name}/environments/none/${word}`);
        await admin.refuse(
          missing,
          "POST",
          `/projects/none/features/${name}/environments/production/${word}`,
        );
      }
      await admin.refuse(missing, "GET", `${FEATURES}/${name}/environments/none`);
    });

    test("in bulk is all or nothing", async () => {
      const names = [await make(), await make()];
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

    test("takes any content type, since there is no body", async () => {
      const name = await make();
      const answer = await admin.call(
        "POST",
        `${FEATURES}/${name}/environments/production/on`,
        undefined,
        { headers: { "content-type": "application/x-www-form-urlencoded" } },
      );
      expect(answer.status).toBe(200);
    });
  });

  describe("GET /api/admin/search/features", () => {
    test("finds features by words, project and type", async () => {
      const name = await make({ name: "needle-1", description: "100% hay", type: "permission" });
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
      await admin.refuse(
        { status: 400, name: "BadDataError", path: "/query/sortBy" },
        "GET",
        "/search/features?sortBy=secret",
      );
    });
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

  test("no request was answered by a failure of the service", () => {
    expect(admin.errors).toEqual([]);
  });
});
