import { beforeAll, describe, expect, test } from "vitest";
import { ProjectAccess } from "../src/access/project-access.ts";
import { SYSTEM_ACTOR } from "../src/storage/events.ts";
import { applyBundle } from "../src/transfer/bundle/apply-bundle.ts";
import type { ImportItem, ImportReport } from "../src/transfer/bundle/bundle.ts";
import { createUnleashClient } from "../src/transfer/bundle/unleash-client.ts";
import { readServer } from "../src/transfer/bundle/read-server.ts";
import { useAdmin } from "./_admin.ts";
import { KNOWS_SEGMENTS, PRODUCTION_TOKEN } from "./_service.ts";
import { describeAnyStorage } from "./_storages.ts";
import {
  type ClientFeatures,
  readRecording,
  readSource,
  startUnleash,
  toComparable,
  UNLEASH_TOKEN,
} from "./_unleash-server.ts";

const json = (name: string) => JSON.parse(readSource(name)) as Record<string, unknown>;

/** The state of version 3 in the form of version 2, whose only environment had a name of its own. */
function toVersion2(): Record<string, unknown> {
  type Part = Record<string, unknown>;
  const { featureTags, featureStrategies, featureEnvironments, ...state } = json(
    "unleash-4-state-v3.json",
  ) as Record<string, Part[]>;
  const inProduction = (parts: Part[] = []) =>
    parts
      .filter(({ environment }) => environment === "production")
      .map((part) => ({ ...part, environment: ":global:" }));
  return {
    ...state,
    version: 2,
    environments: [{ name: ":global:", type: "production", sortOrder: 1, enabled: true }],
    featureTags: (featureTags ?? []).map(({ featureName, tagType, tagValue }) => {
      return { featureName, type: tagType, value: tagValue };
    }),
    featureStrategies: inProduction(featureStrategies),
    featureEnvironments: inProduction(featureEnvironments),
  };
}

const BANNER = { name: "banner", description: "A banner", impressionData: true };
const HALF = {
  name: "flexibleRollout",
  parameters: { rollout: "50", stickiness: "userId", groupId: "banner" },
  constraints: [{ contextName: "appName", operator: "IN", values: ["web"] }],
};
const CITY = { name: "byCity", parameters: { cities: "Oslo" } };
const VARIANTS = [
  { name: "a", weight: 500 },
  {
    name: "b",
    weight: 500,
    payload: { type: "string", value: "B" },
    overrides: [{ values: ["3"] }],
  },
];

/** Files that servers of each version wrote, and the flag `banner` in production that they contain. */
const FILES = [
  {
    source: "state file, version 1",
    file: json("unleash-3-state-v1.json"),
    environments: { default: "production" },
    banner: { name: "banner", enabled: true, strategies: [HALF, CITY] },
  },
  {
    source: "state file, version 2",
    file: toVersion2(),
    environments: { default: "production" },
    banner: { ...BANNER, enabled: true, strategies: [CITY, HALF, HALF], variants: VARIANTS },
  },
  {
    source: "state file, version 3",
    file: json("unleash-4-state-v3.json"),
    environments: {},
    banner: { ...BANNER, enabled: true, strategies: [CITY, HALF, HALF], variants: VARIANTS },
  },
  {
    source: "state file, version 4",
    file: json("unleash-5-state-v4.json"),
    environments: {},
    banner: {
      ...BANNER,
      enabled: true,
      strategies: [CITY, { ...HALF, variants: [{ name: "x" }] }],
      variants: VARIANTS,
    },
  },
  {
    source: "state file, version 4",
    file: readSource("unleash-5-state-v4.yaml"),
    environments: {},
    banner: { ...BANNER, strategies: [CITY, HALF], variants: VARIANTS },
  },
];

const flagsOf = (items: readonly ImportItem[], ...effects: readonly string[]) =>
  items
    .filter(({ kind, effect }) => kind === "flag" && effects.includes(effect))
    .map(({ name }) => name)
    .toSorted();

