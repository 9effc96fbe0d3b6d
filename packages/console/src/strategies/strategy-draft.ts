import type { Strategy, StrategyType } from "../api/types.ts";
import { ownValue } from "../ui/own-value.ts";
import { parametersOf, parseListParameter, ROLLOUT } from "./strategy-labels.ts";

/** What a form about a strategy edits. */
export type StrategyDraft = Pick<
  Strategy,
  "name" | "title" | "disabled" | "parameters" | "constraints" | "segments" | "variants"
>;

interface Defaults {
  readonly flag: string;
  readonly stickiness: string;
}

/** Returns a new strategy, a rollout to everyone. */
export function createDraft(defaults: Defaults): StrategyDraft {
  return {
    name: ROLLOUT,
    title: null,
    disabled: false,
    parameters: defaultParameters(ROLLOUT, defaults),
    constraints: [],
    segments: [],
    variants: [],
  };
}

/** Returns a new strategy of a flag that starts as a default strategy, whose rollout selects users by the name of the flag. */
export function fromDefaultStrategy(strategy: StrategyDraft, flag: string): StrategyDraft {
  if (strategy.name !== ROLLOUT) return strategy;
  return { ...strategy, parameters: { groupId: flag, ...strategy.parameters } };
}

/** Returns what a copy of a strategy contains. */
export function toDraft(strategy: StrategyDraft): StrategyDraft {
  const { name, title, disabled, parameters, constraints, segments, variants } = strategy;
  return { name, title, disabled, parameters, constraints, segments, variants };
}

/** Returns the strategy as one of another type. Parameters have no meaning for other types. */
export function withType(draft: StrategyDraft, name: string, defaults: Defaults): StrategyDraft {
  return { ...draft, name, parameters: defaultParameters(name, defaults) };
}

function defaultParameters(
  name: string,
  { flag, stickiness }: Defaults,
): StrategyDraft["parameters"] {
  return name === ROLLOUT ? { rollout: "100", stickiness, groupId: flag } : {};
}

/** Converts a strategy of a form to the body of a request. */
export function toBody(draft: StrategyDraft, types: readonly StrategyType[]): StrategyDraft {
  const title = draft.title?.trim() ?? "";
  const lists = parametersOf(draft.name, types).filter(({ kind }) => kind === "list");
  const listed = lists.flatMap(({ name }) => {
    const text = ownValue(draft.parameters, name);
    return text === undefined ? [] : [[name, parseListParameter(text).join(",")] as const];
  });
  return {
    ...draft,
    title: title === "" ? null : title,
    parameters: { ...draft.parameters, ...Object.fromEntries(listed) },
  };
}
