import { describe, expect, test } from "vitest";
import { sized } from "../../../scripts/test-size.ts";
import { BUILT_IN_STRATEGY_NAMES } from "../src/index.ts";
import type { Context, CustomStrategy } from "../src/index.ts";
import {
  evaluateWithOracle,
  findDifference,
  shrink,
  withRandom,
  withStaticContext,
} from "./_compare.ts";
import { compileDocument, createOracle, fromOutcome, isSameResult } from "./_evaluators.ts";
import type { Result } from "./_evaluators.ts";
import { OPERATOR_NAMES } from "./_random-constraint.ts";
import type { Json } from "./_random-constraint.ts";
import { randomContext } from "./_random-context.ts";
import { PROBE, randomDocument } from "./_random-document.ts";
import type { RandomDocument } from "./_random-document.ts";
import { createChoices } from "./_random.ts";
import type { Choices } from "./_random.ts";

// Compares our engine with the official Node SDK (unleash-client 6.12.1) on random flags and contexts.
//
// The following is excluded, because we differ by decision (docs/decisions/0004-safe-results.md and
// 0059-ipv6-in-remote-address.md). safe-results.test.ts and remote-address.test.ts cover our behaviour.
//
// | Excluded                                             | Reason                                      |
// | ---------------------------------------------------- | ------------------------------------------- |
// | Evaluations for which the official SDK throws        | We never throw: the strategy is off         |
// | Fields and flags named `constructor`, `__proto__`, … | It reads and writes object prototypes       |
// | Custom strategies that throw or return a promise     | It throws; a promise is always on           |
// | REGEX patterns `null`, `undefined`, `5`, `true`      | Its cache treats them as a missing value    |
// | A weight that is text                                | It concatenates the weights as text         |
// | A payload whose value is not text, or that is a list | We convert it to text, as the wire requires |
// | Lists and objects as a parameter, value, name or     | It converts them to text such as            |
// | stickiness                                           | `[object Object]`                           |
// | `remoteAddress` with IPv6 ranges, or an IPv6 address | It compares IPv6 only as text               |
// | whose text differs from that of the entry            |                                             |
// | `variants` of a dependency that is text              | It searches for names within the text       |
// | `currentTime` close to the time of the test          | Each engine reads the clock separately      |

const SEED = Number(process.env["DIFFERENTIAL_SEED"] ?? Date.now() % 4_294_967_296);
const EVALUATIONS = Number(process.env["DIFFERENTIAL_EVALUATIONS"] ?? sized(100_000, 400_000));
const CONTEXTS_PER_DOCUMENT = 15;
const RANDOM_NUMBERS = [0, 0.0001, 0.25, 0.5, 0.7777, 0.99999] as const;
const TIMEOUT_MS = 60_000 + EVALUATIONS * 2;

const evenUser: CustomStrategy = {
  name: "evenUser",
  isEnabled: (_parameters, { userId }) => String(userId).length % 2 === 0,
};

/** Returns values that are truthy or falsy, but not booleans. */
const plan: CustomStrategy = {
  name: "plan",
  isEnabled: (parameters: Readonly<Json> | undefined, { properties }) =>
    parameters?.["plan"] === properties?.["plan"] ? "yes" : Number.NaN,
};

/** Replace the built-in strategies of the same names. */
const shadows: readonly CustomStrategy[] = [
  { name: "default", isEnabled: (_parameters, { sessionId }) => !sessionId },
  { name: "userWithId", isEnabled: (_parameters, { userId }) => userId },
];

/** The configurations of a client. If two strategies have the same name, the first is used. */
const CUSTOM_STRATEGY_SETS: readonly (readonly CustomStrategy[])[] = [
  [],
  [evenUser, plan],
  [plan, ...shadows],
  [evenUser, { name: "evenUser", isEnabled: () => true }],
];

interface Round {
  readonly document: RandomDocument;
  readonly contexts: readonly Context[];
  readonly strategies: readonly CustomStrategy[];
  readonly randomNumber: number;
}

function randomRound(choices: Choices): Round {
  const strategies = choices.pick(CUSTOM_STRATEGY_SETS);
  const document = randomDocument(
    choices,
    strategies.map(({ name }) => name),
  );
  return {
    // As received over the wire: without undefined members.
    document: JSON.parse(JSON.stringify(document)) as RandomDocument,
    contexts: choices.list(CONTEXTS_PER_DOCUMENT, () => randomContext(choices)),
    strategies,
    randomNumber: choices.pick(RANDOM_NUMBERS),
  };
}

