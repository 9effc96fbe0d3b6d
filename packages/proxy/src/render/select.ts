import { Answer } from "./answer.ts";
import { createFragment } from "./fragment.ts";
import type { Rendering } from "./rendering.ts";
import type { OutcomeVector, Stretch } from "./stretch.ts";

/** The flags that are on. */
export function selectEnabled(rendering: Rendering, outcomes: OutcomeVector): Answer {
  return follow(rendering.enabledStretches, rendering, outcomes);
}

/** All flags, on or off. */
export function selectAll(rendering: Rendering, outcomes: OutcomeVector): Answer {
  return follow(rendering.allStretches, rendering, outcomes);
}

function follow(
  stretches: readonly Stretch[],
  { dialect }: Rendering,
  outcomes: OutcomeVector,
): Answer {
  const answer = new Answer(dialect);
  for (const stretch of stretches) answer.add(stretch.piece(outcomes));
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
    const flag = rendering.flags[rendering.snapshot.indexOf(name)];
    answer.add(
      flag?.fragment(outcomes[flag.index] ?? 0) ??
        createFragment(rendering.dialect.writeUnknownFlag(name)),
    );
  }
  return answer;
}
