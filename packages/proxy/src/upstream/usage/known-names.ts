import type { Snapshot } from "flags-engine";
import type { FeatureUsage } from "flags-sdk";
import type { ApplicationUsage } from "./application-usage.ts";

/** The name that SDKs report if a flag has no variant for a context. */
const NO_VARIANT = "disabled";

/** Whether the upstream sent a flag of this name, and if a variant is named, whether the flag has it. */
export type IsKnown = (feature: string, variant?: string) => boolean;

/** Whether a snapshot has a flag of this name, and if a variant is named, whether the flag has it. */
export function hasName(
  snapshot: Snapshot,
  feature: string,
  variant: string = NO_VARIANT,
): boolean {
  const flag = snapshot.flags[snapshot.indexOf(feature)];
  if (flag === undefined || variant === NO_VARIANT) return flag !== undefined;
  return flag.outcomes.some((outcome) => outcome.variant?.name === variant);
}

/** The parts of some usage; undefined if there is nothing in it. */
interface SeparatedUsage {
  readonly known: ApplicationUsage | undefined;
  readonly unknown: ApplicationUsage | undefined;
}

type Entry = readonly [name: string, usage: FeatureUsage];

/** Separates usage of flags and variants that the upstream sent from all other. */
export function separateKnown(usage: ApplicationUsage, isKnown: IsKnown): SeparatedUsage {
  const known: Entry[] = [];
  const unknown: Entry[] = [];
  for (const [name, counts] of Object.entries(usage.features)) {
    if (!isKnown(name)) {
      unknown.push([name, counts]);
      continue;
    }
    const variants = Object.entries(counts.variants ?? {});
    const others = variants.filter(([variant]) => !isKnown(name, variant));
    if (others.length === 0) {
      known.push([name, counts]);
      continue;
    }
    // NOTE: `fromEntries` defines properties, so it is safe for a name such as `__proto__`.
    unknown.push([name, { yes: 0, no: 0, variants: Object.fromEntries(others) }]);
    const { yes, no } = counts;
    const rest = variants.filter(([variant]) => isKnown(name, variant));
    if (yes + no + rest.length > 0) {
      known.push([name, { yes, no, variants: Object.fromEntries(rest) }]);
    }
  }
  return { known: withFeatures(usage, known), unknown: withFeatures(usage, unknown) };
}

function withFeatures(
  usage: ApplicationUsage,
  entries: readonly Entry[],
): ApplicationUsage | undefined {
  return entries.length === 0 ? undefined : { ...usage, features: Object.fromEntries(entries) };
}
