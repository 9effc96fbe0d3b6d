import { compileSnapshot } from "./compile/compile-snapshot.ts";
import type { CompileOptions } from "./compile/compile-snapshot.ts";
import type { Context } from "./context.ts";
import type { Outcome } from "./outcome.ts";
import { parseDocument } from "./parse/parse-document.ts";
import type { Snapshot } from "./snapshot.ts";

/** 2026-01-01T00:00:00Z, the time it is in these tests. */
export const NOW_MS = 1_767_225_600_000;

type Parts = Readonly<Record<string, unknown>>;

/** A snapshot of flags, with a clock that stands still and dice that always fall the same way. */
export function snapshotOf(document: unknown, options: Partial<CompileOptions> = {}): Snapshot {
  return compileSnapshot(parseDocument(document), {
    now: () => NOW_MS,
    random: () => 0.5,
    ...options,
  });
}

/** The answer of the flag of that name, which must be the same alone and among all flags. */
export function answerOf(snapshot: Snapshot, name: string, context: Context = {}): Outcome {
  const index = snapshot.indexOf(name);
  const outcomes = snapshot.flags[index]?.outcomes;
  const alone = outcomes?.[snapshot.evaluate(index, context)];
  const amongAll = outcomes?.[snapshot.evaluateAll(context).outcomes[index] ?? Number.NaN];
  if (alone === undefined || alone !== amongAll) {
    throw new Error(
      `${name}: ${JSON.stringify(alone)} alone, ${JSON.stringify(amongAll)} among all`,
    );
  }
  return alone;
}

/** Evaluates one flag called `flag`, enabled unless the parts say otherwise. */
export function evaluateFlag(
  parts: Parts,
  context: Context = {},
  options: Partial<CompileOptions> = {},
): Outcome {
  const flag = { name: "flag", enabled: true, strategies: [], ...parts };
  return answerOf(snapshotOf({ features: [flag] }, options), "flag", context);
}

/** Tells whether one strategy is on for a context. */
export function matches(strategy: Parts, context: Context = {}): boolean {
  return evaluateFlag({ strategies: [strategy] }, context).enabled;
}

/** Tells whether one constraint is fulfilled by a context. */
export function fulfils(constraint: Parts, context: Context = {}): boolean {
  return matches({ name: "default", constraints: [constraint] }, context);
}
