import { afterAll, describe, expect, test } from "vitest";
import { withRandom } from "./_compare.ts";
import { STATIC_CONTEXT, createOracle, createOurs } from "./_evaluators.ts";
import type { Evaluator } from "./_evaluators.ts";
import type { Json } from "./_random-constraint.ts";
import { createChoices } from "./_random.ts";

// Flags with random results: both evaluators must reach the configured percentages. The random numbers
// are seeded, so the tests are deterministic.

const DRAWS = 20_000;
const SEEDS = { official: 2025, ours: 2026 };
/** In percentage points. Ids are hashed into 100 buckets, which are not equally full. */
const TOLERANCE = 2;

type Percentages = Readonly<Record<string, number>>;

interface Case {
  readonly name: string;
  readonly parts: Json;
  /** Percentages of evaluations by result. The remaining evaluations are off. */
  readonly expected: Percentages;
}

function gradualRollout(percentage: number): Case {
  const strategy = { name: "gradualRolloutRandom", parameters: { percentage: `${percentage}` } };
  return {
    name: `gradualRolloutRandom ${percentage}`,
    parts: { strategies: [strategy] },
    expected: { on: percentage },
  };
}

function flexibleRollout(percentage: number, stickiness: string): Json {
  const parameters = { rollout: `${percentage}`, groupId: "feat", stickiness };
  return { name: "flexibleRollout", parameters };
}

function flexibleRolloutCase(percentage: number, stickiness: string): Case {
  return {
    name: `flexibleRollout ${percentage} by ${stickiness}`,
    parts: { strategies: [flexibleRollout(percentage, stickiness)] },
    expected: { on: percentage },
  };
}

const VARIANTS = [
  { name: "most", weight: 500 },
  { name: "some", weight: 300 },
  { name: "few", weight: 200 },
];

function variantsCase(stickiness: string): Case {
  const variants = VARIANTS.map((variant) => ({ ...variant, stickiness }));
  return {
    name: `variants by ${stickiness}`,
    parts: { strategies: [], variants },
    expected: { most: 50, some: 30, few: 20 },
  };
}

const HALF_WITH_VARIANTS: Case = {
  name: "variants of half a rollout",
  parts: { strategies: [{ ...flexibleRollout(50, "random"), variants: VARIANTS }] },
  expected: { most: 25, some: 15, few: 10 },
};

const CASES: readonly Case[] = [
  ...[0, 1, 30, 50, 99, 100].map(gradualRollout),
  ...[0, 10, 50, 90, 100].map((percentage) => flexibleRolloutCase(percentage, "random")),
  ...[0, 10, 50, 90, 100].map((percentage) => flexibleRolloutCase(percentage, "default")),
  ...["default", "random", "missing"].map(variantsCase),
  HALF_WITH_VARIANTS,
];

const document = {
  version: 2 as const,
  features: CASES.map(({ name, parts }) => ({ name, enabled: true, ...parts })),
  segments: [],
};

/** Evaluates the same context without ids many times. Returns the percentage of each result. */
function measure({ evaluate }: Evaluator, name: string, seed: number): Percentages {
  const counts: Record<string, number> = {};
  withRandom(createChoices(seed).next, () => {
    for (let draw = 0; draw < DRAWS; draw++) {
      const { enabled, variant } = evaluate(name, STATIC_CONTEXT);
      const key = variant ?? (enabled ? "on" : "off");
      counts[key] = (counts[key] ?? 0) + 1;
    }
  });
  return Object.fromEntries(
    Object.entries(counts).map(([key, count]) => [key, (100 * count) / DRAWS]),
  );
}

const official = await createOracle(document, []);
const ours = createOurs(document, []);

afterAll(() => {
  official.close();
});

describe.each(CASES)("$name", ({ name, expected }) => {
  test.each([
    ["ours", ours, SEEDS.ours],
    ["official", official, SEEDS.official],
  ] as const)("%s", (_, evaluator, seed) => {
    const percentages = measure(evaluator, name, seed);
    for (const [result, percentage] of Object.entries(expected)) {
      const measured = percentages[result] ?? 0;
      if (percentage === 0 || percentage === 100) expect(measured).toBe(percentage);
      else expect(Math.abs(measured - percentage)).toBeLessThan(TOLERANCE);
    }
  });
});
