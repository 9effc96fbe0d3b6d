import { describe, expect, test } from "vitest";
import { LIMITS } from "../src/limits.ts";
import { useAdmin } from "./_admin.ts";
import { BACKEND_TOKEN, KNOWS_SEGMENTS } from "./_service.ts";
import { describeStorages } from "./_storages.ts";

const FILE = {
  version: 1,
  project: "shop",
  contextFields: [
    {
      name: "region",
      stickiness: true,
      sortOrder: 9,
      legalValues: [{ value: "eu" }, { value: "us" }],
    },
    {
      name: "userId",
      description: "Who uses the application",
      stickiness: false,
      sortOrder: 1,
      legalValues: [],
    },
  ],
  segments: [
    {
      name: "Europeans",
      description: "Users in Europe",
      isShared: true,
      constraints: [
        {
          contextName: "region",
          operator: "IN",
          values: ["eu"],
          inverted: false,
          caseInsensitive: false,
        },
      ],
    },
    { name: "Own", description: null, isShared: false, constraints: [] },
  ],
  tagTypes: [{ name: "team", description: "Responsible team", icon: null, color: "#2563EB" }],
  strategyTypes: [
    {
      name: "moonPhase",
      title: null,
      description: "Depends on the moon phase",
      parameters: [{ name: "phase" }],
    },
  ],
  features: [
    {
      name: "child",
      type: "experiment",
      description: "Depends on another feature",
      stale: true,
      staleSnooze: { until: "2031-03-01T10:00:00.000Z" } as object | null,
      impressionData: true,
      tags: [{ type: "team", value: "checkout", color: null }],
      dependencies: [{ feature: "parent", enabled: true, variants: ["a"] }],
      environments: [
        {
          name: "development",
          enabled: true,
          strategies: [
            {
              name: "flexibleRollout",
              title: "Half of Europe",
              disabled: false,
              parameters: { rollout: "50", stickiness: "region", groupId: "child" },
              constraints: [
                {
                  contextName: "userId",
                  operator: "IN",
                  values: ["1", "2"],
                  inverted: true,
                  caseInsensitive: false,
                },
              ],
              variants: [
                { name: "a", weight: 300, weightType: "fix", stickiness: "region" },
                {
                  name: "b",
                  weight: 700,
                  weightType: "variable",
                  stickiness: "region",
                  payload: { type: "string", value: "x" },
                },
              ],
              segments: ["Europeans", "Own"],
            },
            {
              name: "moonPhase",
              title: null,
              disabled: true,
              parameters: { phase: "full" },
              constraints: [],
              variants: [],
              segments: [],
            },
          ],
          variants: [
            {
              name: "own",
              weight: 1000,
              weightType: "variable",
              stickiness: "default",
              overrides: [{ contextName: "region", values: ["eu"] }],
            },
          ],
        },
        { name: "production", enabled: false, strategies: [], variants: [] },
      ],
    },
    {
      name: "parent",
      type: "release",
      description: null,
      stale: false,
      staleSnooze: null,
      impressionData: false,
      tags: [],
      dependencies: [],
      environments: [
        { name: "development", enabled: false, strategies: [], variants: [] },
        { name: "production", enabled: false, strategies: [], variants: [] },
      ],
    },
  ],
};

/** The names of features, by the effect of an import on them. */
interface ImportResponse {
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly unchanged: readonly string[];
}

/** Returns a changed copy of the file. */
function fileWith(change: (file: typeof FILE) => void): typeof FILE {
  const file = structuredClone(FILE);
  change(file);
  return file;
}

function first<T>(list: readonly T[]): T {
  const [item] = list;
  if (item === undefined) throw new Error("The list is empty");
  return item;
}

const child = (file: typeof FILE) => first(file.features);
const development = (file: typeof FILE) => first(child(file).environments);

