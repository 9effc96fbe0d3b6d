import type { Outcome, Snapshot } from "flags-engine";
import { joinFragments, type Fragment } from "./fragment.ts";

/** Which answers of flags belong into an answer to a client. */
export type IsShown = (outcome: Outcome) => boolean;

/** A flag whose answer depends on the context: the piece for each outcome, if it is shown. */
export interface FlagStep {
  readonly index: number;
  readonly shown: readonly (Fragment | undefined)[];
}

/** How an answer is put together. A fragment is what every answer has at this place. */
export type Step = Fragment | FlagStep;

/** Prepares the way through the flags of a snapshot; runs of constant ones become one piece. */
export function planSteps(
  { features }: Snapshot,
  fragments: readonly (readonly Fragment[])[],
  isShown: IsShown,
): readonly Step[] {
  const steps: Step[] = [];
  for (const [index, { outcomes, constantOutcome }] of features.entries()) {
    const shown = outcomes.map((outcome, position) =>
      isShown(outcome) ? fragments[index]?.[position] : undefined,
    );
    if (constantOutcome === undefined) steps.push({ index, shown });
    else addConstant(steps, shown[constantOutcome]);
  }
  return steps;
}

function addConstant(steps: Step[], fragment: Fragment | undefined): void {
  if (fragment === undefined) return;
  const last = steps.at(-1);
  if (last !== undefined && "text" in last) steps[steps.length - 1] = joinFragments(last, fragment);
  else steps.push(fragment);
}
