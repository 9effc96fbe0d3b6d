import { describe, expect, it } from "vitest";
import { toFlagDocument } from "./to-flag-document.ts";

const convert = (value: object, environment?: string) =>
  toFlagDocument({ value, locate: () => "" }, environment);

const plan = { contextName: "plan", operator: "IN", values: ["pro"] };

const ADMIN_EXPORT = {
  version: 1,
  project: "shop",
  segments: [{ name: "pros", constraints: [plan] }],
  features: [
    {
      name: "checkout",
      type: "release",
      description: "New checkout",
      stale: false,
      impressionData: true,
      tags: [{ type: "simple", value: "web" }],
      dependencies: [{ feature: "base", enabled: true, variants: [] }],
      environments: [
        { name: "development", enabled: true, strategies: [] },
        {
          name: "production",
          enabled: true,
          strategies: [
            { name: "default", disabled: true },
            { name: "flexibleRollout", parameters: { rollout: "50" }, segments: ["pros", "gone"] },
          ],
        },
      ],
    },
    {
      name: "base",
      environments: [
        { name: "production", enabled: true, strategies: [{ name: "default", disabled: true }] },
      ],
    },
  ],
};

describe("an export of flags-admin", () => {
  it("an export of flags-admin becomes the definitions of an environment", () => {
    const { document, warnings } = convert(ADMIN_EXPORT, "production");
    expect(warnings).toEqual([]);
    expect(document).toEqual({
      version: 2,
      segments: [{ id: 1, name: "pros", constraints: [plan] }],
      features: [
        {
          name: "checkout",
          type: "release",
          description: "New checkout",
          project: "shop",
          stale: false,
          impressionData: true,
          enabled: true,
          strategies: [
            {
              name: "flexibleRollout",
              parameters: { rollout: "50" },
              constraints: [],
              variants: [],
              segments: [1, 0],
            },
          ],
          variants: [],
          dependencies: [{ feature: "base", enabled: true, variants: [] }],
        },
        // All of its strategies are disabled, so it is on for nobody.
        expect.objectContaining({ name: "base", enabled: false, strategies: [] }),
      ],
    });
  });

  it("an export of flags-admin requires the name of one of its environments", () => {
    expect(() => convert(ADMIN_EXPORT)).toThrow(
      "it is an export: name one of its environments with FLAGS_URL=file:PATH?environment=NAME (it contains: development, production)",
    );
    expect(() => convert(ADMIN_EXPORT, "test")).toThrow(
      "it is an export without the environment test (it contains: development, production)",
    );
  });
});

describe("an export of Unleash", () => {
  const unleashExport = {
    features: [
      { name: "a", type: "release", project: "default", stale: false, impressionData: false },
      { name: "old", archived: true },
    ],
    featureStrategies: [
      { name: "default", featureName: "a", sortOrder: 2, constraints: [plan], parameters: {} },
      { name: "userWithId", featureName: "a", sortOrder: 1, segments: [7], parameters: {} },
      { name: "default", featureName: "a", environment: "other", parameters: {} },
    ],
    featureEnvironments: [
      { featureName: "a", environment: "production", enabled: true, variants: [{ name: "v" }] },
    ],
    segments: [
      { id: 7, name: "pros" },
      { id: 8, name: "own", constraints: [plan] },
    ],
    dependencies: [{ feature: "a", dependencies: [{ feature: "b", enabled: true }] }],
  };

  it("an export of Unleash becomes the definitions of an environment, with a warning that segments are incomplete", () => {
    const { document, warnings } = convert(unleashExport, "production");
    expect(document.segments).toEqual([{ id: 8, name: "own", constraints: [plan] }]);
    expect(document.features).toEqual([
      expect.objectContaining({
        name: "a",
        enabled: true,
        variants: [{ name: "v" }],
        dependencies: [{ feature: "b", enabled: true }],
        strategies: [
          expect.objectContaining({ name: "userWithId", segments: [7] }),
          expect.objectContaining({ name: "default", constraints: [plan] }),
        ],
      }),
    ]);
    expect(warnings).toEqual([
      expect.stringMatching(/does not contain the constraints of its segments \(pros\)/),
    ]);
  });

  it("an export with one environment needs no name, with several it does", () => {
    expect(convert(unleashExport)).toEqual(convert(unleashExport, "production"));
    const other = { featureName: "a", environment: "other", enabled: true };
    const featureEnvironments = [...unleashExport.featureEnvironments, other];
    expect(() => convert({ ...unleashExport, featureEnvironments })).toThrow(
      "(it contains: other, production)",
    );
  });
});
