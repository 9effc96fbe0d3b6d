import { compileSnapshot } from "../src/compile/compile-snapshot.ts";
import type { CompileOptions } from "../src/compile/compile-snapshot.ts";
import type { Context } from "../src/context.ts";
import type { Outcome } from "../src/outcome.ts";
import { parseDocument } from "../src/parse/parse-document.ts";
import type { Snapshot } from "../src/snapshot.ts";

/** The current time in these tests: 2026-01-01T00:00:00Z. */
export const NOW_MS = 1_767_225_600_000;

type Parts = Readonly<Record<string, unknown>>;

/** Compiles a document with a fixed clock and a fixed random number. */
export function snapshotOf(document: unknown, options: Partial<CompileOptions> = {}): Snapshot {
  return compileSnapshot(parseDocument(document), {
    now: () => NOW_MS,
    random: () => 0.5,
    ...options,
  });
}

/** Evaluates a flag. Throws unless evaluating it alone and with all flags gives the same outcome. */
export function outcomeOf(snapshot: Snapshot, name: string, context: Context = {}): Outcome {
  const index = snapshot.indexOf(name);
  const outcomes = snapshot.flags[index]?.outcomes;
  const alone = outcomes?.[snapshot.evaluate(index, context)];
  const amongAll = outcomes?.[snapshot.evaluateAll(context).outcomes[index] ?? Number.NaN];
  if (alone === undefined || alone !== amongAll) {
    throw new Error(
      `${name}: ${JSON.stringify(alone)} alone, ${JSON.stringify(amongAll)} among all flags`,
    );
  }
  return alone;
}

/** Evaluates one flag called `flag`, which is enabled unless `parts` disables it. */
export function evaluateFlag(
  parts: Parts,
  context: Context = {},
  options: Partial<CompileOptions> = {},
): Outcome {
  const flag = { name: "flag", enabled: true, strategies: [], ...parts };
  return outcomeOf(snapshotOf({ features: [flag] }, options), "flag", context);
}

/** Returns whether a flag with only this strategy is on. */
export function matches(strategy: Parts, context: Context = {}): boolean {
  return evaluateFlag({ strategies: [strategy] }, context).enabled;
}

/** Returns whether the context satisfies a constraint. */
export function satisfies(constraint: Parts, context: Context = {}): boolean {
  return matches({ name: "default", constraints: [constraint] }, context);
}
