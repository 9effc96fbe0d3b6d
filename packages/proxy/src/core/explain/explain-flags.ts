import { type Context, explain, type Explanation, type Snapshot, type Steps } from "flags-engine";
import { type ClientVariant, TimeSlicer, toClientVariant } from "flags-sdk/neutral";

interface UnknownFlag extends Pick<Explanation, "name" | "enabled" | "explanation"> {
  readonly reason: "FLAG_NOT_FOUND";
}

type WithVariant<Kind extends object> = Omit<Kind, "variant"> & { readonly variant: ClientVariant };

export type FlagExplanation = WithVariant<Explanation> | WithVariant<UnknownFlag>;

/** Explains the flags with these names, or all flags of the snapshot. Other requests are served in between. */
export function explainFlags(
  snapshot: Snapshot,
  names: readonly string[] | undefined,
  context: Context,
): Promise<FlagExplanation[]> {
  return new TimeSlicer().run(explainInSteps(snapshot, names, context));
}

function* explainInSteps(
  snapshot: Snapshot,
  names: readonly string[] | undefined,
  context: Context,
): Steps<FlagExplanation[]> {
  const explanations: FlagExplanation[] = [];
  for (const name of new Set(names ?? snapshot.flags.map((flag) => flag.name))) {
    const known = explain(snapshot, name, context);
    explanations.push({
      ...(known ?? explainUnknown(name)),
      variant: toClientVariant(known?.variant),
    });
    yield;
  }
  return explanations;
}

function explainUnknown(name: string): UnknownFlag {
  return {
    name,
    enabled: false,
    reason: "FLAG_NOT_FOUND",
    explanation:
      "The proxy has no flag with this name: check its spelling, the environment and projects of the key, and the filters FLAGS_PROJECT_NAME, FLAGS_NAME_PREFIX and FLAGS_TAGS.",
  };
}