describeStorages("export and import of projects", (source) => {
  describe("a project", () => {
    const admin = useAdmin(source);
    const path = "/projects/shop";

    const typesOf = async (change: () => Promise<unknown>) =>
      (await admin.eventsOf(change)).map(({ type }) => type);

    test("import creates flags and the definitions that they refer to, and records them", async () => {
      await admin.must(201, "POST", "/projects", { id: "shop", name: "Shop" });
      const events = await admin.eventsOf(async () => {
        const { body } = await admin.must(200, "POST", `${path}/import`, FILE);
        expect(body).toEqual({ created: ["child", "parent"], updated: [], unchanged: [] });
      });
      expect(events.map(({ type }) => type)).toEqual([
        "tag-type-created",
        "strategy-created",
        "context-field-created",
        "segment-created",
        "segment-created",
        "feature-created",
        "feature-stale-on",
        "feature-stale-snoozed",
        "tag-created",
        "feature-tagged",
        "feature-strategy-add",
        "feature-strategy-add",
        "feature-environment-variants-updated",
        "feature-environment-enabled",
        "feature-created",
        "feature-dependency-added",
        "features-imported",
      ]);
      expect(events.at(-1)).toMatchObject({
        project: "shop",
        preData: null,
        data: { created: ["child", "parent"], updated: [] },
      });
    });

    test("export returns the imported file", async () => {
      const events = await admin.eventsOf(async () => {
        const { body } = await admin.must(200, "GET", `${path}/export`);
        expect(body).toEqual(FILE);
      });
      expect(events).toEqual([]);
    });

    test("SDKs receive the imported flags", async () => {
      const response = await admin.app.inject({
        path: "/api/client/features?project=shop",
        headers: { authorization: BACKEND_TOKEN, ...KNOWS_SEGMENTS },
      });
      const { features, segments } = response.json<{
        features: { name: string; enabled: boolean; strategies: unknown[] }[];
        segments: unknown[];
      }>();
      expect(segments).toHaveLength(2);
      expect(features.map(({ name, enabled }) => [name, enabled])).toEqual([
        ["child", true],
        ["parent", false],
      ]);
    });

    test("import of an unchanged file changes and records nothing", async () => {
      const events = await admin.eventsOf(async () => {
        const { body } = await admin.must(200, "POST", `${path}/import`, FILE);
        expect(body).toEqual({ created: [], updated: [], unchanged: ["child", "parent"] });
      });
      expect(events).toEqual([]);
    });

    test("import recognises a segment whose time is written in another form", async () => {
      const since = { contextName: "currentTime", operator: "DATE_AFTER", value: "2026-01-31" };
      const file = {
        version: 1,
        segments: [{ name: "Since", constraints: [since] }],
        features: [],
      };
      await admin.must(200, "POST", `${path}/import`, file);
      const events = await admin.eventsOf(() => admin.must(200, "POST", `${path}/import`, file));
      expect(events).toEqual([]);
    });

    test("import gives strategies with the same sort order different ones", async () => {
      const strategies = `${path}/features/child/environments/development/strategies`;
      const read = async () =>
        (await admin.must<{ id: string; sortOrder: number }[]>(200, "GET", strategies)).body;
      const before = await read();
      const same = before.map(({ id }) => ({ id, sortOrder: 2 ** 31 - 1 }));
      await admin.must(200, "POST", `${strategies}/set-sort-order`, same);
      const events = await admin.eventsOf(() => admin.must(200, "POST", `${path}/import`, FILE));
      expect(events.map(({ type }) => type)).toContain("feature-strategy-update");
      expect((await read()).map(({ sortOrder }) => sortOrder)).toEqual([0, 1]);
      expect((await admin.must(200, "GET", `${path}/export`)).body).toEqual(FILE);
    });

    test("import with dryRun reports the changes without making them", async () => {
      const file = fileWith((changed) => {
        child(changed).name = "other";
        development(changed).strategies.pop();
      });
      const events = await admin.eventsOf(async () => {
        const { body } = await admin.must(200, "POST", `${path}/import?dryRun=true`, file);
        expect(body).toEqual({ created: ["other"], updated: [], unchanged: ["parent"] });
      });
      expect(events).toEqual([]);
      expect((await admin.must(200, "GET", `${path}/export`)).body).toEqual(FILE);
    });

    test("import replaces the properties in the file and no others", async () => {
      const events = await admin.eventsOf(async () => {
        const { body } = await admin.must(200, "POST", `${path}/import`, {
          version: 1,
          features: [
            {
              name: "child",
              description: "Changed",
              tags: [],
              dependencies: [],
              environments: [
                {
                  name: "development",
                  enabled: true,
                  strategies: [{ name: "default" }],
                },
              ],
            },
          ],
        });
        expect(body).toEqual({ created: [], updated: ["child"], unchanged: [] });
      });
      expect(events.map(({ type }) => type)).toEqual([
        "feature-metadata-updated",
        "feature-untagged",
        "feature-strategy-update",
        "feature-strategy-remove",
        "feature-dependencies-removed",
        "features-imported",
      ]);
      const { body } = await admin.must<typeof FILE>(200, "GET", `${path}/export`);
      expect(first(body.features)).toMatchObject({
        name: "child",
        type: "experiment",
        stale: true,
        description: "Changed",
        tags: [],
        environments: [
          { name: "development", enabled: true, strategies: [{ name: "default", segments: [] }] },
          { name: "production", enabled: false },
        ],
      });
      await admin.must(200, "POST", `${path}/import`, FILE);
      expect((await admin.must(200, "GET", `${path}/export`)).body).toEqual(FILE);
    });

    test("import snoozes flags, and ends snoozes", async () => {
      const importSnooze = (staleSnooze: unknown) =>
        admin.must(200, "POST", `${path}/import`, {
          version: 1,
          features: [{ name: "child", staleSnooze }],
        });
      const read = async () => {
        const { body } = await admin.must<typeof FILE>(200, "GET", `${path}/export`);
        return child(body).staleSnooze;
      };
      expect(await typesOf(() => importSnooze({ permanent: true }))).toEqual([
        "feature-stale-snoozed",
        "features-imported",
      ]);
      expect(await read()).toEqual({ permanent: true });
      expect(await typesOf(() => importSnooze({ permanent: true }))).toEqual([]);
      expect(await typesOf(() => importSnooze(null))).toEqual([
        "feature-stale-unsnoozed",
        "features-imported",
      ]);
      expect(await read()).toBeNull();
      await importSnooze(child(FILE).staleSnooze);
      expect((await admin.must(200, "GET", `${path}/export`)).body).toEqual(FILE);
    });

    test("import can swap parent and child", async () => {
      const [initial, reversed] = [
        [{ feature: "parent", enabled: true, variants: ["a"] }],
        [{ feature: "child", enabled: true, variants: [] }],
      ];
      const swapped = fileWith(({ features }) => {
        Object.assign(features[0] ?? {}, { dependencies: [] });
        Object.assign(features[1] ?? {}, { dependencies: reversed });
      });
      await admin.must(200, "POST", `${path}/import`, swapped);
      const { body } = await admin.must<typeof FILE>(200, "GET", `${path}/export`);
      expect(body.features.map(({ dependencies }) => dependencies)).toEqual([[], reversed]);
      await admin.must(200, "POST", `${path}/import`, FILE);
      const restored = await admin.must<typeof FILE>(200, "GET", `${path}/export`);
      expect(first(restored.body.features).dependencies).toEqual(initial);
    });

    test("archived flags are not exported and prevent an import", async () => {
      await admin.must(201, "POST", `${path}/features`, { name: "old" });
      await admin.must(202, "DELETE", `${path}/features/old`);
      expect((await admin.must(200, "GET", `${path}/export`)).body).toEqual(FILE);
      const file = { version: 1, features: [{ name: "old" }] };
      await admin.refuse(
        { status: 400, name: "ArchivedFeatureError" },
        "POST",
        `${path}/import`,
        file,
      );
    });

    test.each([
      ["of another version", { ...FILE, version: 2 }, 400, "/body/version"],
      ["without features", { version: 1 }, 400, "/body/features"],
      ["with an unknown property", { ...FILE, more: 1 }, 400, "/body/more"],
      [
        "with a snooze that has no end",
        fileWith((file) => {
          child(file).staleSnooze = {};
        }),
        400,
        "/body/features/0/staleSnooze",
      ],
      [
        "with a snooze until no time",
        fileWith((file) => {
          child(file).staleSnooze = { until: "soon" };
        }),
        400,
        "/body/features/0/staleSnooze/until",
      ],
      [
        "with a duplicate feature",
        fileWith((file) => file.features.push(child(file))),
        400,
        "/body/features/2/name",
      ],
      [
        "with an unknown segment",
        fileWith((file) => {
          const segments = ["Europeans", "Own", "Nobody"];
          Object.assign(development(file).strategies[0] ?? {}, { segments });
        }),
        400,
        "/body/features/0/environments/0/strategies/0/segments/2",
      ],
      [
        "with more unknown segments than a statement has parameters",
        fileWith((file) => {
          const segments = Array.from({ length: 70_000 }, (_, index) => `s${index}`);
          Object.assign(development(file).strategies[0] ?? {}, { segments });
        }),
        400,
        "/body/features/0/environments/0/strategies/0/segments/0",
      ],
      [
        "with a value that is not legal",
        fileWith((file) => {
          Object.assign(development(file).strategies[1] ?? {}, {
            constraints: [{ contextName: "region", operator: "IN", values: ["mars"] }],
          });
        }),
        400,
        "/body/features/0/environments/0/strategies/1/constraints/0/values/0",
      ],
      [
        "with an unknown environment",
        fileWith((file) => {
          development(file).name = "mars";
        }),
        404,
        "/body/features/0/environments/0/name",
      ],
      [
        "with a feature that is on without a strategy",
        fileWith((file) => {
          development(file).strategies = [];
        }),
        400,
        "/body/features/0/environments/0/enabled",
      ],
      [
        "with an unknown strategy",
        fileWith((file) => {
          Object.assign(development(file).strategies[0] ?? {}, { name: "nothing" });
        }),
        400,
        "/body/features/0/environments/0/strategies/0/name",
      ],
      [
        "with an unknown parent",
        fileWith((file) => {
          Object.assign(child(file).dependencies[0] ?? {}, { feature: "nobody" });
        }),
        403,
        "/body/features/0/dependencies/0",
      ],
      [
        "with another segment of the same name",
        fileWith((file) => {
          Object.assign(file.segments[0] ?? {}, { constraints: [] });
        }),
        409,
        "/body/segments/0",
      ],
    ])("import rejects a whole file %s", async (_, file, status, at) => {
      const name = { 400: "BadDataError", 403: "InvalidOperationError", 404: "NotFoundError" };
      await admin.refuse(
        { status, name: name[status as 400] ?? "ConflictError", path: at },
        "POST",
        `${path}/import`,
        file,
      );
    });

    test("import rejects flags of another project", async () => {
      await admin.refuse(
        { status: 403, name: "InvalidOperationError" },
        "POST",
        "/projects/default/import",
        FILE,
      );
    });

    test("export and import reject unknown and archived projects", async () => {
      const expected = { status: 404, name: "NotFoundError" };
      await admin.must(201, "POST", "/projects", { id: "gone", name: "Gone" });
      await admin.must(200, "POST", "/projects/archive/gone");
      for (const id of ["nothing", "gone"]) {
        await admin.refuse(expected, "GET", `/projects/${id}/export`);
        await admin.refuse(expected, "POST", `/projects/${id}/import`, {
          version: 1,
          features: [],
        });
      }
    });

    test("no request caused an internal error", () => {
      expect(admin.errors).toEqual([]);
    });
  });
});

