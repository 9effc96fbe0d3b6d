import type { ApplicationUsage } from "../flag-source.ts";

/** Two reports that say together what one says; undefined when it is about a single flag. */
export function splitUsage(
  usage: ApplicationUsage,
): readonly [ApplicationUsage, ApplicationUsage] | undefined {
  const features = Object.entries(usage.features);
  if (features.length < 2) return undefined;
  const middle = Math.ceil(features.length / 2);
  return [
    { ...usage, features: Object.fromEntries(features.slice(0, middle)) },
    { ...usage, features: Object.fromEntries(features.slice(middle)) },
  ];
}
