import type { ApplicationUsage } from "../flag-source.ts";

/** Splits usage into two halves by flags; undefined if it is of a single flag. */
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

/** Splits a list of usages into two halves; undefined if it is of a single flag. */
export function splitUsages(
  usages: readonly ApplicationUsage[],
): readonly [readonly ApplicationUsage[], readonly ApplicationUsage[]] | undefined {
  const [first] = usages;
  if (first === undefined) return undefined;
  if (usages.length === 1) {
    const halves = splitUsage(first);
    return halves && [[halves[0]], [halves[1]]];
  }
  const middle = Math.ceil(usages.length / 2);
  return [usages.slice(0, middle), usages.slice(middle)];
}
