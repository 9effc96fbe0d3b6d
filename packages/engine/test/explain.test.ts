import { expect, test } from "vitest";
import { sized } from "../../../scripts/test-size.ts";
import { explain } from "../src/index.ts";
import type { Context, CustomStrategy, Explanation, Snapshot } from "../src/index.ts";
import { compileDocument } from "./_evaluators.ts";
import { randomContext } from "./_random-context.ts";
import { randomDocument } from "./_random-document.ts";
import { createChoices } from "./_random.ts";

// An explanation must say what an evaluation returns, for every document and context.
//
// EXPLAIN_CASES: how many explanations are compared. EXPLAIN_SEED: the first random document.

const CASES = Number(process.env["EXPLAIN_CASES"] ?? sized(3000, 30_000));
const SEED = Number(process.env["EXPLAIN_SEED"] ?? Date.now() % 2_147_483_648);
const CONTEXTS_PER_DOCUMENT = 10;
const RANDOM_NUMBERS = [0, 0.25, 0.5, 0.99999];
const NOW_MS = 1_767_225_600_000;

const evenUser: CustomStrategy = {
  name: "evenUser",
  isEnabled: (_parameters, { userId }) => String(userId).length % 2 === 0,
};

function evaluated(snapshot: Snapshot, name: string, context: Context) {
  const index = snapshot.indexOf(name);
  return snapshot.flags[index]?.outcomes[snapshot.evaluate(index, context)];
}

/** Returns what follows from the details, after checking that each level follows from the one below. */
function concluded(explanation: Explanation): boolean {
  const { enabledInEnvironment, dependencies, strategies, decidedBy } = explanation;
  for (const { matched, constraints, segments, activation } of strategies) {
    expect(matched).toBe([...constraints, ...segments, activation].every((one) => one.matched));
    const { rollout } = activation;
    if (rollout !== undefined) {
      const { bucket, percentage } = rollout;
      expect(activation.matched).toBe(bucket !== undefined && bucket <= percentage);
    }
  }
  const firstMatch = strategies.findIndex(({ matched }) => matched);
  const canBeOn = enabledInEnvironment && dependencies.every(({ matched }) => matched);
  expect(decidedBy).toBe(canBeOn && firstMatch !== -1 ? firstMatch : undefined);
  return canBeOn && (firstMatch !== -1 || strategies.length === 0);
}

/** The weights determine the selected variant, unless an override or a single variant does. */
function checkVariant({ variant, variantSelection }: Explanation): void {
  expect(variantSelection?.variants.find(({ selected }) => selected)?.name).toBe(variant?.name);
  if (variantSelection?.bucket === undefined) return;
  let last = 0;
  const byBucket = variantSelection.variants.find(({ weight }) => {
    last += weight ?? Number.NaN;
    return weight !== 0 && last >= (variantSelection.bucket ?? 0);
  });
  expect(byBucket?.selected).toBe(true);
}

test(
  `explanations are consistent, and agree with evaluations (seed ${SEED})`,
  () => {
    let [explained, on, withVariant, withBucket] = [0, 0, 0, 0];
    for (let seed = SEED; explained < CASES; seed += 1) {
      const choices = createChoices(seed);
      const random = choices.pick(RANDOM_NUMBERS);
      const document = JSON.parse(JSON.stringify(randomDocument(choices, ["evenUser"]))) as unknown;
      const snapshot = compileDocument(document, {
        strategies: [evenUser],
        now: () => NOW_MS,
        random: () => random,
      });
      for (const context of choices.list(CONTEXTS_PER_DOCUMENT, () => randomContext(choices))) {
        for (const { name } of snapshot.flags) {
          const explanation = explain(snapshot, name, context);
          if (explanation === undefined) throw new Error(`${name} was not explained`);
          const { enabled, variant, reason } = explanation;
          const message = `seed ${seed}, flag ${name}, context ${JSON.stringify(context)}`;
          expect({ enabled, variant, reason }, message).toEqual(evaluated(snapshot, name, context));
          const details = { ...explanation, strategies: explanation.strategies };
          if (concluded(details) !== enabled) expect(explanation.strategies, message).toEqual([]);
          checkVariant(explanation);
          expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
          expect(explanation.explanation).toMatch(
            enabled ? /^The flag is on / : /^The flag is off /,
          );
          explained += 1;
          on += Number(enabled);
          withVariant += Number(variant !== undefined);
          withBucket += Number(explanation.variantSelection?.bucket !== undefined);
        }
      }
    }
    // The random flags and contexts reach every branch.
    for (const count of [on, withVariant, withBucket]) expect(count).toBeGreaterThan(CASES / 100);
  },
  60_000 + CASES,
);
