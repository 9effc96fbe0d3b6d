import { beforeAll, describe, expect, test } from "vitest";
import { useAdmin } from "./_admin.ts";
import { describeAnyStorage } from "./_storages.ts";

const EXPORT = "/features-batch/export";
const IMPORT = "/features-batch/import";
const VALIDATE = "/features-batch/validate";
const BASE = "/projects/default/features";

/** An export of Unleash 7, with properties that this service does not know. */
const UNLEASH = {
  features: [
    {
      name: "banner",
      description: "Shows a banner",
      type: "experiment",
      project: "old",
      stale: false,
      impressionData: true,
      archived: false,
      createdAt: "2024-01-01T00:00:00.000Z",
    },
    { name: "menu", type: "release", project: "old", stale: true },
  ],
  featureStrategies: [
    {
      id: "2",
      name: "default",
      featureName: "banner",
      sortOrder: 1,
      segments: [],
      parameters: {},
      constraints: [],
    },
    {
      id: "1",
      name: "flexibleRollout",
      featureName: "banner",
      title: "Half",
      disabled: false,
      sortOrder: 0,
      segments: [7],
      parameters: { rollout: 50, stickiness: "default", groupId: "banner" },
      constraints: [{ contextName: "planet", operator: "IN", values: ["mars"], inverted: false }],
      variants: [],
    },
  ],
  featureEnvironments: [
    {
      featureName: "banner",
      name: "banner",
      environment: "staging",
      enabled: true,
      variants: [
        { name: "a", weight: 1000, weightType: "variable", stickiness: "default", overrides: [] },
      ],
    },
    { featureName: "menu", name: "menu", environment: "staging", enabled: true, variants: [] },
  ],
  contextFields: [
    { name: "planet", description: null, stickiness: false, legalValues: [{ value: "mars" }] },
  ],
  featureTags: [{ featureName: "banner", tagType: "team", tagValue: "web" }],
  tagTypes: [{ name: "team", description: "Team", icon: null, color: "#2563EB" }],
  segments: [{ id: 7, name: "martians" }],
  dependencies: [{ feature: "banner", dependencies: [{ feature: "menu", enabled: true }] }],
  links: [],
};

type Data = typeof UNLEASH;

function first<T>(list: readonly T[]): T {
  const [item] = list;
  if (item === undefined) throw new Error("The list is empty");
  return item;
}

/** A flag under another name. */
const flagNamed = (name: string) => ({ ...first(UNLEASH.features), name });

function dataWith(change: (data: Data) => void): Data {
  const data = structuredClone(UNLEASH);
  change(data);
  return data;
}

const body = (data: unknown, target: object = {}) => ({
  project: "default",
  environment: "production",
  data,
  ...target,
});

