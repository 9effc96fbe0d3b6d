import { expect, test } from "vitest";
import { checkFlagVariants } from "../../../admin/src/domain/variants/check-variants.ts";
import { describePayloadProblem } from "./payload.ts";
import { computeWeights, formatWeight } from "./weights.ts";

const variable = { weight: 0, weightType: "variable" } as const;
const fixed = (weight: number) => ({ weight, weightType: "fix" }) as const;

test.each([
  [[variable], [1000]],
  [
    [variable, variable, variable],
    [334, 333, 333],
  ],
  [
    [fixed(250), variable, variable],
    [250, 375, 375],
  ],
  [
    [fixed(1000), variable],
    [1000, 0],
  ],
  [
    [fixed(900), fixed(200), variable],
    [900, 200, 0],
  ],
])("computeWeights() distributes %j", (variants, weights) => {
  expect(computeWeights(variants)).toEqual(weights);
});

test("computeWeights() shows the weights that the service will store", () => {
  for (let count = 1; count <= 30; count++) {
    const variants = Array.from({ length: count }, (_, index) => ({
      ...(index % 4 === 3 ? fixed(33) : variable),
      name: `v${String(index).padStart(2, "0")}`,
      stickiness: "default",
    }));
    const stored = checkFlagVariants(variants, "/body").map(({ weight }) => weight);
    expect(computeWeights(variants)).toEqual(stored);
  }
});

test("formatWeight() describes thousandths as a percentage", () => {
  expect(formatWeight(334)).toBe("33.4%");
  expect(formatWeight(1000)).toBe("100%");
});

test.each([
  ["string", "", true],
  ["number", "1.5", true],
  ["number", " ", false],
  ["json", '{"a":1}', true],
  ["json", "{a}", false],
  ["csv", "a,b", true],
])("describePayloadProblem() checks the %s %j", (type, value, isValid) => {
  expect(describePayloadProblem(type, value) === undefined).toBe(isValid);
});
