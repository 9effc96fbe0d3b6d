import { Answer } from "./answer.ts";
import { createFragment, type Fragment } from "./fragment.ts";
import type { Rendering } from "./rendering.ts";
import type { Step } from "./steps.ts";

/** One outcome index for each flag of a snapshot. */
export type OutcomeVector = Uint32Array;

/** The flags that are on. */
export function selectEnabled(rendering: Rendering, outcomes: OutcomeVector): Answer {
  return follow(rendering.enabledSteps, rendering, outcomes);
}

/** All flags, on or off. */
export function selectAll(rendering: Rendering, outcomes: OutcomeVector): Answer {
  return follow(rendering.allSteps, rendering, outcomes);
}

function follow(steps: readonly Step[], { dialect }: Rendering, outcomes: OutcomeVector): Answer {
  const answer = new Answer(dialect);
  for (const step of steps) {
    const fragment = "text" in step ? step : step.shown[outcomes[step.index] ?? 0];
    if (fragment !== undefined) answer.add(fragment);
  }
  return answer;
}

/** The named flags in the order of their names, each once; unknown ones are off. */
export function selectNamed(
  rendering: Rendering,
  outcomes: OutcomeVector,
  names: readonly string[],
): Answer {
  const answer = new Answer(rendering.dialect);
  for (const name of new Set(names)) {
    const index = rendering.snapshot.indexOf(name);
    answer.add(
      index === -1
        ? createFragment(rendering.dialect.writeUnknownFlag(name))
        : fragmentOf(rendering, index, outcomes[index] ?? 0),
    );
  }
  return answer;
}

function fragmentOf(rendering: Rendering, index: number, outcome: number): Fragment {
  const fragment = rendering.fragments[index]?.[outcome];
  if (fragment === undefined) {
    throw new RangeError(`Cannot render outcome ${outcome} of flag ${index}: there is none`);
  }
  return fragment;
}
