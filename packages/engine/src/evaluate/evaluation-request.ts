import type { Context } from "../context.ts";

/** What a snapshot takes from outside: everything that is not in the document or the context. */
export interface Runtime {
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** A value that is worked out at most once per request, such as a parsed address. Never undefined. */
export interface Slot<Value> {
  readonly index: number;
  readonly load: (request: EvaluationRequest) => Value;
}

/** A flag that can be evaluated for a request; the answer indexes its outcomes. */
export interface EvaluableFeature {
  readonly index: number;
  evaluate(request: EvaluationRequest): number;
}

/**
 * One context being evaluated: holds what was already worked out for it, so that a thousand flags
 * reading one field look it up and parse it once, and so that all of them see one random id.
 */
export class EvaluationRequest {
  readonly context: Context;
  readonly #runtime: Runtime;
  readonly #values: unknown[];
  readonly #outcomes: Int32Array | undefined;
  #isRepeatable = true;

  /** `outcomes` holds the answers so far, parents first, when all flags are evaluated. */
  constructor(context: Context, runtime: Runtime, outcomes?: Int32Array) {
    this.context = context;
    this.#runtime = runtime;
    this.#values = [];
    this.#outcomes = outcomes;
  }

  read<Value extends string | number | object | null>(slot: Slot<Value>): Value {
    const known = this.#values[slot.index];
    if (known !== undefined) return known as Value;
    const value = slot.load(this);
    this.#values[slot.index] = value;
    return value;
  }

  /** Whether all flags are evaluated, and not just one. */
  get isOfAllFlags(): boolean {
    return this.#outcomes !== undefined;
  }

  /** Whether the same context would get the same answers again. */
  get isRepeatable(): boolean {
    return this.#isRepeatable;
  }

  /** Notes that an answer depends on something besides the document and the context. */
  noteUnrepeatable(): void {
    this.#isRepeatable = false;
  }

  /** The clock, in epoch milliseconds. */
  now(): number {
    this.#isRepeatable = false;
    return this.#runtime.now();
  }

  /** A random number, uniform in [0, 1). */
  random(): number {
    this.#isRepeatable = false;
    return this.#runtime.random();
  }

  /** The answer of another flag for this same request. */
  outcomeOf(feature: EvaluableFeature): number {
    return this.#outcomes?.[feature.index] ?? feature.evaluate(this);
  }
}
