import { setImmediate } from "node:timers/promises";
import { type Context, explain, type Explanation, type Snapshot } from "flags-engine";

/** How long explanations can delay other requests. */
const SLICE_MS = 5;

/** The response for a name without a flag. */
interface UnknownFlag extends Pick<Explanation, "name" | "enabled" | "explanation"> {
  readonly reason: "FLAG_NOT_FOUND";
}

export type FlagExplanation = Explanation | UnknownFlag;

/** Explains the flags with these names, or all flags of the snapshot. Other tasks run in between. */
export async function explainFlags(
  snapshot: Snapshot,
  names: readonly string[] | undefined,
  context: Context,
): Promise<FlagExplanation[]> {
  const explanations: FlagExplanation[] = [];
  let endMs = performance.now() + SLICE_MS;
  for (const name of new Set(names ?? snapshot.flags.map((flag) => flag.name))) {
    explanations.push(explain(snapshot, name, context) ?? explainUnknown(name));
    if (performance.now() < endMs) continue;
    // oxlint-disable-next-line no-await-in-loop -- other tasks run here
    await setImmediate();
    endMs = performance.now() + SLICE_MS;
  }
  return explanations;
}

function explainUnknown(name: string): UnknownFlag {
  return {
    name,
    enabled: false,
    reason: "FLAG_NOT_FOUND",
    explanation:
      "There is no flag with this name: check its spelling, and the environment and projects of the key.",
  };
}
