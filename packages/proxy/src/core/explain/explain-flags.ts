import { type Context, explain, type Explanation, type Snapshot, type Steps } from "flags-engine";
import { TimeSlicer } from "flags-sdk/neutral";
import { type ClientVariant, toClientVariant } from "flags-sdk/neutral";

/** The response for a name without a flag. */
interface UnknownFlag extends Pick<Explanation, "name" | "enabled" | "explanation"> {
  readonly reason: "FLAG_NOT_FOUND";
}

/** With a variant as in other responses. */
type WithVariant<Kind extends object> = Omit<Kind, "variant"> & { readonly variant: ClientVariant };

export type FlagExplanation = WithVariant<Explanation> | WithVariant<UnknownFlag>;

/**
 * Explains the flags with these names, or all flags of the snapshot. Other requests are served in between.
 *
 * @param filters the settings that select flags, if it is known which ones are set @default unknown
 */
export function explainFlags(
  snapshot: Snapshot,
  names: readonly string[] | undefined,
  context: Context,
  filters?: readonly string[],
): Promise<FlagExplanation[]> {
  return new TimeSlicer().run(explainInSteps(snapshot, { names, filters }, context));
}

interface Wanted {
  readonly names: readonly string[] | undefined;
  readonly filters: readonly string[] | undefined;
}

function* explainInSteps(
  snapshot: Snapshot,
  { names, filters }: Wanted,
  context: Context,
): Steps<FlagExplanation[]> {
  const explanations: FlagExplanation[] = [];
  for (const name of new Set(names ?? snapshot.flags.map((flag) => flag.name))) {
    const known = explain(snapshot, name, context);
    explanations.push({
      ...(known ?? explainUnknown(name, filters)),
      variant: toClientVariant(known?.variant),
    });
    yield;
  }
  return explanations;
}

function explainUnknown(name: string, filters: readonly string[] | undefined): UnknownFlag {
  return { name, enabled: false, reason: "FLAG_NOT_FOUND", explanation: describeUnknown(filters) };
}

function describeUnknown(filters: readonly string[] | undefined): string {
  const place = "the environment and projects of the key";
  if (filters === undefined) {
    return `The proxy has no flag with this name: check its spelling, ${place}, and the filters FLAGS_PROJECT_NAME, FLAGS_NAME_PREFIX and FLAGS_TAGS.`;
  }
  if (filters.length === 0) {
    return `The proxy has no flag with this name: check its spelling, and ${place}.`;
  }
  return `The proxy loads only flags that match ${filters.join(" and ")}, and none of them has this name: check whether the flag matches, its spelling, and ${place}.`;
}
