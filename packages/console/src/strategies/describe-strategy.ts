import { findStrategyType } from "../../../engine/src/strategies/strategy-table.ts";
import { describeConstraint } from "../constraints/describe-constraint.ts";
import { operatorOf } from "../constraints/operators.ts";
import type { Constraint, Strategy, StrategyType } from "../api/types.ts";
import { formatWeight } from "../variants/weights.ts";
import {
  describeEntries,
  describeStrategyType,
  type EntryWords,
  parseListParameter,
  wholePercentage,
} from "./strategy-labels.ts";
import { describeCount, formatCount, formatPercent } from "../ui/numbers.ts";
import { withFullStop } from "../ui/describe-error.ts";
import { ownValue } from "../ui/own-value.ts";
import { joinWithAnd } from "../ui/words.ts";

/** What the sentences about strategies refer to. */
export interface Names {
  readonly segments: readonly { readonly id: number; readonly name: string }[];
  readonly types: readonly StrategyType[];
}

type DescribedStrategy = Pick<
  Strategy,
  "name" | "parameters" | "constraints" | "segments" | "variants"
>;

/** Describes for whom a strategy is on, for example "25% of users whose country is DE". */
export function describeStrategy(strategy: DescribedStrategy, names: Names): string {
  return [
    describeAudience(strategy, names),
    ...describeSegments(strategy.segments, names),
    ...describeConstraints(strategy.constraints),
    ...describeVariants(strategy.variants),
  ].join("");
}

function describeAudience({ name, parameters }: DescribedStrategy, { types }: Names): string {
  const type = findStrategyType(name);
  switch (type?.kind) {
    case "everyone":
      return "everyone";
    case "rollout": {
      const stickiness = type.stickiness ?? parameters["stickiness"] ?? "default";
      return describeRollout(parameters[type.parameter] ?? "0", stickiness);
    }
    case "list":
      return describeList(describeEntries(name), parameters[type.parameter]);
    case undefined:
      return `everyone whom “${describeStrategyType(name, types).name}” selects`;
    default:
      return type satisfies never;
  }
}

const UNITS: Readonly<Record<string, string>> = {
  default: "users",
  userId: "users",
  sessionId: "sessions",
  random: "evaluations",
};

function describeRollout(text: string, stickiness: string): string {
  const percentage = wholePercentage(text);
  if (percentage === 0) return "nobody";
  const unit = ownValue(UNITS, stickiness);
  if (percentage >= 100) return unit === undefined ? `everyone with a ${stickiness}` : "everyone";
  return `${formatPercent(percentage)} of ${unit ?? `the values of ${stickiness}`}`;
}

const SHOWN_ENTRIES = 2;

function describeList({ one, many }: EntryWords, text = ""): string {
  const entries = parseListParameter(text);
  if (entries.length === 0) return "nobody";
  const shown = entries.slice(0, SHOWN_ENTRIES).join(", ");
  const further = entries.length - SHOWN_ENTRIES;
  return `${entries.length === 1 ? one : many} ${shown}${further > 0 ? ` (+${formatCount(further)})` : ""}`;
}

function describeSegments(ids: readonly number[], { segments }: Names): readonly string[] {
  if (ids.length === 0) return [];
  const named = shorten(
    ids.map((id) => segments.find((entry) => entry.id === id)?.name ?? `${id}`),
    "others",
  );
  return [` in the ${ids.length === 1 ? "segment" : "segments"} ${joinWithAnd(named)}`];
}

function isTime({ operator }: Constraint): boolean {
  return operatorOf(operator).kind === "date";
}

function describeConstraints(constraints: readonly Constraint[]): readonly string[] {
  const times = constraints.filter(isTime);
  const others = constraints.filter((constraint) => !isTime(constraint));
  return [
    ...(others.length === 0 ? [] : [` whose ${joinWithAnd(describeFirst(others))}`]),
    ...(times.length === 0 ? [] : [`, if ${joinWithAnd(describeFirst(times))}`]),
  ];
}

function describeFirst(constraints: readonly Constraint[]): readonly string[] {
  return shorten(
    constraints.map((entry) => describeConstraint(entry)),
    "other constraints apply",
  );
}

/** How many words a sentence lists. Next to the sentence, the page lists all of them. */
const SHOWN_WORDS = 4;

/** Replaces what a sentence would list beyond the first ones by their number. */
function shorten(words: readonly string[], others: string): readonly string[] {
  if (words.length <= SHOWN_WORDS) return words;
  const shown = words.slice(0, SHOWN_WORDS - 1);
  return [...shown, `${formatCount(words.length - shown.length)} ${others}`];
}

function describeVariants(variants: Strategy["variants"]): readonly string[] {
  if (variants.length === 0) return [];
  const parts = variants.map(
    ({ name, weight }) => `${name === "" ? "…" : name} (${formatWeight(weight)})`,
  );
  const shown = joinWithAnd(shorten(parts, "others"));
  return [`, with ${variants.length === 1 ? "the variant" : "the variants"} ${shown}`];
}

interface DescribedEnvironment {
  readonly enabled: boolean;
  readonly strategies: readonly (DescribedStrategy & Pick<Strategy, "disabled">)[];
}

/** How many strategies the sentence about an environment contains. The page lists all of them. */
const SHOWN_STRATEGIES = 2;

/** NOTE: in American English, a list has a comma before "and". An audience can contain "and" itself. */
const audienceList = new Intl.ListFormat("en-US", { type: "conjunction" });

/** Describes in a sentence what a flag does in an environment. */
export function describeEnvironment(
  { enabled, strategies }: DescribedEnvironment,
  names: Names,
): string {
  const active = strategies.filter(({ disabled }) => !disabled);
  if (!enabled) {
    return strategies.length > 0 && active.length === 0
      ? "Off for everyone. Turning it on adds a strategy for everyone, because all strategies are disabled."
      : "Off for everyone.";
  }
  return withFullStop(`On ${describeReached(active, names)}`);
}

/** Describes for whom strategies are on together, for example "for 25% of users". */
export function describeReached(active: readonly DescribedStrategy[], names: Names): string {
  const audiences = active.map((strategy) => describeStrategy(strategy, names));
  if (audiences.length === 0 || audiences.includes("everyone")) return "for everyone";
  const parts = audiences.slice(0, SHOWN_STRATEGIES).map((audience) => `for ${audience}`);
  const others = audiences.length - SHOWN_STRATEGIES;
  if (others > 0) {
    parts.push(`through ${describeCount(others, "more strategy", "more strategies")}`);
  }
  return audienceList.format(parts);
}

/**
 * Returns how the sentences about the strategies of an environment begin, which continue with `describeStrategy()`.
 * Together, they say what the flag does there.
 */
export function describeBeginnings({
  enabled,
  strategies,
}: {
  readonly enabled: boolean;
  readonly strategies: readonly Pick<Strategy, "disabled">[];
}): readonly string[] {
  const first = strategies.findIndex(({ disabled }) => !disabled);
  return strategies.map(({ disabled }, index) => {
    if (disabled) return "Disabled, for";
    if (index !== first) return "and for";
    return enabled ? "On for" : "When on, for";
  });
}
