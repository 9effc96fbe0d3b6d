import type { Context } from "../context.ts";
import type { Diagnostic } from "../parse/diagnostic.ts";
import { EvaluationRequest } from "./evaluation-request.ts";
import type { EvaluableFeature, Runtime } from "./evaluation-request.ts";
import type { CompiledFlag, Evaluation, ContextDependencies, Snapshot } from "../snapshot.ts";
import type { Parent } from "../compile/compile-dependencies.ts";
import { SimpleEvaluation } from "./flag-evaluation.ts";
import { OFF } from "../compile/outcome-table.ts";
import type { SimpleFlags } from "./simple-flags.ts";

/** A flag of a snapshot, ready to be evaluated. */
export interface Flag extends Parent {
  readonly hasParents: boolean;
}

export interface SnapshotParts {
  readonly revision: string;
  readonly flags: readonly Flag[];
  /** Those of the flags that are simple. */
  readonly simple: SimpleFlags;
  readonly contextDependencies: ContextDependencies;
  readonly diagnostics: readonly Diagnostic[];
  readonly runtime: Runtime;
}

export class CompiledSnapshot implements Snapshot {
  readonly revision: string;
  readonly flags: readonly CompiledFlag[];
  readonly contextDependencies: ContextDependencies;
  readonly diagnostics: readonly Diagnostic[];
  readonly #runtime: Runtime;
  readonly #evaluables: readonly EvaluableFeature[];
  readonly #indexes: ReadonlyMap<string, number>;
  readonly #simple: SimpleFlags;
  /** All others that are not constant, parents before children. */
  readonly #others: readonly EvaluableFeature[];

  constructor({
    revision,
    flags,
    simple,
    contextDependencies,
    diagnostics,
    runtime,
  }: SnapshotParts) {
    this.revision = revision;
    this.flags = Object.freeze(flags.map(({ compiled }) => compiled));
    this.contextDependencies = contextDependencies;
    this.diagnostics = diagnostics;
    this.#runtime = runtime;
    this.#evaluables = flags.map(({ evaluable }) => evaluable);
    this.#indexes = new Map(this.flags.map(({ name }, index) => [name, index]));
    this.#simple = simple;
    const others = flags.filter(
      ({ compiled, evaluable }) =>
        compiled.constantOutcome === undefined && !(evaluable instanceof SimpleEvaluation),
    );
    this.#others = [
      ...others.filter(({ hasParents }) => !hasParents),
      ...others.filter(({ hasParents }) => hasParents),
    ].map(({ evaluable }) => evaluable);
  }

  indexOf(name: string): number {
    return this.#indexes.get(name) ?? -1;
  }

  evaluate(index: number, context: Context): number {
    const constant = this.flags[index]?.constantOutcome;
    if (constant !== undefined) return constant;
    const request = new EvaluationRequest(context, this.#runtime);
    return this.#evaluables[index]?.evaluate(request) ?? OFF;
  }

  evaluateAll(context: Context, vector?: Int32Array): Evaluation {
    const outcomes = this.#simple.constants(vector);
    const request = new EvaluationRequest(context, this.#runtime, outcomes);
    this.#simple.decide(request, outcomes);
    for (const flag of this.#others) outcomes[flag.index] = flag.evaluate(request);
    return { outcomes, isRepeatable: request.isRepeatable };
  }
}
