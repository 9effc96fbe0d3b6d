import { fieldsOf, listAt, textAt } from "./recorded-state.ts";

/** The part of a recorded event that sentences are about. */
export interface DescribedEvent {
  readonly type: string;
  readonly createdBy: string;
  readonly createdByUserId: number;
  readonly project: string | null;
  readonly featureName: string | null;
  readonly environment: string | null;
  readonly preData: unknown;
  readonly data: unknown;
}

/** Describes a recorded strategy. The console knows more words for it than a notification needs. */
export interface StrategyWords {
  /** For whom the strategy is on, for example "25% of users"; undefined if the state does not say it. */
  readonly audience: (state: unknown) => string | undefined;
  /** The name of a type of strategies, for example "Gradual rollout". */
  readonly typeName: (name: string) => string;
}

const separated = new Intl.NumberFormat("en-GB");

export function countOf(state: unknown, field: string): string {
  return separated.format(listAt(state, field).length);
}

/** Names a notification by its description, or else by its provider. */
export function addonIn(state: unknown): string {
  return textAt(state, "description", "") || textAt(state, "provider");
}

/** Names an account. */
export function accountIn(state: unknown): string {
  return (
    textAt(state, "username", "") ||
    textAt(state, "name", "") ||
    textAt(state, "email", "of a user")
  );
}

/** Steps count from 0 in events, and from 1 for people. */
export function countAt(state: unknown, field: string): string {
  const { [field]: index } = fieldsOf(state);
  return typeof index === "number" ? String(index + 1) : "the next one";
}

/** Names a step of a rollout plan, for example "step 2 of 4 (25%)". Older events say neither its percentage nor how many there are. */
export function stepIn(state: unknown): string {
  const { stepCount } = fieldsOf(state);
  const total = typeof stepCount === "number" ? ` of ${stepCount}` : "";
  const percentage = percentageIn(state, " (");
  return `step ${countAt(state, "step")}${total}${percentage === "" ? "" : `${percentage})`}`;
}

/** Like `stepIn()`, for the end of a sentence; empty if the event names no step. */
export function atStep(state: unknown): string {
  return typeof fieldsOf(state)["step"] === "number" ? ` at ${stepIn(state)}` : "";
}

/** Returns a recorded percentage after some text; empty if there is none. */
export function percentageIn(state: unknown, before: string): string {
  const { rollout } = fieldsOf(state);
  return typeof rollout === "number" ? `${before}${rollout}%` : "";
}

/** Lists the percentages of a rollout plan, for example ": 5%, 25%, 100%"; empty if there are none. */
export function stepsIn(state: unknown): string {
  const steps = listAt(state, "steps").map((step) => percentageIn(step, ""));
  return steps.length === 0 ? "" : `: ${steps.join(", ")}`;
}

export function reasonOf({ data }: DescribedEvent): string {
  const { reason } = fieldsOf(data);
  return typeof reason === "string" ? `: ${reason}` : "";
}

export function requestOf({ data, preData }: DescribedEvent): string {
  const { changeRequestId, title } = fieldsOf(data ?? preData);
  if (typeof changeRequestId !== "number") return "a change request";
  const id = `the change request #${changeRequestId}`;
  const isNamed = typeof title === "string" && !title.endsWith(`#${changeRequestId}`);
  return isNamed ? `${id} “${title}”` : id;
}

export function flagOf({ featureName }: DescribedEvent): string {
  return featureName ?? "a flag";
}

export function tagIn(state: unknown): string {
  return `${textAt(state, "type")}:${textAt(state, "value")}`;
}

/** Names a strategy by its title, if it has one, and says for whom it is on. */
export function strategyIn(
  state: unknown,
  { audience: audienceOf, typeName }: StrategyWords,
): string {
  const title = textAt(state, "title", "");
  const audience = audienceOf(state);
  if (title !== "")
    return `the strategy “${title}”${audience === undefined ? "" : ` (for ${audience})`}`;
  return audience === undefined
    ? `a strategy (${typeName(textAt(state, "name"))})`
    : `a strategy for ${audience}`;
}
