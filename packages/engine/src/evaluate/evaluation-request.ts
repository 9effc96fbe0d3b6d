import type { Context } from "../context.ts";

/** The inputs of an evaluation in addition to the snapshot and the context. */
interface Runtime {
  /** Returns epoch milliseconds. */
  readonly now: () => number;
  /** Returns a number that is uniform in [0, 1). */
  readonly random: () => number;
}

/**
 * How much the regular expressions of a request may take for long strings, in instructions multiplied by characters: up to
 * 25 ms. Without this limit, a client could make each pattern take that long.
 */
const MAX_REGEX_STEPS = 125_000;

/** A value computed at most once per request, such as a parsed address. Never undefined. */
export interface Slot<Value> {
  readonly index: number;
  readonly load: (request: EvaluationRequest) => Value;
}

/**
 * The evaluation of one context. Caches the value of each slot, so that a thousand flags that read
 * one field look it up and parse it once, and all use the same random id.
 */
export class EvaluationRequest {
  readonly context: Context;
  readonly #runtime: Runtime;
  readonly #values: unknown[] = [];
  readonly #outcomes: Int32Array | undefined;
  /** Whether evaluating the same context again gives the same outcomes. */
  isRepeatable = true;
  /** Whether the outcomes depend only on the document, the context and the clock. */
  isPredictable = true;
  #regexSteps = MAX_REGEX_STEPS;

  /**
   * @param outcomes receives the outcomes of all flags, parents first, when all are evaluated;
   *   omitted when a single flag is evaluated
   */
  constructor(context: Context, runtime: Runtime, outcomes?: Int32Array) {
    this.context = context;
    this.#runtime = runtime;
    this.#outcomes = outcomes;
  }

  read<Value extends string | number | object | null>(slot: Slot<Value>): Value {
    const cached = this.#values[slot.index];
    if (cached !== undefined) return cached as Value;
    const value = slot.load(this);
    this.#values[slot.index] = value;
    return value;
  }

  get evaluatesAllFlags(): boolean {
    return this.#outcomes !== undefined;
  }

  hasRead({ index }: Slot<unknown>): boolean {
    return this.#values[index] !== undefined;
  }

  /** Records that an outcome depends on something other than the document, the context and the clock. */
  markUnpredictable(): void {
    this.isRepeatable = false;
    this.isPredictable = false;
  }

  /** Spends steps of the budget for regular expressions. Returns false, and spends none, if too few are left. */
  trySpend(regexSteps: number): boolean {
    if (regexSteps > this.#regexSteps) return false;
    this.#regexSteps -= regexSteps;
    return true;
  }

  now(): number {
    this.isRepeatable = false;
    return this.#runtime.now();
  }

  random(): number {
    this.markUnpredictable();
    return this.#runtime.random();
  }

  /** Returns the outcome of a parent flag, by its index in the snapshot; undefined unless all flags are evaluated. */
  outcomeAt(index: number): number | undefined {
    return this.#outcomes?.[index];
  }
}
