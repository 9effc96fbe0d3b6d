import type { Context, Snapshot } from "flags-engine";
import type { FlagListBody } from "./flag-list-body.ts";
import type { Renderer } from "./rendering.ts";
import { selectFlags, type Selection } from "./select.ts";

/** A list of flags for one context. */
export interface EvaluatedFlags {
  readonly body: FlagListBody;
  /** Whether the same context would give the same list again, as long as the flags do not change. */
  readonly isRepeatable: boolean;
}

/** The path of every list of flags, whatever the protocol: context, outcomes, selection, body. */
export function evaluateFlags(
  { render }: Pick<Renderer, "render">,
  snapshot: Snapshot,
  context: Context,
  selection: Selection,
): EvaluatedFlags {
  const rendering = render(snapshot);
  const { outcomes, isRepeatable } = snapshot.evaluateAll(context, rendering.vector);
  return { body: selectFlags(rendering, outcomes, selection), isRepeatable };
}
