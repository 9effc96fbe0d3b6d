import { describeCount } from "flags-sdk/neutral";
import type { Difference } from "./compare-flags.ts";
import type { Comparison } from "./run-compare.ts";

export function formatComparison(comparison: Comparison): string {
  const { urls, contexts, fields, unknownRules, differences, randomFlags, seenFlags } = comparison;
  return [
    `Compared ${describeCount(seenFlags, "flag")} for ${describeCount(contexts, "context")}`,
    `  A  ${urls[0]}`,
    `  B  ${urls[1]}`,
    ...(fields.length === 0 ? [] : [`  Random fields: ${fields.join(", ")}`]),
    ...(unknownRules === undefined
      ? []
      : [`  The fields that rules read are not known: ${unknownRules}`]),
    ...(seenFlags === 0 ? ["  No flag was on for any context: compare all flags with --all"] : []),
    ...differences.flatMap((difference) => formatDifference(difference, contexts)),
    ...(randomFlags.length === 0
      ? []
      : ["", `Random from request to request, not compared: ${randomFlags.join(", ")}`]),
    "",
    differences.length === 0
      ? "No differences"
      : `Different: ${describeCount(differences.length, "flag")}`,
    "",
  ].join("\n");
}

function formatDifference(
  { flag, contexts, example }: Difference,
  total: number,
): readonly string[] {
  return [
    "",
    `${flag} differs for ${contexts} of ${describeCount(total, "context")}, for example`,
    `  context  ${JSON.stringify(example.context)}`,
    `  A        ${example.result}`,
    `  B        ${example.otherResult}`,
  ];
}
