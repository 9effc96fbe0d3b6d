import type { Snapshot } from "flags-engine";
import type { FeatureUsage } from "flags-sdk";
import type { ApplicationUsage } from "./application-usage.ts";
import { withFeatures } from "./bulk-report.ts";

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
    const { yes, no } = counts;
    const variants = Object.entries(counts.variants ?? {});
    const rest = variants.filter(([variant]) => isKnown(name, variant));
    const others = variants.filter(([variant]) => !isKnown(name, variant));
    if (!isKnown(name)) unknown.push([name, counts]);
    else if (others.length === 0) known.push([name, counts]);
    else {
      unknown.push([name, { yes: 0, no: 0, variants: Object.fromEntries(others) }]);
      if (yes + no + rest.length > 0) {
        known.push([name, { yes, no, variants: Object.fromEntries(rest) }]);
      }
    }
  }
  const toPart = (entries: readonly Entry[]): ApplicationUsage | undefined =>
    entries.length === 0 ? undefined : withFeatures(usage, entries);
  return { known: toPart(known), unknown: toPart(unknown) };
}
