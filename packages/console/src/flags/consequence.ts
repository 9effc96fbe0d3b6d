import type { FlagSummary } from "../api/types.ts";
import { describeReached, type Names } from "../strategies/describe-strategy.ts";
import type { StrategyDraft } from "../strategies/strategy-draft.ts";
import { describeCount, formatCount, formatPercent } from "../ui/numbers.ts";
import { joinWithAnd, sortDistinct } from "../ui/words.ts";

type ListedStrategy = StrategyDraft & { readonly id: string };

/** What a flag does in an environment before a change. */
export interface FlagState {
  /** The name of the environment. */
  readonly name: string;
  readonly enabled: boolean;
  readonly strategies: readonly ListedStrategy[];
}

/** A change of a flag in an environment. */
export type FlagChange =
  | { readonly kind: "add"; readonly strategy: StrategyDraft }
  | { readonly kind: "delete"; readonly id: string }
  | { readonly kind: "order" }
  | { readonly kind: "replace"; readonly id: string; readonly strategy: StrategyDraft }
  | { readonly kind: "variants" };

/** Says in a sentence what a change does to whom. */
export function describeConsequence(change: FlagChange, before: FlagState, names: Names): string {
  const { name } = before;
  const reached = reachedBy(before, names);
  if (reached === undefined) {
    return `The flag is off in ${name}: this takes effect when somebody turns it on.`;
  }
  if (change.kind === "order") {
    return `The flag stays on ${reached} in ${name}, but people whom several strategies select can get other variants.`;
  }
  if (change.kind === "variants") {
    return `This changes which variants people get in ${name}, where the flag is on ${reached}.`;
  }
  const strategies = changedStrategies(change, before);
  if (!strategies.some(isActive)) {
    return `The last active strategy: this turns the flag off for everyone in ${name}.`;
  }
  const after = describeReached(strategies.filter(isActive), names);
  return after === reached
    ? `This changes the flag in ${name}, where it is on ${reached}.`
    : `In ${name}, this turns the flag on ${after}, instead of ${reached}.`;
}

/**
 * Says in a sentence what replacing all that a flag does in an environment does to whom.
 *
 * @param copied the strategies that it gets, and whether it is on afterwards
 */
export function describeCopy(
  copied: Pick<FlagState, "enabled" | "strategies">,
  before: FlagState,
  names: Names,
): string {
  const { name } = before;
  const reached = reachedBy(before, names);
  const after = reachedBy({ ...copied, name }, names);
  // The service turns a flag without an active strategy off.
  const isOn = after !== undefined && (copied.strategies.some(isActive) || !before.enabled);
  if (!isOn) {
    return reached === undefined
      ? `The flag stays off in ${name}: this takes effect when somebody turns it on.`
      : `This turns the flag off for everyone in ${name}.`;
  }
  if (reached === undefined) return `This turns the flag on ${after} in ${name}.`;
  return after === reached
    ? `This changes the flag in ${name}, where it is on ${reached}.`
    : `In ${name}, this turns the flag on ${after}, instead of ${reached}.`;
}

function isActive({ disabled }: StrategyDraft): boolean {
  return !disabled;
}

/** For whom a flag is on, for example "for everyone"; undefined if it is off. */
function reachedBy({ enabled, strategies }: FlagState, names: Names): string | undefined {
  const active = strategies.filter(isActive);
  // A flag whose strategies are all disabled is sent to applications as off, one without strategies as on.
  if (!enabled || (active.length === 0 && strategies.length > 0)) return undefined;
  return describeReached(active, names);
}

function changedStrategies(
  change: Extract<FlagChange, { readonly kind: "add" | "delete" | "replace" }>,
  { strategies }: FlagState,
): readonly ListedStrategy[] {
  switch (change.kind) {
    case "add":
      return [...strategies, { ...change.strategy, id: "" }];
    case "delete":
      return strategies.filter(({ id }) => id !== change.id);
    case "replace":
      return strategies.map((one) =>
        one.id === change.id ? { ...change.strategy, id: one.id } : one,
      );
    default:
      return change satisfies never;
  }
}

interface Switched {
  /** The name of the environment. */
  readonly environment: string;
  readonly enabled: boolean;
  /** For whom each of the flags is on when it is on, see `describeTurnedOn()`. */
  readonly reached: readonly string[];
}