describeAnyStorage("imports from Unleash", (source) => {
  describe.each(FILES)("of a $source", ({ source: described, file, environments, banner }) => {
    const admin = useAdmin(source);
    const send = (query: string, body: object) =>
      admin.must<ImportReport>(200, "POST", `/import${query}`, { file, environments, ...body });

    test("contain all flags, which SDKs receive, and change nothing when they are repeated", async () => {
      const preview = await admin.eventsOf(async () => {
        const { body } = await send("?dryRun=true", {});
        expect(flagsOf(body.items, "created")).toEqual(["banner", "menu"]);
      });
      expect(preview).toEqual([]);
      const { body } = await send("", {});
      expect(body).toMatchObject({ source: described, contents: { projects: ["default"] } });
      expect(flagsOf(body.items, "created")).toEqual(["banner", "menu"]);
      expect(flagsOf(body.items, "conflict", "left out")).toEqual([]);

      const response = await admin.app.inject({
        path: "/api/client/features",
        headers: { authorization: PRODUCTION_TOKEN, ...KNOWS_SEGMENTS },
      });
      const { features, segments } = response.json<ClientFeatures>();
      expect(features).toMatchObject([banner, { name: "menu", stale: true, enabled: false }]);
      const ofBanner = (features[0]?.strategies ?? []).flatMap(
        (strategy) => strategy.segments ?? [],
      );
      const names = new Map((segments ?? []).map(({ id, name }) => [id, name]));
      expect(ofBanner.map((id) => names.get(id)).toSorted()).toEqual(
        described.endsWith("4") ? ["late", "pro-users"] : [],
      );
      const flag = await admin.must(200, "GET", "/projects/default/features/banner");
      expect(flag.body).toMatchObject({ tags: [{ type: "team", value: "web" }] });

      const repeated = await admin.eventsOf(async () => {
        const { body: again } = await send("", {});
        expect(new Set(again.items.map(({ effect }) => effect))).toEqual(new Set(["unchanged"]));
      });
      expect(repeated).toEqual([]);
    });
  });

  describe("of a running server", () => {
    const admin = useAdmin(source);
    const run = async (
      overwrites: "everything" | "nothing" = "nothing",
    ): Promise<readonly ImportItem[]> => {
      const url = await startUnleash();
      const bundle = await readServer(createUnleashClient(`${url}/api`, UNLEASH_TOKEN), [
        "default",
        "shop",
      ]);
      const performer = { role: "admin", access: ProjectAccess.everywhere("admin") } as const;
      const { report } = await admin.storage.write(SYSTEM_ACTOR, (transaction) =>
        applyBundle(transaction, bundle, { performer, overwrites }),
      );
      return report.items;
    };

    test("takes over everything, and SDKs evaluate the same flags", async () => {
      const items = await run();
      expect(flagsOf(items, "created")).toEqual([
        "colours",
        "express-payment",
        "maintenance",
        "new-checkout",
        "old-search",
        "shop-banner",
        "shop-search",
      ]);
      expect(items).toContainEqual({ kind: "environment", name: "staging", effect: "created" });
      expect(items).toContainEqual({ kind: "project", name: "shop", effect: "created" });
      expect(items.filter(({ effect }) => effect === "left out").map(({ kind }) => kind)).toEqual([
        "archived flag",
        "users and their roles",
        "API tokens",
        "change requests",
        "events and usage",
      ]);
      const response = await admin.app.inject({
        path: "/api/client/features",
        headers: { authorization: PRODUCTION_TOKEN, ...KNOWS_SEGMENTS },
      });
      const { production } = readRecording().clientFeatures;
      expect(toComparable(response.json<ClientFeatures>())).toEqual(
        toComparable(production ?? { features: [] }),
      );
    });

    test("takes over what SDKs do not receive", async () => {
      const read = async (path: string) => (await admin.must(200, "GET", path)).body;
      expect(await read("/projects/default/features/new-checkout")).toMatchObject({
        tags: [
          { type: "simple", value: "web" },
          { type: "team", value: "payments" },
        ],
        environments: [
          { name: "development", type: "development" },
          { name: "staging", type: "preproduction", enabled: true },
          {
            name: "production",
            strategies: [
              { title: "A quarter of the pro plan" },
              { title: "Staff" },
              { name: "userWithId", disabled: true },
            ],
          },
        ],
      });
      expect(await read("/context/plan")).toMatchObject({
        description: "What the customer pays for",
        legalValues: [{ value: "free" }, { value: "pro" }, { value: "enterprise" }],
      });
      expect(await read("/strategies/byHostname2")).toMatchObject({
        parameters: [{ name: "hosts", type: "list" }, { name: "min" }],
      });
      expect(await read("/segments")).toMatchObject({
        segments: [{ name: "eu-customers" }, { name: "shop-testers", project: "shop" }, {}],
      });
      expect(await read("/projects/shop")).toMatchObject({
        name: "Shop",
        description: "The web shop",
      });
      expect(await read("/projects/default/export")).toMatchObject({
        defaultStrategies: [
          { environment: "production", title: "Half", segments: ["eu-customers"] },
        ],
      });
    });

    test("changes nothing when it is repeated", async () => {
      const events = await admin.eventsOf(async () => {
        const effects = new Set((await run()).map(({ effect }) => effect));
        expect(effects).toEqual(new Set(["unchanged", "left out"]));
      });
      expect(events).toEqual([]);
    });

    test("keeps what was changed here, unless it is told to replace it", async () => {
      await admin.must(200, "PUT", "/projects/default/features/maintenance", {
        description: "Changed here",
      });
      const { body } = await admin.must<{ segments: { id: number }[] }>(200, "GET", "/segments");
      const { id } = body.segments[0] ?? { id: 0 };
      await admin.must(204, "PUT", `/segments/${id}`, { name: "eu-customers", constraints: [] });
      const conflicts = (await run()).filter(({ effect }) => effect === "conflict");
      expect(conflicts).toEqual([
        {
          kind: "segment",
          name: "eu-customers",
          effect: "conflict",
          reason: expect.any(String),
          replaceable: true,
        },
        {
          kind: "flag",
          name: "new-checkout",
          project: "default",
          effect: "conflict",
          reason: "uses the segment eu-customers, which is different here",
          replaceable: true,
        },
        {
          kind: "flag",
          name: "maintenance",
          project: "default",
          effect: "conflict",
          reason: expect.stringMatching(/^was changed here by .* on \d{4}-\d\d-\d\d$/),
          replaceable: true,
        },
      ]);
      const flag = () => admin.must(200, "GET", "/projects/default/features/maintenance");
      expect((await flag()).body).toMatchObject({ description: "Changed here" });

      const replaced = await run("everything");
      expect(replaced.filter(({ effect }) => effect === "conflict")).toEqual([]);
      expect(flagsOf(replaced, "updated")).toEqual(["maintenance"]);
      expect((await flag()).body).toMatchObject({ description: null });
      expect((await run()).filter(({ effect }) => /conflict|updated/.test(effect))).toEqual([]);
    });
  });

  describe("of an environment, with a mapping", () => {
    const admin = useAdmin(source);
    const file = json("unleash-8-environment.json");

    test("uses what exists here, and names flags whose segments and strategy types do not", async () => {
      const { body } = await admin.must<ImportReport>(200, "POST", "/import?dryRun=true", { file });
      expect(body.contents).toEqual({ projects: ["default"], environments: ["production"] });
      expect(flagsOf(body.items, "created")).toEqual(["colours", "maintenance"]);
      expect(body.items.filter(({ effect }) => effect === "conflict")).toMatchObject([
        { name: "new-checkout", reason: expect.stringContaining("eu-customers: create it first") },
        { name: "old-search", reason: expect.stringContaining("byHostname2: create it first") },
        { name: "express-payment", reason: expect.stringContaining("new-checkout") },
      ]);
      for (const name of ["eu-customers", "staff"]) {
        await admin.must(201, "POST", "/segments", { name, constraints: [] });
      }
      await admin.must(201, "POST", "/projects", { id: "other", name: "Other" });
      const mapping = { project: "other", environments: { production: "development" } };
      const imported = await admin.must<ImportReport>(200, "POST", "/import", { file, ...mapping });
      expect(flagsOf(imported.body.items, "created")).toEqual([
        "colours",
        "express-payment",
        "maintenance",
        "new-checkout",
      ]);
      const flag = await admin.must(200, "GET", "/projects/other/features/colours");
      expect(flag.body).toMatchObject({
        environments: [{ name: "development", enabled: true }, { enabled: false }],
      });
    });

    test("refuses a mapping of what the file does not contain", async () => {
      for (const [mapping, path] of [
        [{ environments: { staging: "production" } }, "/body/environments"],
        [{ projects: { constructor: "default" } }, "/body/projects"],
        [{ onlyProjects: ["none"] }, "/body/onlyProjects"],
      ] as const) {
        const expected = { status: 400, name: "BadDataError", path };
        await admin.refuse(expected, "POST", "/import", { file, ...mapping });
      }
    });
  });

  describe("by people who are no admins", () => {
    const admin = useAdmin(source);
    let editor = "";

    beforeAll(async () => {
      const token = { tokenName: "editor", type: "editor" };
      const { body } = await admin.must<{ secret: string }>(201, "POST", "/api-tokens", token);
      editor = body.secret;
    });

    test("create no environments and projects, and say so", async () => {
      const file = {
        version: 1,
        features: [
          {
            name: "a",
            environments: [
              { name: "production", enabled: false, strategies: [] },
              { name: "nowhere", enabled: false, strategies: [] },
            ],
          },
        ],
      };
      const call = (body: object) =>
        admin.call<ImportReport>("POST", "/import", body, { token: editor });
      const reason = "does not exist here, and only admins can create it";
      const { body } = await call({ file, project: "default" });
      expect(body.items).toMatchObject([
        { kind: "environment", name: "production", effect: "unchanged" },
        { kind: "environment", name: "nowhere", effect: "conflict", reason },
        { kind: "project", name: "default", effect: "unchanged" },
        { kind: "flag", name: "a", effect: "created" },
      ]);
      const { status } = await call({ file, projects: { default: "unknown" } });
      expect(status).toBe(404);
    });
  });

  describe("where changes require approvals", () => {
    const admin = useAdmin(source);

    test("say so in a dry run", async () => {
      const file = json("unleash-5-state-v4.json");
      const body = { file, environments: {} };
      const dryRun = () => admin.must<ImportReport>(200, "POST", "/import?dryRun=true", body);
      expect((await dryRun()).body).not.toHaveProperty("requiresApprovals");
      const path = "/environments/update/production";
      await admin.must(200, "PUT", path, { requiredApprovals: 2 });
      expect((await dryRun()).body.requiresApprovals).toEqual({
        project: "default",
        environment: "production",
        approvals: 2,
      });
      await admin.must(202, "POST", "/import", body);
    });
  });

  describe("of something else", () => {
    const admin = useAdmin(source);

    test.each([
      ["{", "The file is not valid JSON: see line 1, column 2"],
      ["version: 1\nfeatures: [\n", "The file is not valid YAML: see line 3, column 1"],
      [
        "*:*.a-secret-token",
        "The file is not valid YAML: it has too many aliases, or aliases of nothing",
      ],
      ["flags: []", "The file must contain flags: "],
      [
        { version: 5, features: [{ name: "a", strategies: [] }] },
        "In version: must be 1, 2, 3 or 4",
      ],
      [
        {
          version: 4,
          features: [],
          featureStrategies: [{ strategyName: 1 }],
          featureEnvironments: [],
        },
        "In featureStrategies 1, ",
      ],
      [
        { version: 4, features: [{ name: "a" }] },
        "The file is a state file of version 4 without featureStrategies and featureEnvironments: export the complete state",
      ],
      [
        { version: 3, features: [], featureStrategies: [] },
        "The file is a state file of version 3 without featureEnvironments",
      ],
      [
        {
          features: [{ name: "a" }],
          featureStrategies: [
            {
              featureName: "a",
              name: "default",
              environment: "production",
              constraints: [{ contextName: "x", operator: "NEAR" }],
            },
          ],
        },
        'In flag "a", environment "production", strategy 1, constraint 1, operator: must be one of',
      ],
      [
        {
          version: 1,
          features: [
            { name: "a", environments: [{ name: "production", enabled: true, strategies: [] }] },
          ],
        },
        'In flag "a", environment "production", enabled: must be false without an enabled strategy',
      ],
    ])("is refused: %j", async (file, message) => {
      const expected = { status: 400, name: "BadDataError" };
      const { body } = await admin.refuse(expected, "POST", "/import", { file });
      expect(body.message).toContain(message);
    });
  });
});

