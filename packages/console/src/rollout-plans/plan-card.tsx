import { EllipsisVertical } from "lucide-react";
import { useState } from "react";
import type { Flag, FlagEnvironment, RolloutPlan, Strategy } from "../api/types.ts";
import { Badge } from "../ui/badge.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { withFullStop } from "../ui/describe-error.ts";
import { lazyPart } from "../ui/lazy-part.tsx";
import { Menu } from "../ui/menu.tsx";
import { formatPercent } from "../ui/numbers.ts";
import { describeDistance, formatTime, formatTimeWithUtc } from "../ui/times.ts";
import { actionsOf, describeHold, type PlanAction, targetOf } from "./plan-steps.ts";
import { usePlanChanges } from "./use-plan-changes.ts";
import "./rollout-plans.css";

export const PlanDialog = lazyPart(async () => (await import("./plan-dialog.tsx")).PlanDialog);

interface PlanCardProps {
  readonly flag: Flag;
  readonly environment: FlagEnvironment;
  readonly strategy: Strategy;
  readonly plan: RolloutPlan;
  readonly canEdit: boolean;
}

/** The rollout plan of a strategy: its steps, where it stands, when it goes on, and what can be done with it. */
export function PlanCard({ canEdit, ...props }: PlanCardProps) {
  const { plan } = props;
  return (
    <section className="plan" aria-label="Rollout plan">
      <PlanSteps plan={plan} />
      <div className="plan-state">
        <p>
          <StateWords plan={plan} />
        </p>
        {canEdit ? <PlanActions {...props} /> : null}
      </div>
    </section>
  );
}

function PlanSteps({ plan: { steps, step, state } }: Pick<PlanCardProps, "plan">) {
  return (
    <ol className="plan-steps" aria-label="Steps">
      {steps.map(({ rollout, holdMinutes }, index) => (
        <li
          // oxlint-disable-next-line react/no-array-index-key -- steps have no other identity
          key={index}
          className={`plan-step plan-step-${index < step || state === "completed" ? "done" : index === step ? "current" : "next"}`}
          {...(index === step && { "aria-current": "step" })}
        >
          <strong>{formatPercent(rollout)}</strong>
          {index === steps.length - 1 ? null : <span>{describeHold(holdMinutes)}</span>}
        </li>
      ))}
    </ol>
  );
}

/** Where a plan stands, and when it goes on. */
function StateWords({ plan }: Pick<PlanCardProps, "plan">) {
  const { steps, step, state, nextAt, reason } = plan;
  const position = `Step ${step + 1} of ${steps.length}`;
  const next = formatPercent(steps[step + 1]?.rollout ?? 100);
  const because = reason === null ? "" : ` ${withFullStop(reason)}`;
  switch (state) {
    case "completed":
      return (
        <>
          <Badge kind="good">Completed</Badge> All steps are done.
        </>
      );
    case "running":
      return (
        <>
          <Badge kind="accent">Running</Badge> {position}.{" "}
          {nextAt === null ? null : (
            <>
              Goes on to {next} on{" "}
              <time dateTime={nextAt} title={formatTimeWithUtc(nextAt)}>
                {formatTime(nextAt)}, {describeDistance(new Date(nextAt).getTime() - Date.now())}
              </time>
              .
            </>
          )}
        </>
      );
    case "waiting":
      return (
        <>
          <Badge kind="warning">Waiting</Badge> {position}. Goes on to {next} when somebody says so.
        </>
      );
    case "paused":
      return (
        <>
          <Badge kind="warning">Paused</Badge> {position}.{because}
        </>
      );
    case "stopped":
      return (
        <>
          <Badge kind="bad">Stopped</Badge> {position}.{because} Set a new plan to go on.
        </>
      );
    default:
      return state satisfies never;
  }
}

function PlanActions({ flag, environment, strategy, plan }: Omit<PlanCardProps, "canEdit">) {
  const { acting, removal } = usePlanChanges({ flag, environment, strategy, plan });
  const [isEditing, setEditing] = useState(false);
  const actions = actionsOf(plan);
  const isOver = plan.state === "stopped" || plan.state === "completed";
  return (
    <div className="plan-actions">
      {actions
        .filter((action) => action !== "back")
        .map((action) => (
          <Button
            key={action}
            size="small"
            isPending={acting.isPending && acting.variables === action}
            onPress={() => acting.mutate(action)}
          >
            {labelOf(action, plan)}
          </Button>
        ))}
      {plan.state === "stopped" ? (
        <Button size="small" onPress={() => setEditing(true)}>
          New plan
        </Button>
      ) : null}
      <Menu
        entries={[
          ...(actions.includes("back")
            ? [{ label: labelOf("back", plan), run: () => acting.mutate("back") }]
            : []),
          { label: isOver ? "New plan…" : "Edit the plan…", run: () => setEditing(true) },
          { label: "Remove the plan…", run: () => removal.mutate(), isDangerous: true },
        ]}
      >
        <IconButton label="More actions for the rollout plan">
          <EllipsisVertical aria-hidden />
        </IconButton>
      </Menu>
      {isEditing ? (
        <PlanDialog
          address={{ project: flag.project, flag: flag.name, environment: environment.name }}
          strategy={strategy}
          plan={isOver ? undefined : plan}
          onClose={() => setEditing(false)}
        />
      ) : null}
    </div>
  );
}

function labelOf(action: PlanAction, plan: RolloutPlan): string {
  const target = plan.steps[targetOf(plan, action) ?? -1];
  const percent = formatPercent(target?.rollout ?? 100);
  switch (action) {
    case "pause":
      return "Pause";
    case "skip":
      return `Go on to ${percent} now`;
    case "resume":
      return target === undefined ? "Resume" : `Go on to ${percent}`;
    case "back":
      return `Go back to ${percent}`;
    default:
      return action satisfies never;
  }
}
