import type { Explanation } from "flags-engine";
import type { FlagExplanation } from "../../core/explain/explain-flags.ts";

/** Formats explanations as text for people: with every condition, or in one line each. */
export function formatExplanations(
  explanations: readonly FlagExplanation[],
  { hasDetails }: { readonly hasDetails: boolean },
): string {
  if (explanations.length === 0) return "The environment has no flags\n";
  return hasDetails
    ? explanations.map(formatDetails).join("\n")
    : explanations.map(({ name, explanation }) => `${name}: ${explanation}\n`).join("");
}

function formatDetails(explanation: FlagExplanation): string {
  const lines = [`${explanation.name}: ${explanation.explanation}`];
  if ("strategies" in explanation) lines.push(...formatParts(explanation));
  return `${lines.join("\n")}\n`;
}

function formatParts(explanation: Explanation): readonly string[] {
  const { enabledInEnvironment, dependencies, strategies, decidedBy } = explanation;
  return [
    "",
    mark(enabledInEnvironment, enabledInEnvironment ? "Enabled" : "Disabled"),
    ...dependencies.map((one) => mark(one.matched, one.explanation)),
    ...strategies.flatMap(({ name, matched, constraints, segments, activation }, index) => [
      mark(matched, `Strategy ${index + 1}: ${name}${index === decidedBy ? " (decides)" : ""}`),
      ...[...constraints, ...segments, activation].map(
        (one) => `  ${mark(one.matched, one.explanation)}`,
      ),
    ]),
    ...formatVariant(explanation),
    ...(explanation.mayChange
      ? ["  The result depends on the time, a random number or a custom strategy"]
      : []),
  ];
}

function mark(matched: boolean, text: string): string {
  return `  ${matched ? "yes" : "no "}  ${text}`;
}

function formatVariant({ variantSelection }: Explanation): readonly string[] {
  if (variantSelection === undefined) return [];
  const { definedBy, variants, totalWeight } = variantSelection;
  return [
    `  Variants of the ${definedBy}:`,
    ...variants.map(
      ({ name, weight, selected }) =>
        `    ${mark(selected, `${name}, ${weight} of ${totalWeight}`)}`,
    ),
  ];
}
