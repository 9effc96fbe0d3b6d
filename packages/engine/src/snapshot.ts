import type { Context } from "./context.ts";
import type { ContextDependencies } from "./evaluate/context-fields.ts";
import type { OutcomeSelector } from "./evaluate/outcome-selector.ts";
import type { Outcome } from "./outcome.ts";
import type { Diagnostic } from "./parse/diagnostics.ts";
import type { FeatureDocument, FlagDetails } from "./parse/model.ts";
import type { CustomStrategy, ReportStrategyError } from "./strategies/custom.ts";

export interface CompiledFlag extends FlagDetails {
  /** Every possible outcome. An evaluation returns an index into this list. Index 0 is "off". */
  readonly outcomes: readonly Outcome[];
  /** The index of the only outcome of a flag that does not depend on the context. */
  readonly constantOutcome: number | undefined;
}

/** The outcomes of all flags of a snapshot for one context. */
export interface Evaluation {
  /** `outcomes[i]` is an index into `flags[i].outcomes`. */
  readonly outcomes: Int32Array;
  /**
   * Whether evaluating the same context again gives the same outcomes, so that they can be cached.
   * False if an outcome depended on the clock, a random number or a custom strategy.
   */
  readonly isRepeatable: boolean;
  /** The same, except that outcomes may depend on the clock. */
  readonly isPredictable: boolean;
  /** Whether a rule has read a context field. If not, the outcomes are the same for any value of it. */
  hasRead(field: string): boolean;
}

/**
 * An immutable, compiled set of flags. Evaluation is synchronous, does no I/O, and does not throw for any
 * context.
 */
export interface Snapshot {
  /** Identifies the content. Equal on every replica that compiled the same document. */
  readonly revision: string;
  /** In the order of the document. Names are unique. */
  readonly flags: readonly CompiledFlag[];
  readonly contextDependencies: ContextDependencies;
  /** The problems found in the document. Empty for a valid document. */
  readonly diagnostics: readonly Diagnostic[];
  /** What the snapshot was compiled from, for `explain()`. */
  readonly origin: SnapshotOrigin;
  /** Returns the index of a flag in `flags`, or -1 for an unknown name. */
  indexOf(name: string): number;
  /**
   * Evaluates one flag. Returns an index into `flags[index].outcomes`; 0 ("off") if there is no
   * flag at this index.
   */
  evaluate(index: number, context: Context): number;
  /**
   * Evaluates every flag in one pass.
   *
   * @param vector receives the outcomes, and is returned as `outcomes`. It must have at least as
   *   many elements as there are flags. @default a new vector
   * @throws {RangeError} if the vector is too short
   */
  evaluateAll(context: Context, vector?: Int32Array): Evaluation;
}

export interface SnapshotFlag {
  readonly compiled: CompiledFlag;
  readonly index: number;
  readonly selector: OutcomeSelector;
  readonly hasParents: boolean;
}

/** A compilation. An explanation compiles the parts of one flag again. */
export interface SnapshotOrigin extends CompilationInputs {
  /** In the order of the document, even those that the snapshot hides. */
  readonly flags: readonly SnapshotFlag[];
}

export interface CompilationInputs {
  readonly document: FeatureDocument;
  /** In lower case. */
  readonly hostname: string;
  readonly customStrategies: ReadonlyMap<string, CustomStrategy>;
  readonly reportStrategyError: ReportStrategyError;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}
