import type { Flag, FlagEnvironment, RolloutPlan, Strategy } from "../api/types.ts";
import { request } from "../api/request.ts";
import { useAsksBeforeChange } from "../changes/asks-before-change.ts";
import { placesIn } from "../changes/proposal.ts";
import { useChange } from "../changes/use-change.ts";
import { describeConsequence } from "../flags/consequence.ts";
import { useNames } from "../strategies/use-names.ts";
import { type StrategyAddress, strategyPath } from "../strategies/use-save-strategy.ts";
import { formatPercent } from "../ui/numbers.ts";
import { type PlanAction, targetOf } from "./plan-steps.ts";

export function planPath(address: StrategyAddress, strategyId: string): string {
  return `${strategyPath(address, strategyId)}/rollout-plan`;
}

/** What a step does to the parameters of a strategy. */
export function withRollout<Item extends Pick<Strategy, "parameters">>(
  strategy: Item,
  rollout: number,
): Item {
  return { ...strategy, parameters: { ...strategy.parameters, rollout: String(rollout) } };
}

interface PlannedStrategy {
  readonly flag: Flag;
  readonly environment: FlagEnvironment;
  readonly strategy: Strategy;
  readonly plan: RolloutPlan;
}

const DONE: Readonly<Record<PlanAction, string>> = {
  back: "Moved the rollout plan one step back",
  pause: "Paused the rollout plan",
  resume: "Continued the rollout plan",
  skip: "Moved the rollout plan on",
};

/**
 * Changes of a rollout plan. A step that is earlier than the plan says requires the approvals of a direct change, and is
 * requested as a plan of the steps that remain.
 */
export function usePlanChanges({ flag, environment, strategy, plan }: PlannedStrategy) {
  const names = useNames();
  const asksBeforeChange = useAsksBeforeChange();
  const { project, name } = flag;
  const path = planPath({ project, flag: name, environment: environment.name }, strategy.id);
  const invalidates = [
    ["flag", project, name],
    ["flags", project],
  ];
  const acting = useChange<PlanAction>({
    run: (action) => request(`${path}/${action}`, { method: "POST" }),
    proposes: (action) =>
      action === "skip"
        ? {
            places: placesIn(project, [environment.name]),
            changes: [
              {
                feature: name,
                action: "setRolloutPlan",
                payload: { id: strategy.id, steps: plan.steps.slice(plan.step + 1) },
              },
            ],
          }
        : undefined,
    asks: (action) => {
      const step = plan.steps[targetOf(plan, action) ?? -1];
      if (step === undefined || !asksBeforeChange(environment)) return undefined;
      const percent = formatPercent(step.rollout);
      const verb = action === "back" ? "Go back" : "Go on";
      return {
        title: `${verb} to ${percent} in ${environment.name}?`,
        consequence: describeConsequence(
          { kind: "replace", id: strategy.id, strategy: withRollout(strategy, step.rollout) },
          environment,
          names,
        ),
        submit: verb,
        isDangerous: false,
      };
    },
    invalidates,
    success: (action) => DONE[action],
  });
  const removal = useChange({
    run: () => request(path, { method: "DELETE" }),
    asks: () => ({
      title: "Remove the rollout plan?",
      consequence: `The strategy stays at ${formatPercent(Number(strategy.parameters["rollout"]))} in ${environment.name}.`,
      submit: "Remove",
    }),
    invalidates,
    success: () => "Removed the rollout plan",
  });
  return { acting, removal };
}
