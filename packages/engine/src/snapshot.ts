import type { Context } from "./context.ts";
import type { Outcome } from "./outcome.ts";
import type { Diagnostic } from "./parse/diagnostic.ts";

/** A flag of a snapshot and every answer it can give. */
export interface CompiledFlag {
  readonly name: string;
  readonly type: string | undefined;
  readonly project: string | undefined;
  readonly stale: boolean;
  readonly impressionData: boolean;
  /** Every possible answer; an evaluation yields an index into this list. Index 0 is "off". */
  readonly outcomes: readonly Outcome[];
  /** The one answer for every context, when the flag does not depend on it; otherwise absent. */
  readonly constantOutcome: number | undefined;
}

/** What the answers of a snapshot depend on, besides the snapshot itself. */
export interface ContextDependencies {
  /**
   * Names of the context fields that some rule reads, sorted. Two contexts that agree on these
   * have equal answers, unless one of the flags below is set.
   */
  readonly fields: readonly string[];
  /** A rule compares with the current time when the context brings no `currentTime`. */
  readonly readsClock: boolean;
  /** A rule may draw a random number (for want of an id, or because it is random by nature). */
  readonly drawsRandom: boolean;
  /** A rule calls a custom strategy, which may read anything. */
  readonly callsCustomStrategy: boolean;
}

/** The answers of all flags of a snapshot for one context. */
export interface Evaluation {
  /** `outcomes[i]` indexes `flags[i].outcomes`. The given vector, if there was one. */
  readonly outcomes: Int32Array;
  /**
   * Whether the same context would get the same answers again, so that they may be kept: false when
   * one of them went by the clock, by chance or by a custom strategy.
   */
  readonly isRepeatable: boolean;
}

/**
 * An immutable, compiled set of flags. Evaluation is synchronous, does no I/O, and throws for no
 * document and no context.
 */
export interface Snapshot {
  /** Names the content: equal on every replica that compiled the same document. */
  readonly revision: string;
  /** In the order of the document; names are unique. */
  readonly flags: readonly CompiledFlag[];
  readonly contextDependencies: ContextDependencies;
  /** What was found wrong in the document and how it is treated; empty for a sound one. */
  readonly diagnostics: readonly Diagnostic[];
  /** The position of a flag in `flags`, or -1 when there is none of that name. */
  indexOf(name: string): number;
  /** Evaluates one flag: the index of its answer in `flags[index].outcomes`. */
  evaluate(index: number, context: Context): number;
  /**
   * Evaluates every flag in one pass.
   *
   * @param vector where to write the outcomes, with one place for each flag; a new one by default
   * @throws {RangeError} when the vector has too few places
   */
  evaluateAll(context: Context, vector?: Int32Array): Evaluation;
}