/** Says in a sentence what turning flags on or off does to whom. */
export function describeSwitch({ environment, enabled, reached }: Switched): string {
  const subject = reached.length === 1 ? "the flag" : describeCount(reached.length, "flag");
  if (!enabled) return `This turns ${subject} off for everyone in ${environment}.`;
  const counts = new Map<string, number>();
  for (const audience of reached) counts.set(audience, (counts.get(audience) ?? 0) + 1);
  if (counts.size === 1) return `This turns ${subject} on ${reached[0] ?? ""} in ${environment}.`;
  const parts = [...counts].map(([audience, count]) => `${formatCount(count)} ${audience}`);
  return `This turns ${subject} on in ${environment}: ${joinWithAnd(parts)}.`;
}

/**
 * Says for whom a flag is on when it is turned on, for example "for 25% of users".
 *
 * @param whenNone for whom it is without an active strategy, see `useDefaultReach()`
 */
export function describeTurnedOn(
  strategies: readonly StrategyDraft[],
  names: Names,
  whenNone: string,
): string {
  const active = strategies.filter(isActive);
  return active.length === 0 ? whenNone : describeReached(active, names);
}

type Reach = Pick<FlagSummary["environments"][number], "reach">;

/** Like `describeTurnedOn()`, for a flag in a list, which does not contain the strategies. */
export function describeTurnedOnReach({ reach }: Reach, whenNone: string): string {
  const { percentage, conditionalCount, segmentCount, strategyCount } = reach;
  if (strategyCount === 0) return whenNone;
  if (percentage !== null && percentage >= 100) return "for everyone";
  const parts = [
    ...(percentage === null || percentage === 0 ? [] : [`${formatPercent(percentage)} of users`]),
    ...(conditionalCount === 0
      ? []
      : [
          segmentCount === 0
            ? `those whom ${describeCount(conditionalCount, "rule selects", "rules select")}`
            : describeCount(segmentCount, "segment"),
        ]),
  ];
  return parts.length === 0 ? "for nobody" : `for ${joinWithAnd(parts)}`;
}

interface ArchivedFlag {
  readonly environments: readonly { readonly name: string; readonly enabled: boolean }[];
}

/** Says in a sentence what archiving flags does to whom; undefined if they are off everywhere. */
export function describeArchiving(flags: readonly ArchivedFlag[]): string | undefined {
  const states = flags.flatMap(({ environments }) => environments);
  const counts = [...new Set(states.map(({ name }) => name))]
    .map((name) => ({
      name,
      count: states.filter((state) => state.enabled && state.name === name).length,
    }))
    .filter(({ count }) => count > 0);
  if (counts.length === 0) return undefined;
  if (flags.length === 1) {
    return `This turns the flag off for everyone in ${joinWithAnd(counts.map(({ name }) => name))}.`;
  }
  const parts = counts.map(({ name, count }, index) => {
    const number = describeCount(count, "flag");
    return index === 0 ? `${number} off for everyone in ${name}` : `${number} in ${name}`;
  });
  return `This turns ${joinWithAnd(parts)}.`;
}

/** Where a flag is on and people have to know it, and what it will do there if its parent has not the right state. */
interface DependencyChange {
  /** The names of environments where the flag is on. */
  readonly environments: readonly string[];
  /** What has to be true for the flag to be on, for example "search is on"; undefined for nothing. */
  readonly condition: string | undefined;
}

/** Says in a sentence what a change of what a flag depends on does to whom. */
export function describeDependencyChange({ environments, condition }: DependencyChange): string {
  const places = joinWithAnd(environments);
  return condition === undefined
    ? `In ${places}, only the strategies of the flag then decide for whom it is on.`
    : `In ${places}, this turns the flag off for everyone, unless ${condition}.`;
}

interface SegmentUse {
  readonly flag: string;
  /** The name of the environment. */
  readonly environment: string;
}

/** How many flags a sentence lists. */
const SHOWN_FLAGS = 3;

/** Says in a sentence what a change of a segment does to whom, where people have to know it; undefined for nobody. */
export function describeSegmentChange(uses: readonly SegmentUse[]): string | undefined {
  if (uses.length === 0) return undefined;
  const flags = sortDistinct(uses.map(({ flag }) => flag));
  const environments = sortDistinct(uses.map(({ environment }) => environment));
  const others = flags.length - SHOWN_FLAGS;
  const shown = flags.slice(0, SHOWN_FLAGS);
  const listed = others > 0 ? [...shown, describeCount(others, "other flag")] : shown;
  return `This changes at once who gets ${joinWithAnd(listed)} in ${joinWithAnd(environments)}.`;
}

/** Says in a sentence what an import does to whom, where people have to know it; undefined for nobody. */
export function describeImport(
  changedFlags: number,
  environments: readonly string[],
): string | undefined {
  if (changedFlags === 0 || environments.length === 0) return undefined;
  return `This changes at once who gets ${describeCount(changedFlags, "flag")} in ${joinWithAnd(environments)}.`;
}
