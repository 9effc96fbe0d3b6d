import type { Answer } from "./_answer.ts";
import type { Json } from "./_random-constraint.ts";
import { PROBE } from "./_random-document.ts";

/** How often a rule held and how often it did not. */
export interface Decisions {
  on: number;
  off: number;
}

/** Counts answers: a comparison proves something only when there was something to compare. */
export class Tally {
  answers = 0;
  enabled = 0;
  withVariant = 0;
  /** Answers that were not compared, because the official SDK threw. */
  threw = 0;
  readonly decisions = new Map<string, Decisions>();

  count(feature: Json, answer: Answer): void {
    this.answers += 1;
    if (answer.enabled) this.enabled += 1;
    if (answer.variant !== undefined) this.withVariant += 1;
    const rule = soleRule(feature);
    if (rule !== undefined) this.#decide(rule, answer.enabled);
  }

  toString(): string {
    const percent = (part: number): string => `${((100 * part) / this.answers).toFixed(1)} %`;
    return (
      `${this.answers} answers, ${percent(this.enabled)} on, ` +
      `${percent(this.withVariant)} with a variant, ${this.threw} left out`
    );
  }

  #decide(rule: string, isOn: boolean): void {
    const decisions = this.decisions.get(rule) ?? { on: 0, off: 0 };
    decisions[isOn ? "on" : "off"] += 1;
    this.decisions.set(rule, decisions);
  }
}

/** The operator or strategy that alone decides whether the flag is on, if there is one. */
function soleRule({ type, strategies }: Json): string | undefined {
  if (type !== PROBE) return undefined;
  const [strategy] = strategies as readonly Json[];
  if (strategy?.["constraints"] === undefined) return String(strategy?.["name"]);
  const [constraint] = strategy["constraints"] as readonly (Json | null)[];
  return constraint?.["inverted"] ? undefined : String(constraint?.["operator"]);
}
