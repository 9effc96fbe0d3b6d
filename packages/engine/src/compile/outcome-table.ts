import type { Outcome, Reason, SelectedVariant } from "../outcome.ts";
import type { Variant } from "../parse/model.ts";

/** Collects the possible outcomes of one flag. Equal outcomes share one index. */
export class OutcomeTable {
  readonly #outcomes: Outcome[];
  readonly #indexes = new Map<string, number>();

  constructor(reasonWhenOff: Reason) {
    this.#outcomes = [Object.freeze({ enabled: false, variant: undefined, reason: reasonWhenOff })];
  }

  /** Returns the index of "on" with this variant and reason. */
  on(reason: Reason, variant?: Variant): number {
    const key = JSON.stringify([reason, variant?.name, variant?.payload]);
    const existing = this.#indexes.get(key);
    if (existing !== undefined) return existing;
    const outcome = { enabled: true, variant: variant && toSelected(variant), reason };
    const index = this.#outcomes.push(Object.freeze(outcome)) - 1;
    this.#indexes.set(key, index);
    return index;
  }

  outcomes(): readonly Outcome[] {
    return Object.freeze(this.#outcomes);
  }
}

function toSelected({ name, payload }: Variant): SelectedVariant {
  return Object.freeze(payload === undefined ? { name } : { name, payload });
}
