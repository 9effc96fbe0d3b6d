import type { Context, CustomStrategy } from "../src/index.ts";
import { isSameAnswer } from "./_answer.ts";
import type { Answer } from "./_answer.ts";
import { STATIC_CONTEXT, createOracle } from "./_evaluators.ts";
import type { Oracle } from "./_evaluators.ts";
import type { RandomDocument } from "./_random-document.ts";
import { createSubject } from "./_subject.ts";

/** One question to both engines. */
export interface Question {
  readonly document: RandomDocument;
  readonly flag: string;
  readonly context: Context;
  readonly strategies: readonly CustomStrategy[];
  /** What every draw of a random number yields. */
  readonly dice: number;
}

export interface Difference {
  readonly official: Answer;
  readonly ours: Answer | { readonly threw: string };
}

/**
 * Runs with loaded dice: both engines make the same ids of the same draw, so that even random
 * answers can be compared, whatever the number of draws and their order.
 */
export function withDice<Result>(dice: number, run: () => Result): Result {
  return withRandom(() => dice, run);
}

/** Runs with another source of random numbers, for both engines. */
export function withRandom<Result>(random: () => number, run: () => Result): Result {
  const original = Math.random;
  Math.random = random;
  try {
    return run();
  } finally {
    Math.random = original;
  }
}

/** What the official SDK says; undefined where it throws, which ours never does. */
export function askOracle(oracle: Oracle, flag: string, context: Context): Answer | undefined {
  const said = tryOracle(oracle, flag, context);
  if (said === undefined) return undefined;
  if (said.isEnabled === said.answer.enabled) return said.answer;
  throw new Error(`The official SDK contradicts itself about ${flag}`);
}

function tryOracle(
  oracle: Oracle,
  flag: string,
  context: Context,
): { readonly isEnabled: boolean; readonly answer: Answer } | undefined {
  try {
    return { isEnabled: oracle.isEnabled(flag, context), answer: oracle.answer(flag, context) };
  } catch {
    return undefined;
  }
}

/** The context that rules see: the caller's on top of the configured one. */
export function enhance(context: Context): Context {
  return { ...STATIC_CONTEXT, ...context };
}

/** Asks both engines anew; undefined when they agree or the official one throws. */
export async function findDifference(question: Question): Promise<Difference | undefined> {
  const { document, flag, context, strategies, dice } = question;
  const oracle = await createOracle(document, strategies);
  try {
    return withDice(dice, () => {
      const official = askOracle(oracle, flag, context);
      if (official === undefined) return undefined;
      const ours = askOurs(question);
      const isSame = !("threw" in ours) && isSameAnswer(official, ours);
      return isSame ? undefined : { official, ours };
    });
  } finally {
    oracle.close();
  }
}

function askOurs({ document, flag, context, strategies }: Question): Difference["ours"] {
  try {
    return createSubject(document, strategies).answer(flag, enhance(context));
  } catch (error) {
    return { threw: String(error) };
  }
}
