import type { FlagEnvironment, Strategy } from "../api/types.ts";
import { compareStates, type Difference } from "../events/compare-states.ts";
import { toWords } from "../events/recorded-words.ts";
import { describeStrategy, type Names } from "../strategies/describe-strategy.ts";
import { toDraft } from "../strategies/strategy-draft.ts";

type Place = Pick<FlagEnvironment, "enabled" | "strategies" | "variants">;

/** Something that a flag has in two environments, or in one of them. */
export interface ComparedPart {
  readonly label: string;
  /** In words; undefined if the environment does not have it. */
  readonly left: string | undefined;
  readonly right: string | undefined;
  /** What differs, if both environments have it. */
  readonly differences: readonly Difference[];
}

/** Whether a part is not the same in both environments. */
export function isDifferent({ left, right, differences }: ComparedPart): boolean {
  return left === undefined || right === undefined || differences.length > 0;
}

/** Compares what a flag does in two environments. */
export function compareEnvironments(
  left: Place,
  right: Place,
  names: Names,
): readonly ComparedPart[] {
  return [
    compareWords("State", left.enabled ? "On" : "Off", right.enabled ? "On" : "Off"),
    ...pairStrategies(left.strategies, right.strategies).map(([one, other], index) => ({
      label: labelOf(one ?? other, index),
      left: one && describe(one, names),
      right: other && describe(other, names),
      differences:
        one === undefined || other === undefined
          ? []
          : compareStates(toWords(one, names), toWords(other, names)),
    })),
    ...compareVariants(left, right, names),
  ];
}

function compareWords(label: string, left: string, right: string): ComparedPart {
  return { label, left, right, differences: compareStates(left, right) };
}

function labelOf(strategy: Strategy | undefined, index: number): string {
  const title = strategy?.title ?? "";
  return title === "" ? `Strategy ${index + 1}` : title;
}

function describe(strategy: Strategy, names: Names): string {
  return `${strategy.disabled ? "Disabled: for" : "For"} ${describeStrategy(strategy, names)}`;
}

function compareVariants(left: Place, right: Place, names: Names): readonly ComparedPart[] {
  if (left.variants.length + right.variants.length === 0) return [];
  const describeVariants = ({ variants }: Place): string | undefined =>
    variants.length === 0 ? undefined : variants.map(({ name }) => name).join(", ");
  return [
    {
      label: "Variants of the environment",
      left: describeVariants(left),
      right: describeVariants(right),
      differences: compareStates(
        toWords({ variants: left.variants }, names),
        toWords({ variants: right.variants }, names),
      ),
    },
  ];
}

type Pair = readonly [Strategy | undefined, Strategy | undefined];

/**
 * Returns which strategies correspond to each other: first equal ones, then those with the same title, then those of the
 * same type. What is left has no counterpart.
 */
export function pairStrategies(
  left: readonly Strategy[],
  right: readonly Strategy[],
): readonly Pair[] {
  const partners = new Map<Strategy, Strategy>();
  const isFree = new Set(right);
  const pairBy = (keyOf: (strategy: Strategy) => string | null): void => {
    for (const one of left) {
      const key = keyOf(one);
      if (partners.has(one) || key === null || key === "") continue;
      const partner = right.find((other) => isFree.has(other) && keyOf(other) === key);
      if (partner === undefined) continue;
      partners.set(one, partner);
      isFree.delete(partner);
    }
  };
  pairBy((strategy) => JSON.stringify(toDraft(strategy)));
  pairBy(({ title }) => title);
  pairBy(({ name }) => name);
  return [
    ...left.map((one): Pair => [one, partners.get(one)]),
    ...right.filter((other) => isFree.has(other)).map((other): Pair => [undefined, other]),
  ];
}