describeAnyStorage("features-batch", (source) => {
  const admin = useAdmin(source);

  const problemsOf = async (data: unknown) => {
    const response = await admin.must<{
      errors: { message: string; affectedItems: string[] }[];
      warnings: { message: string; affectedItems: string[] }[];
      permissions: unknown[];
    }>(200, "POST", VALIDATE, body(data));
    const { errors, warnings, permissions } = response.body;
    expect(permissions).toEqual([]);
    return { errors, warnings };
  };

  test("validation names flags whose strategies have entries that can never match", async () => {
    const data = dataWith(({ featureStrategies: [first] }) => {
      Object.assign(first ?? {}, { name: "remoteAddress", parameters: { IPs: "999.1.1.1" } });
    });
    expect((await problemsOf(data)).warnings).toContainEqual({
      message:
        "Strategies of these flags have list entries that can never match, or percentages out of range",
      affectedItems: ["banner"],
    });
  });

  test("properties of variants that do not exist here are ignored, as all others of an export", async () => {
    const variant = { name: "a", weight: 1000, weightType: "variable", stickiness: "default" };
    const data = dataWith(({ featureStrategies, featureEnvironments }) => {
      Object.assign(first(featureStrategies), { variants: [{ ...variant, overrides: [] }] });
      Object.assign(first(featureEnvironments), { variants: [{ ...variant, isNew: true }] });
    });
    expect((await problemsOf(data)).errors).toEqual([]);
  });

  beforeAll(async () => {
    await admin.must(201, "POST", "/projects", { id: "shop", name: "Shop" });
    await admin.must(201, "POST", "/segments", { name: "martians", constraints: [] });
    await admin.must(201, "POST", "/segments", {
      name: "customers",
      project: "shop",
      constraints: [],
    });
  });

  test("validate finds no problem, and changes nothing", async () => {
    const events = await admin.eventsOf(async () => {
      expect(await problemsOf(UNLEASH)).toEqual({ errors: [], warnings: [] });
    });
    expect(events).toEqual([]);
  });

  test("import creates flags in the environment of the request, and records this", async () => {
    const events = await admin.eventsOf(() => admin.must(200, "POST", IMPORT, body(UNLEASH)));
    expect(events.at(-1)).toMatchObject({
      type: "features-imported",
      project: "default",
      environment: "production",
      data: { created: ["banner", "menu"], updated: [] },
    });
    const banner = await admin.must(200, "GET", `${BASE}/banner`);
    expect(banner.body).toMatchObject({
      type: "experiment",
      description: "Shows a banner",
      impressionData: true,
      tags: [{ type: "team", value: "web" }],
      dependencies: [{ feature: "menu", enabled: true }],
      environments: [
        { name: "development", enabled: false, strategies: [], variants: [] },
        {
          name: "production",
          enabled: true,
          strategies: [
            { title: "Half", parameters: { rollout: "50" }, constraints: [{ values: ["mars"] }] },
            { name: "default" },
          ],
          variants: [{ name: "a", weight: 1000 }],
        },
      ],
    });
  });

  test("the patterns of a file are limited together", async () => {
    const withPatterns = (patternOf: (index: number) => string) => ({
      ...UNLEASH,
      featureStrategies: Array.from({ length: 30 }, (_, index) => ({
        name: "default",
        featureName: "menu",
        constraints: [{ contextName: "userId", operator: "REGEX", value: patternOf(index) }],
      })),
    });
    expect((await problemsOf(withPatterns((index) => `.{0,900}${index}`))).errors).toEqual([]);
    const data = withPatterns((index) => `.{0,900}${index}`);
    const features = Array.from({ length: 10 }, (_, flag) => ({ name: `menu-${flag}` }));
    const { errors } = await problemsOf({
      ...data,
      features,
      dependencies: [],
      featureStrategies: features.flatMap(({ name }) =>
        data.featureStrategies.map(({ constraints: [constraint], ...strategy }, index) => ({
          ...strategy,
          featureName: name,
          constraints: [{ ...constraint, value: `${name}.{0,900}${index}` }],
        })),
      ),
    });
    expect(errors[0]?.message).toContain("at most 200000 characters in the regular expressions");
  });

  test("an enabled flag without strategies gets the one that turning it on adds", async () => {
    const { body: menu } = await admin.must(200, "GET", `${BASE}/menu`);
    expect(menu).toMatchObject({
      stale: true,
      environments: [
        {},
        {
          enabled: true,
          strategies: [
            { name: "flexibleRollout", parameters: { rollout: "100", groupId: "menu" } },
          ],
        },
      ],
    });
  });

  test("import stores values in the form that all SDKs read", async () => {
    const data = {
      features: [flagNamed("forms")],
      featureStrategies: [
        {
          name: "flexibleRollout",
          featureName: "forms",
          parameters: { rollout: "50.5" },
          constraints: [
            { contextName: "currentTime", operator: "DATE_AFTER", value: "2026-01-31" },
            { contextName: "userId", operator: "NUM_GT", value: ".5" },
          ],
        },
      ],
    };
    const repeat = () => admin.must(200, "POST", IMPORT, body(data));
    await repeat();
    const path = `${BASE}/forms/environments/production/strategies`;
    expect((await admin.must(200, "GET", path)).body).toMatchObject([
      {
        parameters: { rollout: "50" },
        constraints: [{ value: "2026-01-31T00:00:00.000Z" }, { value: "0.5" }],
      },
    ]);
    expect(await admin.eventsOf(repeat)).toEqual([]);
    await admin.must(202, "DELETE", `${BASE}/forms`);
  });

  test("import of the same file changes nothing, and validate warns of the flags", async () => {
    const repeat = () => admin.must(200, "POST", IMPORT, body(UNLEASH));
    expect(await admin.eventsOf(repeat)).toEqual([]);
    expect(await problemsOf(UNLEASH)).toEqual({
      errors: [],
      warnings: [{ message: expect.any(String), affectedItems: ["banner", "menu"] }],
    });
  });

  test("import keeps other environments, and what the file lacks", async () => {
    const { featureTags: _tags, ...data } = dataWith((changed) => {
      changed.features.pop();
      changed.featureEnvironments.pop();
      changed.dependencies = [];
    });
    await admin.must(200, "POST", IMPORT, body(data, { environment: "development" }));
    const { body: banner } = await admin.must(200, "GET", `${BASE}/banner`);
    expect(banner).toMatchObject({
      tags: [{ type: "team", value: "web" }],
      dependencies: [{ feature: "menu" }],
      environments: [{ enabled: true, strategies: [{}, {}] }, { strategies: [{}, {}] }],
    });
  });

  test("an export can be imported, and then exported again with the same contents", async () => {
    const select = { features: ["banner", "menu", "none"], environment: "production" };
    const exported = await admin.must<Data>(200, "POST", EXPORT, select);
    expect(exported.body).toMatchObject({
      features: [{ name: "banner", project: "default" }, { name: "menu" }],
      featureStrategies: expect.arrayContaining([
        expect.objectContaining({ featureName: "banner", title: "Half" }),
      ]),
      featureEnvironments: [
        { featureName: "banner", environment: "production", enabled: true, variants: [{}] },
        { featureName: "menu" },
      ],
      contextFields: [{ name: "planet", legalValues: [{ value: "mars" }] }],
      featureTags: [{ featureName: "banner", tagType: "team", tagValue: "web" }],
      tagTypes: [{ name: "team" }],
      segments: [{ name: "martians" }],
      dependencies: [{ feature: "banner", dependencies: [{ feature: "menu" }] }],
      links: [],
    });
    const names = ["banner", "menu"];
    await admin.must(202, "POST", "/projects/default/archive", { features: names });
    await admin.must(200, "POST", "/projects/default/delete", { features: names });
    await admin.must(200, "POST", IMPORT, body(exported.body, { project: "shop" }));
    const again = await admin.must<Data>(200, "POST", EXPORT, select);
    const comparable = ({ features, featureStrategies, ...data }: Data) => ({
      ...data,
      features: features.map(({ name, type, description, stale }) => [
        name,
        type,
        description,
        stale,
      ]),
      featureStrategies: featureStrategies.map(({ id: _id, ...strategy }) => strategy),
    });
    expect(comparable(again.body)).toEqual(comparable(exported.body));
  });

  test("links of flags are left out, with a warning", async () => {
    const file = {
      features: [{ name: "linked" }],
      featureStrategies: [],
      links: [
        { feature: "linked", links: [{ url: "https://example.com/", title: null }] },
        { feature: "other", links: [] },
      ],
    };
    const warning = {
      message: "Links of flag cannot be imported: add them to the flag here",
      affectedItems: ["linked"],
    };
    const { body: validation } = await admin.must(200, "POST", VALIDATE, body(file));
    expect(validation).toMatchObject({ errors: [], warnings: [warning] });
    expect((await admin.must(200, "POST", IMPORT, body(file))).body).toEqual({
      warnings: [warning],
    });
  });

  test.each([
    [{ project: "shop" }, ["banner", "menu"]],
    [{ tag: "web" }, ["banner"]],
    [{ tag: "none" }, []],
    [{ features: [] }, []],
  ])("export of %j selects features", async (selection, names) => {
    const query = { environment: "production", ...selection };
    const response = await admin.must<Data>(200, "POST", EXPORT, query);
    expect(response.body.features.map(({ name }) => name)).toEqual(names);
    expect(response.headers.get("content-disposition")).toBeNull();
    const file = await admin.must(200, "POST", EXPORT, { ...query, downloadFile: true });
    expect(file.headers.get("content-disposition")).toBe('attachment; filename="features.json"');
  });

  test.each([
    [{ environment: "none", features: [] }, "/body/environment"],
    [{ environment: "production" }, "/body"],
    [{ environment: "production", features: [], tag: "x" }, "/body"],
    [{ features: [] }, "/body/environment"],
  ])("export of %j is refused", async (query, path) => {
    await admin.refuse({ status: 400, name: "BadDataError", path }, "POST", EXPORT, query);
  });

  describe("an import with problems", () => {
    const renamed = (change: (data: Data) => void) =>
      dataWith((data) => {
        data.features = [flagNamed("new")];
        for (const part of [...data.featureStrategies, ...data.featureEnvironments]) {
          part.featureName = part.featureName === "banner" ? "new" : "ignored";
        }
        data.featureTags = [];
        data.dependencies = [];
        change(data);
      });
    const strategyOf = (data: Data) => data.featureStrategies[1] ?? data.featureStrategies[0];

    test.each<[string, (data: Data) => void, message: string, affected?: string[]]>([
      [
        "an unknown strategy",
        (data) => Object.assign(strategyOf(data) ?? {}, { name: "lunar" }),
        "Flag uses the strategy type lunar: create it first",
      ],
      [
        "an unknown segment",
        (data) => data.segments.splice(0, 1, { id: 7, name: "none" }),
        "Flag uses the segment none: create it first, for this project or for all",
      ],
      [
        "a segment of another project",
        (data) => data.segments.splice(0, 1, { id: 7, name: "customers" }),
        "Flag uses the segment customers: create it first, for this project or for all",
      ],
      [
        "a segment without a name",
        (data) => data.segments.splice(0),
        "Flag uses the segment 7: create it first, for this project or for all",
      ],
      [
        "an unknown parent",
        (data) =>
          data.dependencies.push({
            feature: "new",
            dependencies: [{ feature: "none", enabled: true }],
          }),
        "Flag depends on the flag none, which is neither imported nor here",
      ],
      [
        "other allowed values",
        (data) => data.contextFields[0]?.legalValues.push({ value: "venus" }),
        "Flag uses the context field planet, which is different here",
      ],
      [
        "a feature of another project",
        (data) => data.features.push(flagNamed("menu")),
        "Flag has the name of a flag of another project, and names are unique",
        ["menu"],
      ],
      [
        "a repeated feature",
        (data) => data.features.push(...data.features),
        'In flag "new", name: is a duplicate: "new"',
        [],
      ],
      [
        "a value that is not allowed",
        (data) => strategyOf(data)?.constraints[0]?.values.push("venus"),
        'In flag "new", environment "production", strategy 1, constraint 1, value "venus": is not an allowed value of the context field: "venus"',
        [],
      ],
      [
        "a repeated variant",
        ({ featureEnvironments: [state] }) => state?.variants.push(first(state.variants)),
        'In flag "new", environment "production", variant "a", name: is a duplicate: "a"',
        [],
      ],
    ])(
      "%s is reported by validate and refused by import",
      async (_name, change, message, affectedItems = ["new"]) => {
        const data = renamed(change);
        const { errors } = await problemsOf(data);
        expect(errors).toContainEqual({ message, affectedItems });
        const expected = { status: 400, name: "BadDataError" };
        const { body: error } = await admin.refuse(expected, "POST", IMPORT, body(data));
        expect(error.message).toContain(message);
      },
    );

    test("archived flags are skipped, with a warning", async () => {
      await admin.must(201, "POST", BASE, { name: "archived" });
      await admin.must(202, "POST", "/projects/default/archive", { features: ["archived"] });
      const data = renamed((changed) => {
        changed.features.push(flagNamed("archived"));
      });
      const { errors, warnings } = await problemsOf(data);
      expect(errors).toEqual([]);
      expect(warnings).toEqual([{ message: expect.any(String), affectedItems: ["archived"] }]);
      const events = await admin.eventsOf(() => admin.must(200, "POST", IMPORT, body(data)));
      expect(events.at(-1)).toMatchObject({ data: { created: ["new"], updated: [] } });
    });

    test("an unknown project is a 404, an unknown environment a 400", async () => {
      for (const path of [IMPORT, VALIDATE]) {
        const project = body(UNLEASH, { project: "none" });
        await admin.refuse({ status: 404, name: "NotFoundError" }, "POST", path, project);
        const environment = body(UNLEASH, { environment: "none" });
        const expected = { status: 400, name: "BadDataError", path: "/body/environment" };
        await admin.refuse(expected, "POST", path, environment);
      }
    });
  });

  test("no request caused an internal error", () => {
    expect(admin.errors).toEqual([]);
  });
});
