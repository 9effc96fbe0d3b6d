import { Answer } from "./answer.ts";
import { createFragment, toPieces } from "./fragment.ts";
import type { Rendering } from "./rendering.ts";
import type { OutcomeVector } from "./stretch-table.ts";

/** The flags that are on. */
export function selectEnabled(rendering: Rendering, outcomes: OutcomeVector): Answer {
  return new Answer(rendering.frame, rendering.enabled.pieces(outcomes));
}

/** All flags, on or off. */
export function selectAll(rendering: Rendering, outcomes: OutcomeVector): Answer {
  return new Answer(rendering.frame, rendering.all.pieces(outcomes));
}

/** The named flags in the order of their names, each once; unknown ones are off. */
export function selectNamed(
  { snapshot, dialect, frame, flags }: Rendering,
  outcomes: OutcomeVector,
  names: readonly string[],
): Answer {
  const fragments = [...new Set(names)].map((name) => {
    const flag = flags[snapshot.indexOf(name)];
    const known = flag?.fragment(outcomes[flag.index] ?? 0);
    return known ?? createFragment(dialect.writeUnknownFlag(name));
  });
  return new Answer(frame, toPieces(fragments));
}