describeStorages("the maximum number of features", (source) => {
  const admin = useAdmin(source);
  const path = "/projects/default/import";
  const fileOf = (rollout: string) => ({
    version: 1,
    features: Array.from({ length: LIMITS.features }, (_, index) => ({
      name: `feature-${String(index).padStart(4, "0")}`,
      tags: [{ type: "simple", value: `tag-${index % 20}` }],
      ...(index % 2 === 1 && { dependencies: [{ feature: "feature-0000" }] }),
      environments: [
        {
          name: "development",
          enabled: true,
          strategies: [{ name: "flexibleRollout", parameters: { rollout } }],
        },
        { name: "production", enabled: false, strategies: [{ name: "default" }] },
      ],
    })),
  });

  test("the maximum number of flags can be created by one import and changed by another", async () => {
    const created = await admin.must<ImportResponse>(200, "POST", path, fileOf("50"));
    expect(created.body).toMatchObject({ updated: [], unchanged: [] });
    expect(created.body.created).toHaveLength(LIMITS.features);

    const events = await admin.eventsOf(async () => {
      const changed = await admin.must<ImportResponse>(200, "POST", path, fileOf("60"));
      expect(changed.body).toMatchObject({ created: [], unchanged: [] });
      expect(changed.body.updated).toHaveLength(LIMITS.features);
    });
    // One event for each feature, and one for the import.
    expect(events).toHaveLength(LIMITS.features + 1);
    const repeated = await admin.must<ImportResponse>(200, "POST", path, fileOf("60"));
    expect(repeated.body.unchanged).toHaveLength(LIMITS.features);

    const { body } = await admin.must<typeof FILE>(200, "GET", "/projects/default/export");
    expect(body.features).toHaveLength(LIMITS.features);
    expect(body.features.at(-1)).toMatchObject({
      tags: [{ value: "tag-19" }],
      dependencies: [{ feature: "feature-0000" }],
      environments: [{ enabled: true, strategies: [{ parameters: { rollout: "60" } }] }, {}],
    });
  });

  test("a file cannot exceed the limit of flags, alone or together with existing flags", async () => {
    const { features } = fileOf("60");
    await admin.refuse(
      { status: 400, name: "BadDataError", path: "/body/features" },
      "POST",
      path,
      {
        version: 1,
        features: [...features, { name: "one-more" }],
      },
    );
    await admin.refuse(
      { status: 400, name: "ExceedsLimitError", path: "/body/features/1" },
      "POST",
      path,
      { version: 1, features: [{ name: "feature-0001" }, { name: "one-more" }] },
    );
  });

  test("reviving a flag cannot exceed the limit of flags", async () => {
    const features = ["feature-0001"];
    const limit = { status: 400, name: "ExceedsLimitError" };
    await admin.must(202, "POST", "/projects/default/archive", { features });
    await admin.must(201, "POST", "/projects/default/features", { name: "one-more" });
    await admin.refuse(limit, "POST", "/projects/default/revive", { features });
    await admin.refuse(limit, "POST", "/archive/revive/feature-0001");
    await admin.must(202, "POST", "/projects/default/archive", { features: ["one-more"] });
    await admin.must(200, "POST", "/projects/default/revive", { features });
  });
});
