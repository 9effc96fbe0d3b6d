import { toPercentage } from "../../../engine/src/strategies/check-parameters.ts";
import { findStrategyType } from "../../../engine/src/strategies/strategy-table.ts";
import type { Constraint, Strategy } from "../api/types.ts";
import { findContradiction, type PlacedConstraint } from "../constraints/find-contradiction.ts";

type Rule = Pick<
  Strategy,
  "name" | "parameters" | "constraints" | "segments" | "variants" | "disabled"
>;

/** What a strategy refers to. */
interface KnownSegment {
  readonly id: number;
  readonly name: string;
  readonly constraints: readonly Constraint[];
}

/** Says why no context can match a strategy; undefined if some may. Also looks at the constraints of its segments. */
export function describeImpossible(
  { constraints, segments }: Pick<Rule, "constraints" | "segments">,
  known: readonly KnownSegment[],
  nowMs: number,
): string | undefined {
  const placed: readonly PlacedConstraint[] = [
    ...constraints.map((constraint) => ({ constraint })),
    ...segments.flatMap((id) => {
      const segment = known.find((entry) => entry.id === id);
      return (segment?.constraints ?? []).map((constraint) => ({
        constraint,
        segment: segment?.name ?? "",
      }));
    }),
  ];
  const reason = findContradiction(placed, nowMs);
  return reason === undefined ? undefined : `This can never match. ${reason}`;
}

/** Returns for each strategy of an environment why it changes nothing; undefined if it may change something. */
export function findIneffective(
  strategies: readonly Rule[],
  segments: readonly KnownSegment[],
  nowMs: number,
): readonly (string | undefined)[] {
  const everyone = strategies.findIndex(isForEveryone);
  return strategies.map((strategy, index) => {
    if (strategy.disabled) return undefined;
    const impossible = describeImpossible(strategy, segments, nowMs);
    if (impossible !== undefined) return impossible;
    if (everyone === -1 || index === everyone) return undefined;
    // The first strategy that matches decides the variant, so one before it can still change that.
    const isBefore = index < everyone;
    const hasVariants = [strategy, strategies[everyone]].some((one) => one?.variants.length !== 0);
    return isBefore && hasVariants
      ? undefined
      : "This has no effect, because another strategy is on for everyone.";
  });
}

/** Whether a strategy matches every context, even one without an id. */
function isForEveryone({ name, parameters, constraints, segments, disabled }: Rule): boolean {
  if (disabled || constraints.length > 0 || segments.length > 0) return false;
  const type = findStrategyType(name);
  if (type?.kind === "everyone") return true;
  if (type?.kind !== "rollout" || toPercentage(parameters[type.parameter]) !== 100) return false;
  const stickiness = type.stickiness ?? parameters["stickiness"] ?? "default";
  return stickiness === "default" || stickiness === "random";
}
