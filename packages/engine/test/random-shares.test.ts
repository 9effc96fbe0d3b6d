import { afterAll, describe, expect, test } from "vitest";
import type { Evaluator } from "./_answer.ts";
import { withRandom } from "./_compare.ts";
import { STATIC_CONTEXT, createOracle } from "./_evaluators.ts";
import type { Json } from "./_random-constraint.ts";
import { createChoices } from "./_random.ts";
import { createSubject } from "./_subject.ts";

// Flags that are random by nature: what counts are the shares, and both engines have to meet them.
// The dice are seeded, so that no run fails by bad luck.

const DRAWS = 20_000;
const SEEDS = { official: 2025, ours: 2026 };
/** Percentage points: ids are hashed into 100 buckets, and not all buckets are equally full. */
const TOLERANCE = 2;

type Shares = Readonly<Record<string, number>>;

interface Case {
  readonly name: string;
  readonly parts: Json;
  /** Percentages of draws; the rest is off. */
  readonly expected: Shares;
}

function byChance(share: number): Case {
  const strategy = { name: "gradualRolloutRandom", parameters: { percentage: `${share}` } };
  return { name: `chance ${share}`, parts: { strategies: [strategy] }, expected: { on: share } };
}

function rollout(share: number, stickiness: string): Json {
  const parameters = { rollout: `${share}`, groupId: "feat", stickiness };
  return { name: "flexibleRollout", parameters };
}

function byRollout(share: number, stickiness: string): Case {
  return {
    name: `rollout ${share} by ${stickiness}`,
    parts: { strategies: [rollout(share, stickiness)] },
    expected: { on: share },
  };
}

const VARIANTS = [
  { name: "most", weight: 500 },
  { name: "some", weight: 300 },
  { name: "few", weight: 200 },
];

function byVariants(stickiness: string): Case {
  const variants = VARIANTS.map((variant) => ({ ...variant, stickiness }));
  return {
    name: `variants by ${stickiness}`,
    parts: { strategies: [], variants },
    expected: { most: 50, some: 30, few: 20 },
  };
}

const HALF_WITH_VARIANTS: Case = {
  name: "variants of half a rollout",
  parts: { strategies: [{ ...rollout(50, "random"), variants: VARIANTS }] },
  expected: { most: 25, some: 15, few: 10 },
};

const CASES: readonly Case[] = [
  ...[0, 1, 30, 50, 99, 100].map(byChance),
  ...[0, 10, 50, 90, 100].map((share) => byRollout(share, "random")),
  ...[0, 10, 50, 90, 100].map((share) => byRollout(share, "default")),
  ...["default", "random", "nowhere"].map(byVariants),
  HALF_WITH_VARIANTS,
];

const document = {
  version: 2 as const,
  features: CASES.map(({ name, parts }) => ({ name, enabled: true, ...parts })),
  segments: [],
};

/** The percentage of draws with each answer, in whole draws of the same context without ids. */
function measure({ answer }: Evaluator, name: string, seed: number): Shares {
  const counts: Record<string, number> = {};
  withRandom(createChoices(seed).next, () => {
    for (let draw = 0; draw < DRAWS; draw++) {
      const { enabled, variant } = answer(name, STATIC_CONTEXT);
      const key = variant ?? (enabled ? "on" : "off");
      counts[key] = (counts[key] ?? 0) + 1;
    }
  });
  return Object.fromEntries(
    Object.entries(counts).map(([key, count]) => [key, (100 * count) / DRAWS]),
  );
}

const official = await createOracle(document, []);
const ours = createSubject(document, []);

afterAll(() => {
  official.close();
});

describe.each(CASES)("$name", ({ name, expected }) => {
  test.each([
    ["ours", ours, SEEDS.ours],
    ["official", official, SEEDS.official],
  ] as const)("%s", (_, evaluator, seed) => {
    const shares = measure(evaluator, name, seed);
    for (const [answer, share] of Object.entries(expected)) {
      const measured = shares[answer] ?? 0;
      if (share === 0 || share === 100) expect(measured).toBe(share);
      else expect(Math.abs(measured - share)).toBeLessThan(TOLERANCE);
    }
  });
});
