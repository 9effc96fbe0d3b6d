import type { Context } from "../src/index.ts";

/** What both engines are asked about one flag and one context. */
export interface Answer {
  readonly enabled: boolean;
  readonly variant?: string;
  readonly payload?: unknown;
}

export interface Evaluator {
  /** May throw where the official SDK does. */
  readonly answer: (name: string, context: Context) => Answer;
  readonly close: () => void;
}

export function isSameAnswer(one: Answer, other: Answer): boolean {
  return (
    one.enabled === other.enabled &&
    one.variant === other.variant &&
    JSON.stringify(one.payload) === JSON.stringify(other.payload)
  );
}
