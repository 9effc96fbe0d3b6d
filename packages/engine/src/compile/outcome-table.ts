import type { Outcome, Reason, SelectedVariant } from "../outcome.ts";
import type { Variant } from "../parse/model.ts";

/** The position of "off" among the outcomes of every flag. */
export const OFF = 0;

/** Collects the possible answers of one flag; equal answers share one position. */
export class OutcomeTable {
  readonly #outcomes: Outcome[];
  readonly #positions = new Map<string, number>();

  constructor(reasonWhenOff: Reason) {
    this.#outcomes = [Object.freeze({ enabled: false, variant: undefined, reason: reasonWhenOff })];
  }

  /** The position of "on" with this variant, for this reason. */
  on(reason: Reason, variant?: Variant): number {
    const key = JSON.stringify([reason, variant?.name, variant?.payload]);
    const known = this.#positions.get(key);
    if (known !== undefined) return known;
    const outcome = { enabled: true, variant: variant && toSelected(variant), reason };
    const position = this.#outcomes.push(Object.freeze(outcome)) - 1;
    this.#positions.set(key, position);
    return position;
  }

  outcomes(): readonly Outcome[] {
    return Object.freeze(this.#outcomes);
  }
}

function toSelected({ name, payload }: Variant): SelectedVariant {
  return Object.freeze(payload === undefined ? { name } : { name, payload });
}
