import type { RolloutPlan, RolloutStep } from "../api/types.ts";
import { describeCount, formatPercent } from "../ui/numbers.ts";

/** How long a step lasts: some time, or until somebody goes on. */
export type HoldUnit = "days" | "hours" | "minutes" | "person";

/** A step as a form edits it. */
export interface StepDraft {
  /** Percentage of the users. */
  readonly rollout: number;
  readonly unit: HoldUnit;
  /** How many units it lasts. It has no meaning if it waits for somebody. */
  readonly count: number;
}

/** The limits of the service. */
export const MAX_STEPS = 20;
const MAX_HOLD_MINUTES = 60 * 24 * 90;

const UNIT_MINUTES = { days: 60 * 24, hours: 60, minutes: 1 } as const;
const UNITS = ["days", "hours", "minutes"] as const;

/** Returns the largest number of units that a step may last. */
export function maxCount(unit: HoldUnit): number {
  return unit === "person" ? 1 : MAX_HOLD_MINUTES / UNIT_MINUTES[unit];
}

export function toStepDraft({ rollout, holdMinutes }: RolloutStep): StepDraft {
  if (holdMinutes === null) return { rollout, unit: "person", count: 1 };
  const unit = UNITS.find((one) => holdMinutes % UNIT_MINUTES[one] === 0) ?? "minutes";
  return { rollout, unit, count: holdMinutes / UNIT_MINUTES[unit] };
}

/** Converts the steps of a form to those of a plan. How long the last one lasts means nothing. */
export function toSteps(drafts: readonly StepDraft[]): readonly RolloutStep[] {
  return drafts.map(({ rollout, unit, count }, index) => ({
    rollout,
    holdMinutes:
      unit === "person" || index === drafts.length - 1 ? null : count * UNIT_MINUTES[unit],
  }));
}

const USUAL_STEPS: readonly number[] = [10, 25, 50, 100];

/** Returns the steps that a new plan starts with: from the percentage that a strategy has now to everyone, in days. */
export function suggestSteps(rollout: number): readonly StepDraft[] {
  const isPartial = rollout > 0 && rollout < 100;
  const percentages = isPartial
    ? [Math.ceil(rollout), ...USUAL_STEPS.filter((one) => one > Math.ceil(rollout))]
    : USUAL_STEPS;
  return percentages.map((one) => ({ rollout: one, unit: "days", count: 1 }));
}

interface AddedStep {
  /** The index at which it is inserted. */
  readonly index: number;
  readonly step: StepDraft;
}

/** Returns the step to add in a form: after the others, or if they end with everyone, between the last two that have room. */
export function suggestStep(drafts: readonly StepDraft[]): AddedStep {
  const rolloutBefore = (index: number) => drafts[index - 1]?.rollout ?? 0;
  const last = rolloutBefore(drafts.length);
  const end =
    last < 100
      ? -1
      : drafts.findLastIndex(({ rollout }, index) => rollout - rolloutBefore(index) >= 2);
  const index = end === -1 ? drafts.length : end;
  const rollout =
    end === -1
      ? Math.min(100, last * 2 || 10)
      : Math.round((rolloutBefore(end) + (drafts[end]?.rollout ?? 100)) / 2);
  const { unit, count } = drafts[index - 1] ?? { unit: "days", count: 1 };
  return { index, step: { rollout, unit, count } };
}

/** Returns what is wrong with the percentage of a step. */
export function describeStepProblem(
  rollout: number,
  previous: StepDraft | undefined,
): string | undefined {
  if (!Number.isInteger(rollout) || rollout < 0 || rollout > 100) {
    return "Enter a whole number from 0 to 100.";
  }
  if (previous === undefined || rollout > previous.rollout) return undefined;
  return `It must be larger than ${formatPercent(previous.rollout)}, the step before.`;
}

/** Writes how long a step lasts, for example "1 day". */
export function describeHold(holdMinutes: number | null): string {
  if (holdMinutes === null) return "until somebody goes on";
  const { unit, count } = toStepDraft({ rollout: 0, holdMinutes });
  return describeCount(count, unit.slice(0, -1));
}

/** Writes what a plan does, for example "10% for 1 day, then 50% until somebody goes on, then 100%". */
export function describeSteps(steps: readonly RolloutStep[]): string {
  return steps
    .map(({ rollout, holdMinutes }, index) => {
      const percent = formatPercent(rollout);
      if (index === steps.length - 1) return percent;
      return holdMinutes === null
        ? `${percent} until somebody goes on`
        : `${percent} for ${describeHold(holdMinutes)}`;
    })
    .join(", then ");
}

/** What people can do with a plan, besides editing and removing it. */
export type PlanAction = "back" | "pause" | "resume" | "skip";

type Position = Pick<RolloutPlan, "state" | "step" | "steps">;

/** Returns the index of the step that an action leads to; undefined if the percentage stays. */
export function targetOf({ steps, step, state }: Position, action: PlanAction): number | undefined {
  switch (action) {
    case "pause":
      return undefined;
    case "skip":
      return step + 1;
    case "back":
      return step - 1;
    case "resume":
      // A step that does not end by itself has ended when somebody continues.
      return state === "waiting" || steps[step]?.holdMinutes === null ? step + 1 : undefined;
    default:
      return action satisfies never;
  }
}

/** Returns what can be done with a plan, the usual action first. */
export function actionsOf(plan: Position): readonly PlanAction[] {
  const back = plan.step > 0 ? (["back"] as const) : [];
  switch (plan.state) {
    case "running":
      return ["pause", "skip", ...back];
    case "waiting":
      return ["resume", ...back];
    case "paused":
      return targetOf(plan, "resume") === undefined
        ? ["resume", "skip", ...back]
        : ["resume", ...back];
    case "completed":
      return back;
    case "stopped":
      return [];
    default:
      return plan.state satisfies never;
  }
}