/** Compares all results of a round. Resolves to a description of the first difference. */
async function compareRound(round: Round, tally: Tally): Promise<string | undefined> {
  const oracle = await createOracle(round.document, round.strategies);
  const snapshot = compileDocument(round.document, { strategies: round.strategies });
  const byName = new Map(round.document.features.map((feature) => [feature["name"], feature]));
  const findDifferingFlag = (context: Context): string | undefined => {
    const { outcomes } = snapshot.evaluateAll(withStaticContext(context));
    for (const [index, { name, outcomes: possible }] of snapshot.flags.entries()) {
      const official = evaluateWithOracle(oracle, name, context);
      const ours = fromOutcome(possible[outcomes[index] ?? Number.NaN]);
      if (official === undefined) tally.threw += 1;
      else if (isSameResult(official, ours)) tally.count(byName.get(name) ?? {}, official);
      else return name;
    }
    return undefined;
  };
  try {
    for (const context of round.contexts) {
      const flag = withRandom(
        () => round.randomNumber,
        () => findDifferingFlag(context),
      );
      if (flag !== undefined) return await describeDifference(round, flag, context);
    }
    return undefined;
  } finally {
    oracle.close();
  }
}

async function describeDifference(round: Round, flag: string, context: Context): Promise<string> {
  const comparison = await shrink({ ...round, flag, context });
  const { document, context: smallContext, randomNumber, strategies } = comparison;
  return [
    `Seed ${SEED}: the evaluators disagree about the flag ${JSON.stringify(flag)}`,
    `document:   ${JSON.stringify(document)}`,
    `context:    ${JSON.stringify(smallContext)}`,
    `strategies: ${JSON.stringify(strategies.map(({ name }) => name))}`,
    `random:     ${randomNumber}`,
    `results:    ${JSON.stringify(await findDifference(comparison))}`,
  ].join("\n");
}

/** How often a rule held and how often it did not. */
interface RuleCounts {
  on: number;
  off: number;
}

/** Counts results, to check that the random flags and contexts cover every rule. */
class Tally {
  evaluations = 0;
  enabled = 0;
  withVariant = 0;
  /** Evaluations that were not compared, because the official SDK threw. */
  threw = 0;
  readonly rules = new Map<string, RuleCounts>();

  count(feature: Json, result: Result): void {
    this.evaluations += 1;
    if (result.enabled) this.enabled += 1;
    if (result.variant !== undefined) this.withVariant += 1;
    const rule = soleRule(feature);
    if (rule === undefined) return;
    const counts = this.rules.get(rule) ?? { on: 0, off: 0 };
    counts[result.enabled ? "on" : "off"] += 1;
    this.rules.set(rule, counts);
  }

  toString(): string {
    const percent = (part: number): string => `${((100 * part) / this.evaluations).toFixed(1)}%`;
    return (
      `${this.evaluations} evaluations, ${percent(this.enabled)} on, ` +
      `${percent(this.withVariant)} with a variant, ${this.threw} excluded`
    );
  }
}

/** Returns the operator or strategy that alone determines whether the flag is on, if any. */
function soleRule({ type, strategies }: Json): string | undefined {
  if (type !== PROBE) return undefined;
  const [strategy] = strategies as readonly Json[];
  if (strategy?.["constraints"] === undefined) return String(strategy?.["name"]);
  const [constraint] = strategy["constraints"] as readonly (Json | null)[];
  return constraint?.["inverted"] ? undefined : String(constraint?.["operator"]);
}

/** The comparison is meaningful only if enough flags are on, are off, and have variants. */
function expectMeaningfulResults(tally: Tally): void {
  expect(tally.enabled / tally.evaluations).toBeGreaterThan(0.15);
  expect(tally.enabled / tally.evaluations).toBeLessThan(0.85);
  expect(tally.withVariant / tally.evaluations).toBeGreaterThan(0.05);
  expect(tally.threw / tally.evaluations).toBeLessThan(0.1);
}

/** Returns the operators and strategies that nearly always had the same result. */
function oneSidedRules(tally: Tally): readonly string[] {
  return [...OPERATOR_NAMES, ...BUILT_IN_STRATEGY_NAMES, "evenUser", "plan"].filter((rule) => {
    const { on = 0, off = 0 } = tally.rules.get(rule) ?? {};
    return Math.min(on, off) < EVALUATIONS / 4000;
  });
}

describe(`The engine and the official SDK, seed ${SEED}`, () => {
  test(
    `the engine and the official SDK have the same result in ${EVALUATIONS} meaningful evaluations`,
    async () => {
      const choices = createChoices(SEED);
      const tally = new Tally();
      while (tally.evaluations < EVALUATIONS) {
        const difference = await compareRound(randomRound(choices), tally);
        if (difference !== undefined) expect.fail(difference);
      }
      process.stdout.write(`differential: seed ${SEED}, ${tally.toString()}\n`);
      expectMeaningfulResults(tally);
      expect(oneSidedRules(tally)).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
