import { beforeAll, expect, test } from "vitest";
import { combineValues } from "../src/playground/context-combinations.ts";
import { evaluateAll } from "../src/playground/evaluate-all.ts";
import { loadPlayground } from "../src/playground/load-playground.ts";
import type { Context, FlagFilter } from "../src/playground/schemas.ts";
import type { Storage } from "../src/storage/storage.ts";
import { EVERYWHERE } from "./_access.ts";
import { useAdmin } from "./_admin.ts";
import { describeAnyStorage } from "./_storages.ts";

interface Result {
  readonly name: string;
  readonly environment?: string;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly isEnabled: boolean;
  readonly [field: string]: unknown;
}

interface Advanced {
  readonly features: readonly { name: string; environments: Record<string, Result[]> }[];
}

const rollout = (percent: string) => ({
  name: "flexibleRollout",
  parameters: { rollout: percent, stickiness: "userId", groupId: "g" },
});

const COMMAS = ",".repeat(9999);
const indexes = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

describeAnyStorage("playground", (source) => {
  const admin = useAdmin(source);
  const FEATURES = "/projects/default/features";
  const DEVELOPMENT = "environments/development";

  const createFeature = async (name: string, strategies: readonly object[]): Promise<void> => {
    await admin.must(201, "POST", FEATURES, { name });
    for (const strategy of strategies) {
      await admin.must(200, "POST", `${FEATURES}/${name}/${DEVELOPMENT}/strategies`, strategy);
    }
    await admin.must(200, "POST", `${FEATURES}/${name}/${DEVELOPMENT}/on`);
  };

  const play = async (context: object, more: object = {}) => {
    const body = { environment: "development", context, ...more };
    const response = await admin.must<{ features: readonly Result[]; input: unknown }>(
      200,
      "POST",
      "/playground",
      body,
    );
    expect(response.body.input).toEqual(body);
    return new Map(response.body.features.map((feature) => [feature.name, feature]));
  };

  let segment = 0;

  beforeAll(async () => {
    const constraints = [{ contextName: "country", operator: "IN", values: ["DK"] }];
    const created = await admin.must<{ id: number }>(201, "POST", "/segments", {
      name: "danes",
      constraints,
    });
    segment = created.body.id;
    await createFeature("for-danes", [
      { ...rollout("0"), disabled: true, title: "Later" },
      { name: "default", segments: [segment], variants: [variant("red")] },
    ]);
    await createFeature("half", [rollout("50")]);
    await admin.must(201, "POST", "/strategies", { name: "lunar", parameters: [] });
    await createFeature("custom", [
      {
        name: "lunar",
        constraints: [{ contextName: "userId", operator: "IN", values: ["1"] }],
      },
    ]);
    await createFeature("off", []);
    // Enabling a flag without strategies adds one, and disabling the last one disables the flag.
    const strategiesPath = `${FEATURES}/off/${DEVELOPMENT}/strategies`;
    const { body } = await admin.must<{ id: string }[]>(200, "GET", strategiesPath);
    await admin.must(200, "PUT", `${strategiesPath}/${body[0]?.id}`, {
      name: "default",
      disabled: true,
    });
    await createFeature("child", [{ name: "default" }]);
    await admin.must(200, "POST", `${FEATURES}/child/dependencies`, { feature: "off" });
  });

  const variant = (name: string) => ({
    name,
    weight: 1000,
    weightType: "variable",
    stickiness: "default",
  });

  test("shows the result of each flag, strategy, segment and constraint", async () => {
    const features = await play({ userId: "1", properties: { country: "DK" } });
    expect([...features.keys()]).toEqual(["child", "custom", "for-danes", "half", "off"]);
    expect(features.get("for-danes")).toMatchObject({
      projectId: "default",
      isEnabled: true,
      isEnabledInCurrentEnvironment: true,
      variant: { name: "red", enabled: true },
      variants: [{ name: "red" }],
      explanation:
        "The flag is on because the context is in the segment danes; its variant is red.",
      strategies: {
        result: true,
        data: [
          {
            name: "flexibleRollout",
            title: "Later",
            disabled: true,
            result: { enabled: "unknown", evaluationStatus: "unevaluated" },
          },
          {
            name: "default",
            disabled: false,
            result: { enabled: true, evaluationStatus: "complete", variant: { name: "red" } },
            segments: [
              {
                id: segment,
                name: "danes",
                result: true,
                constraints: [{ contextName: "country", values: ["DK"], result: true }],
              },
            ],
          },
        ],
      },
    });
    const other = (await play({ properties: { country: "SE" } })).get("for-danes");
    expect(other).toMatchObject({
      isEnabled: false,
      variant: { name: "disabled", enabled: false },
      strategies: { result: false, data: [{}, { segments: [{ result: false }] }] },
    });
  });

  test("fields outside of `properties` are read as well", async () => {
    expect((await play({ country: "DK" })).get("for-danes")?.isEnabled).toBe(true);
  });

  test("the result of a custom strategy is unknown, unless a constraint excludes it", async () => {
    expect((await play({ userId: "1" })).get("custom")).toMatchObject({
      isEnabled: false,
      strategies: {
        result: "unknown",
        data: [{ result: { enabled: "unknown", evaluationStatus: "incomplete" } }],
      },
    });
    expect((await play({ userId: "2" })).get("custom")).toMatchObject({
      strategies: { result: false },
    });
  });

  test("says when a flag is disabled, and when a parent is off", async () => {
    const features = await play({});
    expect(features.get("off")).toMatchObject({
      isEnabled: false,
      isEnabledInCurrentEnvironment: false,
      explanation: "The flag is off because it is turned off in this environment.",
    });
    expect(features.get("child")).toMatchObject({
      isEnabled: false,
      hasUnsatisfiedDependency: true,
      strategies: { result: true },
    });
  });

  test("results equal those that SDKs get from the same definitions", async () => {
    for (const userId of ["1", "2", "3", "4", "5", "6"]) {
      const played = (await play({ userId })).get("half");
      expect(played?.["explanation"]).toContain(played?.isEnabled === true ? "within" : "beyond");
    }
  });

  test("contains the actual values, the bucket, the parents and the weights", async () => {
    const features = await play({ userId: "7", properties: { country: "SE" } });
    expect(features.get("for-danes")?.["details"]).toEqual({
      reason: "DEFAULT",
      mayChange: false,
      dependencies: [],
      strategies: [
        {
          id: expect.any(String),
          title: null,
          name: "default",
          matched: false,
          constraints: [],
          segments: [
            {
              id: String(segment),
              name: "danes",
              matched: false,
              explanation: expect.stringContaining("the context is not in the segment danes"),
              constraints: [
                {
                  contextName: "country",
                  operator: "IN",
                  inverted: false,
                  caseInsensitive: false,
                  values: { shown: ["DK"], count: 1 },
                  actual: "SE",
                  matched: false,
                  explanation: 'country is "SE", which is not "DK"',
                },
              ],
            },
          ],
          activation: { matched: true, explanation: "it matches everyone" },
        },
      ],
    });
    expect(features.get("half")?.["details"]).toMatchObject({
      reason: expect.any(String),
      strategies: [
        {
          activation: {
            rollout: { percentage: 50, field: "userId", value: "7", bucket: expect.any(Number) },
          },
        },
      ],
    });
    expect(features.get("child")?.["details"]).toMatchObject({
      dependencies: [{ name: "off", matched: false, requires: "on", result: { enabled: false } }],
    });
    const danish = await play({ properties: { country: "DK" } });
    expect(danish.get("for-danes")?.["details"]).toMatchObject({
      decidedBy: 0,
      variantSelection: { variants: [{ name: "red", weight: 1000, selected: true }] },
    });
  });

  test("evaluates only the named flags, and ignores unknown names", async () => {
    const features = await play({}, { features: ["half", "unknown"] });
    expect([...features.keys()]).toEqual(["half"]);
    expect((await play({}, { features: [] })).size).toBe(0);
    // The result of a parent counts, although only the child is evaluated.
    const all = await play({ userId: "1" });
    const [child] = (await play({ userId: "1" }, { features: ["child"] })).values();
    expect(child).toEqual(all.get("child"));
    expect((await play({}, { features: ["half"], projects: ["none"] })).size).toBe(0);
    const { body } = await admin.must<Advanced>(200, "POST", "/playground/advanced", {
      environments: ["development"],
      features: ["half"],
      context: { userId: "1,2" },
    });
    expect(body.features.map(({ name }) => name)).toEqual(["half"]);
  });

  test("limits the projects", async () => {
    expect([...(await play({}, { projects: ["none"] })).keys()]).toEqual([]);
    expect((await play({}, { projects: ["default"] })).size).toBe(5);
    expect((await play({}, { projects: "*" })).size).toBe(5);
  });

  test("the advanced form combines environments and values", async () => {
    const { body } = await admin.must<Advanced>(200, "POST", "/playground/advanced", {
      environments: ["development", "production"],
      context: { userId: "1,2", properties: { country: "DK,SE" } },
    });
    const danes = body.features.find(({ name }) => name === "for-danes")?.environments;
    expect(Object.keys(danes ?? {})).toEqual(["development", "production"]);
    const states = danes?.["development"]?.map(({ context, isEnabled }) => ({
      context,
      isEnabled,
    }));
    expect(states).toEqual(
      ["1", "2"].flatMap((userId) =>
        ["DK", "SE"].map((country) => ({
          context: { userId, properties: { country } },
          isEnabled: country === "DK",
        })),
      ),
    );
    expect(danes?.["production"]?.every(({ isEnabled }) => !isEnabled)).toBe(true);
  });

  test("rejects unknown environments, too many combinations and invalid contexts", async () => {
    const unknown = { environment: "none", context: {} };
    await admin.refuse({ status: 404, name: "NotFoundError" }, "POST", "/playground", unknown);
    const many = Array.from({ length: 200 }, (_, index) => String(index)).join();
    await admin.refuse({ status: 400, name: "BadDataError" }, "POST", "/playground/advanced", {
      environments: ["development"],
      context: { userId: many, sessionId: many },
    });
    await admin.refuse({ status: 400, name: "BadDataError" }, "POST", "/playground", {
      environment: "development",
      context: { userId: ["1"] },
    });
    await admin.refuse(
      { status: 400, name: "BadDataError", path: "/body/features" },
      "POST",
      "/playground",
      { environment: "development", context: {}, features: "half" },
    );
  });

  test("evaluates for a few requests at a time, and rejects others with a 503", async () => {
    const body = { environment: "development", context: {} };
    const statuses = await Promise.all(
      indexes(20).map(async () => {
        const { status, headers } = await admin.call("POST", "/playground", body);
        return `${status} ${headers.get("retry-after")}`;
      }),
    );
    expect(new Set(statuses)).toEqual(new Set(["200 null", "503 1"]));
    await play({});
  });

  test("checks the number of combinations before environments are loaded", async () => {
    const environments = ["development", "production"];
    let reads = 0;
    const storage: Pick<Storage, "read"> = {
      read: (work) => {
        reads += 1;
        return admin.storage.read(work);
      },
    };
    const evaluate = (context: Context) =>
      evaluateAll(storage, environments, combineValues(context), {
        features: ["half"],
        access: EVERYWHERE,
      });
    const many = indexes(100).join();
    await expect(evaluate({ userId: many, sessionId: many })).rejects.toThrow("too many");
    expect(reads).toBe(1);
    // One more read for each environment.
    expect(await evaluate({ userId: "1,2" })).toHaveLength(4);
    expect(reads).toBe(4);
  });

  test("loads only the flags to evaluate, their parents and their segments", async () => {
    const load = async (filter: FlagFilter) => {
      const { features, snapshot, segments } = await admin.storage.read((db) =>
        loadPlayground(db, "development", { ...filter, access: EVERYWHERE }),
      );
      return {
        features: features.map(({ feature }) => feature.name),
        compiled: snapshot.flags.map(({ name }) => name),
        segments: [...segments.keys()],
      };
    };
    expect(await load({ features: ["child", "unknown"] })).toEqual({
      features: ["child"],
      compiled: ["child", "off"],
      segments: [],
    });
    expect(await load({ features: ["for-danes"], projects: ["default"] })).toEqual({
      features: ["for-danes"],
      compiled: ["for-danes"],
      segments: [segment],
    });
    const nothing = { features: [], compiled: [], segments: [] };
    expect(await load({ projects: ["none"] })).toEqual(nothing);
  });

  test.each([
    ["too many fields", Object.fromEntries(indexes(251).map((index) => [`field${index}`, "x"]))],
    [
      "too many properties",
      { properties: Object.fromEntries(indexes(251).map((index) => [`field${index}`, "x"])) },
    ],
    ["combinations that would exhaust the memory", { a: COMMAS, b: COMMAS, c: COMMAS, d: COMMAS }],
    [
      "results that would exhaust the memory",
      {
        userId: indexes(100).join(),
        ...Object.fromEntries(indexes(60).map((index) => [`f${index}`, "x".repeat(10_000)])),
      },
    ],
  ])("rejects a context with %s", async (_, context) => {
    const { body } = await admin.refuse(
      { status: 400, name: "BadDataError" },
      "POST",
      "/playground/advanced",
      { environments: ["development"], context },
    );
    expect(body.details).toEqual([
      { path: expect.stringMatching(/^\/body\/context/), message: expect.any(String) },
    ]);
  });
});
