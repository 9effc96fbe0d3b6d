import { compileSnapshot, parseDocument } from "../src/index.ts";
import type { CompileOptions, Outcome, Snapshot } from "../src/index.ts";
import { HOST_NAME } from "./_random-values.ts";
import type { Answer, Evaluator } from "./_answer.ts";

/** Our engine with the real clock, and dice that the test may load. */
export function compileSubject(document: unknown, options: Partial<CompileOptions> = {}): Snapshot {
  return compileSnapshot(parseDocument(document), {
    hostname: HOST_NAME,
    now: Date.now,
    random: () => Math.random(),
    ...options,
  });
}

export function toAnswer(outcome: Outcome | undefined): Answer {
  if (outcome === undefined) throw new RangeError("The engine answered with no outcome");
  const { enabled, variant } = outcome;
  if (variant === undefined) return { enabled };
  return { enabled, variant: variant.name, payload: variant.payload };
}

/** Asks for one flag at a time. */
export function createSubject(
  document: unknown,
  strategies: NonNullable<CompileOptions["strategies"]>,
): Evaluator & { readonly snapshot: Snapshot } {
  const snapshot = compileSubject(document, { strategies });
  return {
    snapshot,
    answer: (name, context) => {
      const index = snapshot.indexOf(name);
      return toAnswer(snapshot.flags[index]?.outcomes[snapshot.evaluate(index, context)]);
    },
    close: () => undefined,
  };
}
