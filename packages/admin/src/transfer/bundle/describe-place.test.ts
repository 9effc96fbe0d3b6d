import { expect, test } from "vitest";
import { ApiError, badData } from "../../errors.ts";
import { describePlace, describingPlaces } from "./describe-place.ts";

const FILE = {
  version: 1,
  segments: [{ name: "beta", constraints: [] }],
  features: [
    { name: "first" },
    {
      name: "checkout",
      tags: [{ type: "team", value: "shop" }],
      environments: [
        {
          name: "production",
          strategies: [{ name: "default" }, { name: "default", constraints: [{}] }],
        },
      ],
    },
  ],
};

test("a place is described by names where parts have them, and by numbers otherwise", () => {
  for (const [path, words] of [
    [
      "/body/features/1/environments/0/strategies/1/constraints/0/operator",
      'flag "checkout", environment "production", strategy 2, constraint 1, operator',
    ],
    ["/body/features/1/tags/0", 'flag "checkout", tag "shop"'],
    ["/body/segments/0/constraints", 'segment "beta", constraints'],
    ["/body/features", "flags"],
    ["/body/version", "version"],
    ["/body", ""],
  ] as const) {
    expect(describePlace(path, FILE)).toBe(words);
  }
});

test("a place that the file does not contain is described by its position", () => {
  expect(describePlace("/body/features/7/a~1b", FILE)).toBe("flag 8, a/b");
  expect(describePlace("/body/features/0/name", null)).toBe("flag 1, name");
});

test("a place in a file of Unleash is described by the flag and the number of the part", () => {
  const file = {
    features: [{ name: "checkout" }],
    featureStrategies: [
      { featureName: "other" },
      { featureName: "checkout" },
      { featureName: "checkout", constraints: [{}] },
    ],
    featureEnvironments: [{ featureName: "checkout", variants: [{ name: "red" }] }],
    featureTags: [{ featureName: "checkout" }, {}],
  };
  for (const [path, words] of [
    [
      "/body/featureStrategies/2/constraints/0/operator",
      'flag "checkout", strategy 2, constraint 1, operator',
    ],
    ["/body/featureEnvironments/0/variants/0", 'flag "checkout", variant "red"'],
    ["/body/featureTags/0/tagValue", 'flag "checkout", tag 1, tagValue'],
    ["/body/featureTags/1/tagValue", "featureTags 2, tagValue"],
  ] as const) {
    expect(describePlace(path, file)).toBe(words);
  }
});

test("parts of flags in several environments are counted in each", () => {
  const part = (environment: string) => ({ featureName: "checkout", environment });
  const file = {
    featureStrategies: [part("staging"), part("production"), part("production")],
  };
  expect(describePlace("/body/featureStrategies/2/name", file)).toBe(
    'flag "checkout", environment "production", strategy 2, name',
  );
});

test("an error says in words where in the value it is, and others stay as they are", () => {
  const bundle = { projects: [{ id: "shop", file: { features: [{ name: "checkout" }] } }] };
  const failWith = (error: Error) => () =>
    describingPlaces(bundle, () => {
      throw error;
    });
  expect(failWith(badData("/body/projects/0/file/features/0/type", "must be string"))).toThrow(
    'In project "shop", flag "checkout", type: must be string',
  );
  expect(failWith(badData("/body", "must be an object"))).toThrow("The file must be an object");
  const others = [new ApiError("ConflictError", "Same"), new TypeError("A defect")];
  for (const error of others) expect(failWith(error)).toThrow(error);
});