describe("a server that cannot be read", () => {
  const read = async (answer: Parameters<typeof startUnleash>[0], token = UNLEASH_TOKEN) => {
    const url = await startUnleash(answer);
    return { url, reading: readServer(createUnleashClient(url, token), undefined) };
  };

  test.each([
    [401, {}, "answers with 401: the token is unknown or has expired"],
    [403, {}, "answers with 403: the token must be an admin token"],
    [
      302,
      { location: "https://login.example.com/path?token=x" },
      "redirects to https://login.example.com: ",
    ],
    [500, {}, "answers with 500"],
    [200, {}, "does not answer with JSON"],
    [404, {}, "does not exist: check that"],
  ])("says why: %i", async (status, headers, message) => {
    const { url, reading } = await read({
      answer: (_path, response) => {
        response.writeHead(status, headers).end("<html>");
        return true;
      },
    });
    await expect(reading).rejects.toThrow(message);
    await expect(reading).rejects.toThrow(url);
    await expect(reading).rejects.not.toThrow(/secret|the-admin-of-unleash|token=x/);
  });

  test("says that it ended the connection, and that a project does not exist", async () => {
    const { reading } = await read({
      answer: (_path, response) => {
        response.writeHead(200);
        response.write("[");
        response.destroy();
        return true;
      },
    });
    await expect(reading).rejects.toThrow(/is incomplete|cannot be reached/);
    const url = await startUnleash();
    await expect(readServer(createUnleashClient(url, UNLEASH_TOKEN), ["none"])).rejects.toThrow(
      'has no project "none"',
    );
  });

  test.each([
    "unleash.example.com",
    "ftp://a.example",
    "https://user:secret@a.example",
    "https://a.example?x",
  ])("is not asked at the address %s", (address) => {
    expect(() => createUnleashClient(address, "a-token")).toThrow(/^must be/);
  });
});
