import type { CompiledFlag, Context, Outcome, Snapshot } from "flags-engine";
import type { Emitter } from "../events/emitter.ts";
import type { FlagsClientEvents } from "../events/flags-client-events.ts";
import { toVariant } from "./variant.ts";
import type { FallbackVariant, Variant } from "./variant.ts";

/** The answer for a flag that is not known: a value, or a function that makes one. */
export type Fallback = boolean | ((name: string, context: Context) => boolean);

export interface EvaluatorOptions {
  readonly snapshot: () => Snapshot | undefined;
  /** Fields that every context has unless the caller gives others. */
  readonly staticContext: Context;
  readonly emitter: Emitter<FlagsClientEvents>;
  /** Counts one evaluation, and the variant it gave. */
  readonly count: (name: string, enabled: boolean, variant?: string) => void;
}

interface Evaluation {
  readonly context: Context;
  /** Absent when there is no such flag. */
  readonly feature: CompiledFlag | undefined;
  readonly outcome: Outcome | undefined;
}

/** Answers questions about single flags, and tells what was asked. */
export class Evaluator {
  readonly #options: EvaluatorOptions;
  #hasWarned = false;

  constructor(options: EvaluatorOptions) {
    this.#options = options;
  }

  isEnabled(name: string, context: Context, fallback: Fallback): boolean {
    const evaluation = this.#evaluate(name, context);
    const enabled = evaluation.outcome?.enabled ?? resolveFallback(fallback, name, evaluation);
    this.#count(name, enabled);
    this.#impress(evaluation, { eventType: "isEnabled", enabled });
    return enabled;
  }

  getVariant(name: string, context: Context, fallback: FallbackVariant | undefined): Variant {
    const evaluation = this.#evaluate(name, context);
    const variant = toVariant(evaluation.outcome, fallback);
    const { enabled } = variant;
    this.#count(name, variant.featureEnabled, variant.name);
    this.#impress(evaluation, { eventType: "getVariant", enabled, variant: variant.name });
    return variant;
  }

  #evaluate(name: string, callerContext: Context): Evaluation {
    const { staticContext, snapshot: current } = this.#options;
    const context = { ...staticContext, ...callerContext };
    const snapshot = current();
    if (snapshot === undefined) this.#warnNotReady();
    const index = snapshot?.indexOf(name) ?? -1;
    const feature = snapshot?.flags[index];
    if (snapshot === undefined || feature === undefined)
      return { context, feature: undefined, outcome: undefined };
    return { context, feature, outcome: feature.outcomes[snapshot.evaluate(index, context)] };
  }

  /** What is answered before there is data says nothing about the usage of a flag. */
  #count(name: string, enabled: boolean, variant?: string): void {
    const { snapshot, count, emitter } = this.#options;
    if (snapshot() === undefined) return;
    count(name, enabled, variant);
    if (emitter.has("count")) emitter.emit("count", name, enabled);
  }

  #impress(
    { feature, context }: Evaluation,
    details: { eventType: "isEnabled" | "getVariant"; enabled: boolean; variant?: string },
  ): void {
    if (feature === undefined || !feature.impressionData) return;
    this.#options.emitter.emit("impression", { featureName: feature.name, context, ...details });
  }

  #warnNotReady(): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#options.emitter.emit(
      "warn",
      "A flag was asked for before there is any data: see the event ready",
    );
  }
}

function resolveFallback(fallback: Fallback, name: string, { context }: Evaluation): boolean {
  return typeof fallback === "function" ? fallback(name, context) : fallback;
}
