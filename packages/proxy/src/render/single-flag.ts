import { createHash } from "node:crypto";
import type { CompiledFeature, Context, Outcome, Snapshot } from "flags-engine";

/** One flag, and how it came out for a context. */
export interface EvaluatedFlag {
  readonly feature: CompiledFeature;
  readonly outcome: Outcome;
}

/** Evaluates one flag; undefined when there is none of that name. */
export function evaluateFlag(
  snapshot: Snapshot,
  context: Context,
  name: string,
): EvaluatedFlag | undefined {
  const index = snapshot.indexOf(name);
  const feature = snapshot.features[index];
  const outcome = feature?.outcomes[snapshot.evaluate(index, context)];
  return feature && outcome && { feature, outcome };
}

/** An answer that is written already, with a tag that depends on its text alone. */
export class WrittenAnswer {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  entityTag(): string {
    return `W/"${createHash("sha256").update(this.#text).digest("hex").slice(0, 16)}"`;
  }

  body(): string {
    return this.#text;
  }
}
