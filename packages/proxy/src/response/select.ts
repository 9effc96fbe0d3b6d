import { createFragment } from "./fragment.ts";
import type { OutcomeVector } from "./flag-list.ts";
import { type FlagListBody, toFlagListBody } from "./flag-list-body.ts";
import type { Rendering } from "./rendering.ts";

/** Which flags a response lists. Without any field: those that are on. */
export interface Selection {
  /** Names of the only flags to list, on or off. Takes precedence over `all`. */
  readonly toggles?: readonly string[] | undefined;
  /** Whether flags that are off are listed too. */
  readonly all?: boolean | undefined;
}

/** Lists the selected flags as they were evaluated. */
export function selectFlags(
  rendering: Rendering,
  outcomes: OutcomeVector,
  { toggles, all = false }: Selection,
): FlagListBody {
  if (toggles !== undefined) return selectNamed(rendering, outcomes, toggles);
  return (all ? rendering.all : rendering.enabled).select(outcomes);
}

/** The named flags in the order of their names, each once; unknown names are off. */
function selectNamed(
  { snapshot, protocol, frame, fragmentOf }: Rendering,
  outcomes: OutcomeVector,
  names: readonly string[],
): FlagListBody {
  const fragments = [...new Set(names)].map((name) => {
    const index = snapshot.indexOf(name);
    const feature = snapshot.flags[index];
    return feature === undefined
      ? createFragment(protocol.writeUnknownFlag(name))
      : fragmentOf(feature, outcomes[index] ?? 0);
  });
  return toFlagListBody(frame, fragments);
}
