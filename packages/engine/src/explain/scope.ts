import type { FlagScope } from "../compile/compile-flag.ts";
import type { Patterns } from "../constraints/operator.ts";
import type { CompiledSegments } from "../constraints/compile-constraint.ts";
import type { Context } from "../context.ts";
import { ContextFields } from "../evaluate/context-fields.ts";
import { EvaluationRequest } from "../evaluate/evaluation-request.ts";
import { selectOutcome } from "../evaluate/outcome-selector.ts";
import type { Outcome } from "../outcome.ts";
import type { Feature } from "../parse/model.ts";
import type { Snapshot, SnapshotOrigin } from "../snapshot.ts";
import type { AbbreviatedList } from "./explanation.ts";

const MAX_SHOWN = 10;

const MAX_LENGTH = 200;

/** The fields that ids can come from if the stickiness names none. */
const ID_FIELDS = ["userId", "sessionId", "remoteAddress"];

const ignore = (): void => undefined;

/**
 * Explains the parts of flags for one context. Each part is compiled again, by the same functions as for
 * an evaluation, and all parts see the same time and the same random number.
 */
export class ExplanationScope {
  readonly request: EvaluationRequest;
  readonly fields: ContextFields = new ContextFields();
  readonly hostname: string;
  readonly #snapshot: Snapshot;
  readonly #origin: SnapshotOrigin;
  readonly #compiledSegments: CompiledSegments = new Map();
  readonly #patterns: Patterns = new Map();
  readonly #runtime: Pick<SnapshotOrigin, "now" | "random">;

  constructor(snapshot: Snapshot, context: Context) {
    this.#snapshot = snapshot;
    this.#origin = snapshot.origin;
    this.hostname = snapshot.origin.hostname;
    const nowMs = this.#origin.now();
    const random = this.#origin.random();
    this.#runtime = { now: () => nowMs, random: () => random };
    this.request = new EvaluationRequest(context, this.#runtime);
  }

  /** Returns a flag of the document, even one that the snapshot hides. */
  find(name: string): Feature | undefined {
    return this.#origin.document.features.find((feature) => feature.name === name);
  }

  isVisible(name: string): boolean {
    return this.#snapshot.indexOf(name) !== -1;
  }

  /** Returns the scope for compiling a part, and a function that returns the problem found in it. */
  compilation(): { readonly scope: FlagScope; readonly problem: () => { problem?: string } } {
    let problem: string | undefined;
    const scope = {
      ...this.#origin,
      fields: this.fields,
      patterns: this.#patterns,
      compiledSegments: this.#compiledSegments,
      // The evaluation reports it, too.
      reportStrategyError: ignore,
      report: (message: string) => void (problem ??= message),
    };
    return { scope, problem: () => (problem === undefined ? {} : { problem }) };
  }

  /**
   * Evaluates a flag as the snapshot does, and says whether the next evaluation of the same context can have another result.
   * `request` does not say that: explaining also reads what decides nothing, such as the random id for a rollout after a
   * constraint that is not satisfied.
   */
  evaluate(feature: Feature): { readonly outcome: Outcome; readonly mayChange: boolean } {
    const { document, flags } = this.#origin;
    const flag = flags[document.features.indexOf(feature)];
    const request = new EvaluationRequest(this.request.context, this.#runtime);
    const outcome = flag?.compiled.outcomes[selectOutcome(flag.selector, request)];
    if (outcome === undefined) throw new TypeError("A selected outcome must exist");
    return { outcome, mayChange: !request.isRepeatable };
  }

  textOf(field: string): string | null {
    return shorten(this.request.read(this.fields.text(field)));
  }

  /** Describes an id: its text, shortened, and the field that it comes from. Nothing for a random id. */
  describeId(id: string | null, stickiness: string): { field?: string; value?: string } {
    if (id === null) return {};
    const candidates = stickiness === "default" ? ID_FIELDS : [stickiness];
    const field = candidates.find((name) => this.request.read(this.fields.text(name)) === id);
    return field === undefined ? {} : { field, value: shorten(id) };
  }
}

export function abbreviate(values: readonly string[], actual: string | null): AbbreviatedList {
  const first = values.slice(0, MAX_SHOWN);
  const isHidden = actual !== null && !first.includes(actual) && values.includes(actual);
  const shown = isHidden ? [actual, ...first.slice(0, -1)] : first;
  return { shown: shown.map((value) => shorten(value)), count: values.length };
}

export function shorten<Text extends string | null>(text: Text): Text {
  if (text === null || text.length <= MAX_LENGTH) return text;
  return `${text.slice(0, MAX_LENGTH - 1)}…` as Text;
}
