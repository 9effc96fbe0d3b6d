import type { Context, CustomStrategy } from "../src/index.ts";
import { STATIC_CONTEXT, createOracle, createOurs, isSameResult } from "./_evaluators.ts";
import type { Oracle, Result } from "./_evaluators.ts";
import type { RandomDocument } from "./_random-document.ts";

/** One evaluation by both evaluators. */
export interface Comparison {
  readonly document: RandomDocument;
  readonly flag: string;
  readonly context: Context;
  readonly strategies: readonly CustomStrategy[];
  /** The result of every call of `Math.random()`. */
  readonly randomNumber: number;
}

export interface Difference {
  readonly official: Result;
  readonly ours: Result | { readonly threw: string };
}

/** Runs with another source of random numbers for both evaluators. */
export function withRandom<Return>(random: () => number, run: () => Return): Return {
  const original = Math.random;
  Math.random = random;
  try {
    return run();
  } finally {
    Math.random = original;
  }
}

/** Evaluates a flag with the official SDK. Returns undefined if it throws, which ours never does. */
export function evaluateWithOracle(
  oracle: Oracle,
  flag: string,
  context: Context,
): Result | undefined {
  const evaluated = tryOracle(oracle, flag, context);
  if (evaluated === undefined) return undefined;
  if (evaluated.isEnabled === evaluated.result.enabled) return evaluated.result;
  throw new Error(`The official SDK contradicts itself about ${flag}`);
}

function tryOracle(
  oracle: Oracle,
  flag: string,
  context: Context,
): { readonly isEnabled: boolean; readonly result: Result } | undefined {
  try {
    return { isEnabled: oracle.isEnabled(flag, context), result: oracle.evaluate(flag, context) };
  } catch {
    return undefined;
  }
}

/** Adds the fields that the official SDK adds to every context. */
export function withStaticContext(context: Context): Context {
  return { ...STATIC_CONTEXT, ...context };
}

/**
 * Evaluates with new instances of both evaluators. Returns undefined if they agree or the official
 * one throws.
 */
export async function findDifference(comparison: Comparison): Promise<Difference | undefined> {
  const { document, flag, context, strategies, randomNumber } = comparison;
  const oracle = await createOracle(document, strategies);
  const compare = (): Difference | undefined => {
    const official = evaluateWithOracle(oracle, flag, context);
    if (official === undefined) return undefined;
    const ours = evaluateOurs(comparison);
    const isSame = !("threw" in ours) && isSameResult(official, ours);
    return isSame ? undefined : { official, ours };
  };
  try {
    // NOTE: with a constant random number, both derive the same random ids, however often they draw.
    return withRandom(() => randomNumber, compare);
  } finally {
    oracle.close();
  }
}

function evaluateOurs({ document, flag, context, strategies }: Comparison): Difference["ours"] {
  try {
    return createOurs(document, strategies).evaluate(flag, withStaticContext(context));
  } catch (error) {
    return { threw: String(error) };
  }
}

/** Removes parts of the document and the context as long as the evaluators still disagree. */
export async function shrink(comparison: Comparison): Promise<Comparison> {
  let smallest = comparison;
  for (;;) {
    const smaller = await firstThatDiffers(smallerComparisons(smallest));
    if (smaller === undefined) return smallest;
    smallest = smaller;
  }
}

async function firstThatDiffers(
  comparisons: Iterable<Comparison>,
): Promise<Comparison | undefined> {
  for (const comparison of comparisons) {
    if (await differs(comparison)) return comparison;
  }
  return undefined;
}

async function differs(comparison: Comparison): Promise<boolean> {
  if (!comparison.document.features.some(({ name }) => name === comparison.flag)) return false;
  return findDifference(comparison).then(
    (difference) => difference !== undefined,
    () => false,
  );
}

function* smallerComparisons(comparison: Comparison): Generator<Comparison> {
  for (const document of smallerValues(comparison.document)) {
    yield { ...comparison, document: document as RandomDocument };
  }
  for (const context of smallerValues(comparison.context)) {
    yield { ...comparison, context: context as Context };
  }
}

/** Yields every value without one list entry or one object member, at any depth. */
function* smallerValues(value: unknown): Generator {
  if (Array.isArray(value)) {
    yield* smallerLists(value);
  } else if (isPlainObject(value)) {
    yield* smallerObjects(value);
  }
}

function* smallerLists(list: readonly unknown[]): Generator<unknown[]> {
  for (const index of list.keys()) yield list.toSpliced(index, 1);
  for (const [index, entry] of list.entries()) {
    for (const smaller of smallerValues(entry)) yield list.with(index, smaller);
  }
}

function* smallerObjects(object: Readonly<Record<string, unknown>>): Generator<object> {
  for (const key of Object.keys(object)) {
    const { [key]: _, ...rest } = object;
    if (key !== "features" && key !== "name") yield rest;
  }
  for (const [key, entry] of Object.entries(object)) {
    for (const smaller of smallerValues(entry)) yield { ...object, [key]: smaller };
  }
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === "[object Object]";
}
