import { describe, expect, test } from "vitest";
import type { Context, CustomStrategy } from "../src/index.ts";
import { isSameAnswer } from "./_answer.ts";
import { askOracle, enhance, findDifference, withDice } from "./_compare.ts";
import { CUSTOM_STRATEGY_SETS } from "./_custom-strategies.ts";
import { createOracle } from "./_evaluators.ts";
import { OPERATORS } from "./_random-constraint.ts";
import { randomContext } from "./_random-context.ts";
import { randomDocument } from "./_random-document.ts";
import type { RandomDocument } from "./_random-document.ts";
import { BUILT_IN } from "./_random-strategy.ts";
import { createChoices } from "./_random.ts";
import type { Choices } from "./_random.ts";
import { shrink } from "./_shrink.ts";
import { compileSubject, toAnswer } from "./_subject.ts";
import { Tally } from "./_tally.ts";

// Our engine beside the official Node SDK (unleash-client 6.12.1), on random flags and contexts.
//
// Left out on purpose, because we differ there by decision (docs/decisions/0004-safe-results.md).
// safe-results.test.ts covers what we do instead.
//
// | What                                                | Why                                        |
// | --------------------------------------------------- | ------------------------------------------ |
// | An answer for which the official SDK throws          | We never throw: that strategy is off       |
// | Fields and flags named `constructor`, `__proto__`, … | It reads and writes object prototypes      |
// | Custom strategies that throw or return a promise     | It throws; a promise is always on          |
// | REGEX texts `null`, `undefined`, `5`, `true`         | Its cache takes them for a missing value   |
// | A weight that is text                                | It joins the digits of the weights         |
// | A payload whose value is not text, or a list         | We write it as the text the wire wants     |
// | Lists and objects where a parameter, a value, a name | It takes JavaScript's text of them, such   |
// | or a stickiness is expected                          | as `[object Object]`                       |
// | `variants` of a dependency that is text              | It finds names within the text             |
// | `currentTime` within the run of the test             | Each engine reads the clock for itself     |

const SEED = Number(process.env["DIFFERENTIAL_SEED"] ?? Date.now() % 4_294_967_296);
const ANSWERS = Number(process.env["DIFFERENTIAL_ANSWERS"] ?? 200_000);
const CONTEXTS_PER_DOCUMENT = 15;
const DICE = [0, 0.0001, 0.25, 0.5, 0.7777, 0.99999] as const;
const TIMEOUT_MS = 60_000 + ANSWERS * 2;

interface Round {
  readonly document: RandomDocument;
  readonly contexts: readonly Context[];
  readonly strategies: readonly CustomStrategy[];
  readonly dice: number;
}

function randomRound(choices: Choices): Round {
  const strategies = choices.pick(CUSTOM_STRATEGY_SETS);
  const document = randomDocument(
    choices,
    strategies.map(({ name }) => name),
  );
  return {
    // What came over the wire: undefined members are gone.
    document: JSON.parse(JSON.stringify(document)) as RandomDocument,
    contexts: choices.list(CONTEXTS_PER_DOCUMENT, () => randomContext(choices)),
    strategies,
    dice: choices.pick(DICE),
  };
}

/** Compares all answers of a round; resolves to a description of the first difference. */
async function compareRound(round: Round, tally: Tally): Promise<string | undefined> {
  const oracle = await createOracle(round.document, round.strategies);
  const snapshot = compileSubject(round.document, { strategies: round.strategies });
  const byName = new Map(round.document.features.map((feature) => [feature["name"], feature]));
  try {
    for (const context of round.contexts) {
      const differing = withDice(round.dice, () => {
        const { outcomes } = snapshot.evaluateAll(enhance(context));
        for (const [index, { name, outcomes: possible }] of snapshot.flags.entries()) {
          const official = askOracle(oracle, name, context);
          const ours = toAnswer(possible[outcomes[index] ?? Number.NaN]);
          if (official === undefined) tally.threw += 1;
          else if (isSameAnswer(official, ours)) tally.count(byName.get(name) ?? {}, official);
          else return name;
        }
        return undefined;
      });
      if (differing !== undefined) return await describeDifference(round, differing, context);
    }
    return undefined;
  } finally {
    oracle.close();
  }
}

async function describeDifference(round: Round, flag: string, context: Context): Promise<string> {
  const question = await shrink({ ...round, flag, context });
  const { document, context: smallContext, dice, strategies } = question;
  return [
    `Seed ${SEED}: the engines disagree about the flag ${JSON.stringify(flag)}`,
    `document:   ${JSON.stringify(document)}`,
    `context:    ${JSON.stringify(smallContext)}`,
    `strategies: ${JSON.stringify(strategies.map(({ name }) => name))}, dice: ${dice}`,
    `answers:    ${JSON.stringify(await findDifference(question))}`,
  ].join("\n");
}

/** The comparison proves nothing unless flags are on and off, and have variants. */
function expectQuestionsThatMatter(tally: Tally): void {
  expect(tally.enabled / tally.answers).toBeGreaterThan(0.15);
  expect(tally.enabled / tally.answers).toBeLessThan(0.85);
  expect(tally.withVariant / tally.answers).toBeGreaterThan(0.05);
  expect(tally.threw / tally.answers).toBeLessThan(0.1);
}

/** Operators and strategies that decided nearly always the same way. */
function oneSidedRules(tally: Tally): readonly string[] {
  return [...OPERATORS, ...BUILT_IN, "evenUser", "plan"].filter((rule) => {
    const { on = 0, off = 0 } = tally.decisions.get(rule) ?? {};
    return Math.min(on, off) < ANSWERS / 4000;
  });
}

describe(`The engine beside the official SDK, seed ${SEED}`, () => {
  test(
    `gives the same answer to ${ANSWERS} questions that matter`,
    async () => {
      const choices = createChoices(SEED);
      const tally = new Tally();
      while (tally.answers < ANSWERS) {
        const difference = await compareRound(randomRound(choices), tally);
        if (difference !== undefined) expect.fail(difference);
      }
      process.stdout.write(`differential: seed ${SEED}, ${tally.toString()}\n`);
      expectQuestionsThatMatter(tally);
      expect(oneSidedRules(tally)).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
