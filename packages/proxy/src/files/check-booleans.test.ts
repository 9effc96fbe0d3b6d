import { parse, stringify } from "yaml";
import { describe, expect, it } from "vitest";
import { parseFlagFile } from "./read-flag-file.ts";
import { toFlagDocument } from "./to-flag-document.ts";

async function read(text: string, name = "flags.yaml", environment?: string) {
  const { document, warnings } = toFlagDocument(await parseFlagFile(text, name), environment);
  const features = document.features as readonly { readonly name: string; enabled: boolean }[];
  const on = features.filter(({ enabled }) => enabled).map((flag) => flag.name);
  return { document, warnings, on };
}

/** One flag that is on for user 7, in each format that can say so. */
const strategy = { name: "userWithId", parameters: { userIds: "7", enabled: "off" } };
const constraint = { contextName: "userId", operator: "IN", values: ["7"] };
const variant = { name: "v", weight: 1000, payload: { type: "json", enabled: "off" } };
const dependency = { feature: "base", enabled: true };

type Parts = Readonly<Record<"flag" | "state" | "strategy" | "constraint" | "dependency", object>>;

const FORMATS: Readonly<Record<string, (parts: Parts) => object>> = {
  definitions: (parts) => ({
    features: [
      {
        name: "a",
        ...parts.flag,
        enabled: true,
        ...parts.state,
        strategies: [
          { ...strategy, ...parts.strategy, constraints: [{ ...constraint, ...parts.constraint }] },
        ],
        variants: [variant],
        dependencies: [{ ...dependency, ...parts.dependency }],
      },
      { name: "base", enabled: true, strategies: [] },
    ],
  }),
  "an export of flags-admin": (parts) => ({
    features: [
      {
        name: "a",
        ...parts.flag,
        environments: [
          { name: "development", enabled: false, strategies: [] },
          {
            name: "production",
            enabled: true,
            ...parts.state,
            strategies: [
              {
                ...strategy,
                ...parts.strategy,
                constraints: [{ ...constraint, ...parts.constraint }],
              },
            ],
            variants: [variant],
          },
        ],
        dependencies: [{ ...dependency, ...parts.dependency }],
      },
      { name: "base", environments: [{ name: "production", enabled: true, strategies: [] }] },
    ],
  }),
  "an export of Unleash": (parts) => ({
    features: [{ name: "a", ...parts.flag }, { name: "base" }],
    featureEnvironments: [
      {
        featureName: "a",
        environment: "production",
        enabled: true,
        ...parts.state,
        variants: [variant],
      },
      { featureName: "a", environment: "development", enabled: false },
      { featureName: "base", environment: "production", enabled: true },
    ],
    featureStrategies: [
      {
        featureName: "a",
        environment: "production",
        ...strategy,
        ...parts.strategy,
        constraints: [{ ...constraint, ...parts.constraint }],
      },
    ],
    dependencies: [{ feature: "a", dependencies: [{ ...dependency, ...parts.dependency }] }],
  }),
};

const NONE: Parts = { flag: {}, state: {}, strategy: {}, constraint: {}, dependency: {} };

/** Values that someone may write for false or true. */
const ODD = ["off", "no", "false", "true", "", 0, 1, [], {}];

const PLACES: readonly (readonly [keyof Parts, string])[] = [
  ["flag", "impressionData"],
  ["flag", "stale"],
  ["flag", "archived"],
  ["state", "enabled"],
  ["strategy", "disabled"],
  ["constraint", "inverted"],
  ["constraint", "caseInsensitive"],
  ["dependency", "enabled"],
];

describe.each(Object.entries(FORMATS))("%s", (name, create) => {
  const environment = name === "definitions" ? undefined : "production";
  const readParts = (parts: Partial<Parts>) =>
    read(stringify(create({ ...NONE, ...parts })), "flags.yaml", environment);

  it(`${name}: booleans, and those that are missing or null, are used`, async () => {
    const flag = { impressionData: false, stale: null };
    const read = await readParts({ flag, strategy: { disabled: false } });
    expect(read).toMatchObject({ warnings: [], on: ["a", "base"] });
  });

  it.each(PLACES)(`${name}: %s.%s that is not a boolean is rejected`, async (part, key) => {
    for (const value of ODD) {
      await expect(readParts({ [part]: { [key]: value } })).rejects.toThrow(
        /^line \d+, column \d+: \w+ must be true or false, found [^;]+$/,
      );
    }
  });

  it(`${name}: disabled strategies are removed, and a flag with no other is off`, async () => {
    const { document, warnings, on } = await readParts({ strategy: { disabled: true } });
    expect({ warnings, on }).toEqual({ warnings: [], on: ["base"] });
    expect(document.features[0]).toMatchObject({ name: "a", strategies: [] });
  });
});

describe("a map of flags", () => {
  it.each([
    ["a: { enabled: off }", 'line 1, column 15: enabled must be true or false, found "off"'],
    ["a: { enable: true }", "line 1, column 4: a flag must have `enabled`"],
    ["a: { enabled: 1 }", "line 1, column 15: enabled must be true or false, found 1"],
    ["a: { enabled: }", "line 1, column 4: a flag must have `enabled`"],
  ])("%s is rejected", async (line, problem) => {
    await expect(read(`${line}\nb: { enabled: true }`)).rejects.toThrow(problem);
  });

  it("JSON has the same rule, with line and column", async () => {
    const text = '{"a": {"enabled": true},\n "b": {"enabled": "true"}}';
    await expect(read(text, "flags.json")).rejects.toThrow(
      'line 2, column 19: enabled must be true or false, found "true"',
    );
  });

  it("flags can be called like a boolean", async () => {
    expect((await read("stale: { enabled: true }")).on).toEqual(["stale"]);
  });
});

it("only the first 20 values are described", async () => {
  const features = Array.from({ length: 25 }, (_, index) => ({ name: `f${index}`, enabled: 1 }));
  await expect(read(JSON.stringify({ features }), "flags.json")).rejects.toMatchObject({
    problems: { length: 20 },
  });
});

it("YAML in which a value is part of itself is read", async () => {
  const text = "features:\n  - &a { name: a, enabled: off, strategies: [*a] }\n";
  expect(parse(text)).toBeDefined();
  await expect(read(text)).rejects.toThrow(/^line 2, column \d+: [^;]*$/);
});
