import type { Snapshot } from "flags-engine";

/** The name that SDKs report if a flag has no variant for a context. */
const NO_VARIANT = "disabled";

/** Whether the upstream sent a flag of this name, and if a variant is named, whether the flag has it. */
export type IsKnown = (feature: string, variant?: string) => boolean;

/** Returns whether names are in the current snapshot. Before the first data, every flag may exist. */
export function namesIn(snapshot: () => Snapshot | undefined): IsKnown {
  return (feature, variant = NO_VARIANT) => {
    const current = snapshot();
    if (current === undefined) return true;
    const flag = current.flags[current.indexOf(feature)];
    if (flag === undefined || variant === NO_VARIANT) return flag !== undefined;
    return flag.outcomes.some((outcome) => outcome.variant?.name === variant);
  };
}
