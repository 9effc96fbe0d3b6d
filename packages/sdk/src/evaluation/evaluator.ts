import { explain } from "flags-engine";
import type { CompiledFlag, Context, Explanation, Outcome, Snapshot } from "flags-engine";
import type { Emitter, FlagsClientEvents } from "../events.ts";
import { toClientContext, withSessionId } from "../rendering/client-context.ts";
import { PageFlags } from "../rendering/page-flags.ts";
import { toVariant } from "../rendering/variant.ts";
import type { FallbackVariant, Variant } from "../rendering/variant.ts";

/** The result for an unknown flag: a value, or a function that returns one. */
export type Fallback = boolean | ((name: string, context: Context) => boolean);

interface EvaluatorOptions {
  readonly snapshot: () => Snapshot | undefined;
  /** Context fields that apply unless the caller passes others. */
  readonly staticContext: Context;
  readonly emitter: Emitter<FlagsClientEvents>;
  readonly count: (name: string, enabled: boolean, variant?: string) => void;
}

interface Evaluation {
  readonly context: Context;
  readonly flag: CompiledFlag | undefined;
  readonly outcome: Outcome | undefined;
}

/** Evaluates single flags, counts the evaluations and emits impressions. */
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
    this.#emitImpression(evaluation, { eventType: "isEnabled", enabled });
    return enabled;
  }

  getVariant(name: string, context: Context, fallback: FallbackVariant | undefined): Variant {
    const evaluation = this.#evaluate(name, context);
    const variant = toVariant(evaluation.outcome, fallback);
    const { enabled } = variant;
    this.#count(name, variant.featureEnabled, variant.name);
    this.#emitImpression(evaluation, { eventType: "getVariant", enabled, variant: variant.name });
    return variant;
  }

  /** Evaluates all flags, for a page. Only those that the page reads are counted. */
  evaluateAll(callerContext: Context): PageFlags {
    const snapshot = this.#options.snapshot();
    if (snapshot === undefined) {
      throw new Error("There are no flags yet: await `synchronized()` before `evaluate()`");
    }
    const given = toClientContext(callerContext);
    const clientContext = withSessionId(given, snapshot.contextDependencies);
    const context = this.#complete({ ...clientContext });
    return new PageFlags({
      snapshot,
      context,
      clientContext,
      ofrepValues: "boolean",
      ofrepListsAll: false,
      onUse: ({ name, flag, eventType, featureEnabled, variant }) => {
        this.#count(name, featureEnabled, variant?.name);
        const enabled = variant?.enabled ?? featureEnabled;
        const details = { eventType, enabled, ...(variant && { variant: variant.name }) };
        this.#emitImpression({ flag, context }, details);
      },
    });
  }

  /** NOTE: not counted as an evaluation, because the application does not use the result. */
  explain(name: string, context: Context): Explanation | undefined {
    const snapshot = this.#options.snapshot();
    return snapshot && explain(snapshot, name, this.#complete(context));
  }

  #complete(context: Context): Context {
    return { ...this.#options.staticContext, ...context };
  }

  #evaluate(name: string, callerContext: Context): Evaluation {
    const { snapshot: current } = this.#options;
    const context = this.#complete(callerContext);
    const snapshot = current();
    if (snapshot === undefined) this.#warnNotReady();
    const index = snapshot?.indexOf(name) ?? -1;
    const flag = snapshot?.flags[index];
    if (snapshot === undefined || flag === undefined)
      return { context, flag: undefined, outcome: undefined };
    return { context, flag, outcome: flag.outcomes[snapshot.evaluate(index, context)] };
  }

  /** Fallbacks returned before the first data are not counted, because no flag was evaluated. */
  #count(name: string, enabled: boolean, variant?: string): void {
    const { snapshot, count, emitter } = this.#options;
    if (snapshot() === undefined) return;
    count(name, enabled, variant);
    if (emitter.has("count")) emitter.emit("count", name, enabled);
  }

  #emitImpression(
    { flag, context }: Pick<Evaluation, "context" | "flag">,
    details: { eventType: "isEnabled" | "getVariant"; enabled: boolean; variant?: string },
  ): void {
    if (flag === undefined || !flag.impressionData) return;
    this.#options.emitter.emit("impression", { featureName: flag.name, context, ...details });
  }

  #warnNotReady(): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#options.emitter.emit(
      "warn",
      "A flag was evaluated before any data was available: wait for the event ready",
    );
  }
}

function resolveFallback(fallback: Fallback, name: string, { context }: Evaluation): boolean {
  return typeof fallback === "function" ? fallback(name, context) : fallback;
}
