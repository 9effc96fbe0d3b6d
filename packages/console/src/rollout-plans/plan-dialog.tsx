import { useQuery } from "@tanstack/react-query";
import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import type { RolloutPlan, RolloutStep, Strategy } from "../api/types.ts";
import { SaveDialog } from "../changes/edit-dialog.tsx";
import { placesIn } from "../changes/proposal.ts";
import { type EditedChange, useSave } from "../changes/use-save.ts";
import { useConsequence } from "../flags/use-consequence.ts";
import { RuleNote } from "../strategies/rule-note.tsx";
import type { StrategyAddress } from "../strategies/use-save-strategy.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { withFullStop } from "../ui/describe-error.ts";
import { useListEditing, useUpdates } from "../ui/list-editing.ts";
import { NumberField } from "../ui/number-field.tsx";
import { Select } from "../ui/select.tsx";
import {
  describeStepProblem,
  describeSteps,
  MAX_STEPS,
  maxCount,
  type StepDraft,
  suggestStep,
  suggestSteps,
  toStepDraft,
  toSteps,
} from "./plan-steps.ts";
import { planPath, withRollout } from "./use-plan-changes.ts";
import "./rollout-plans.css";

interface PlanDialogProps {
  readonly address: StrategyAddress;
  readonly strategy: Strategy;
  /** The plan that is edited; undefined for a new one. */
  readonly plan: Pick<RolloutPlan, "steps"> | undefined;
  /** The requested change whose plan is edited. @default the plan of the strategy is edited */
  readonly edited?: EditedChange | undefined;
  readonly onClose: () => void;
}

/** Sets the rollout plan of a strategy, which starts again with its first step. */
export function PlanDialog({ address, strategy, plan, edited, onClose }: PlanDialogProps) {
  const { project, flag, environment } = address;
  const [drafts, setDrafts] = useState(() =>
    plan === undefined
      ? suggestSteps(Number(strategy.parameters["rollout"]))
      : plan.steps.map(toStepDraft),
  );
  const { data: shown } = useQuery(queries.flag(project, flag));
  const isOff = shown?.environments.some(({ name, enabled }) => name === environment && !enabled);
  const steps = toSteps(drafts);
  const saving = useSave<Pick<RolloutPlan, "steps"> | undefined>({
    path: planPath(address, strategy.id),
    version: { value: plan, etag: undefined },
    body: { steps },
    proposal: {
      places: placesIn(project, [environment]),
      changes: [{ feature: flag, action: "setRolloutPlan", payload: { id: strategy.id, steps } }],
    },
    edited,
    invalidates: [
      ["flag", project, flag],
      ["flags", project],
    ],
    success: `Set the rollout plan in ${environment}`,
  });
  const consequence = useConsequence(address, {
    kind: "replace",
    id: strategy.id,
    strategy: withRollout(strategy, steps[0]?.rollout ?? 0),
  });
  return (
    <SaveDialog
      title={`Roll out in steps in ${environment}`}
      submit={plan === undefined ? "Start the plan" : "Start again"}
      version={undefined}
      draft={drafts}
      saving={saving}
      consequence={consequence}
      onClose={onClose}
    >
      <PlanPreview steps={steps} />
      {isOff === true ? (
        <RuleNote>
          The flag is off in {environment}. Turn it on: a plan pauses before its next step while the
          flag is off.
        </RuleNote>
      ) : null}
      <StepEditor value={drafts} onChange={setDrafts} />
      <p className="muted">
        The plan starts with its first step. Somebody who edits the strategy by hand stops it.
      </p>
    </SaveDialog>
  );
}

function PlanPreview({ steps }: { readonly steps: readonly RolloutStep[] }) {
  return (
    <p className="strategy-preview" role="status">
      {withFullStop(describeSteps(steps))}
    </p>
  );
}

interface StepEditorProps {
  readonly value: readonly StepDraft[];
  readonly onChange: (steps: readonly StepDraft[]) => void;
}

function StepEditor({ value, onChange }: StepEditorProps) {
  const list = useListEditing(value, useUpdates(value, onChange));
  const add = () => {
    const { index, step } = suggestStep(value);
    list.insert(index, step);
  };
  return (
    <div className="plan-editor">
      {value.map((step, index) => (
        <StepFields
          key={list.keys[index]}
          step={step}
          number={index + 1}
          previous={value[index - 1]}
          isLast={index === value.length - 1}
          canRemove={value.length > 1}
          onChange={(change) => list.change(index, (latest) => ({ ...latest, ...change }))}
          onRemove={() => list.remove(index)}
        />
      ))}
      <div>
        <Button
          ref={list.addButton}
          size="small"
          isDisabled={value.length >= MAX_STEPS}
          onPress={add}
        >
          <Plus aria-hidden /> Add step
        </Button>
      </div>
    </div>
  );
}

interface StepFieldsProps {
  readonly step: StepDraft;
  /** From 1. */
  readonly number: number;
  readonly previous: StepDraft | undefined;
  readonly isLast: boolean;
  readonly canRemove: boolean;
  readonly onChange: (change: Partial<StepDraft>) => void;
  readonly onRemove: () => void;
}

function StepFields({
  step: { rollout, unit, count },
  number,
  previous,
  isLast,
  canRemove,
  onChange,
  onRemove,
}: StepFieldsProps) {
  return (
    <div className="plan-fields" role="group" aria-label={`Step ${number}`}>
      <NumberField
        label="Percentage"
        value={rollout}
        minValue={0}
        maxValue={100}
        step={1}
        onChange={(changed) => onChange({ rollout: changed })}
        validate={(typed) => describeStepProblem(typed, previous)}
      />
      {isLast ? (
        <p className="muted plan-end">Then the plan is completed.</p>
      ) : (
        <div className={unit === "person" ? "plan-hold plan-hold-person" : "plan-hold"}>
          {unit === "person" ? null : (
            <NumberField
              label="For"
              value={count}
              minValue={1}
              maxValue={maxCount(unit)}
              step={1}
              onChange={(changed) => onChange({ count: changed })}
              isRequired
            />
          )}
          <Select
            label={unit === "person" ? "Until" : "Unit"}
            choices={[
              { id: "minutes", label: "minutes" },
              { id: "hours", label: "hours" },
              { id: "days", label: "days" },
              { id: "person", label: "somebody goes on" },
            ]}
            value={unit}
            onChange={(changed) =>
              onChange({ unit: changed, count: Math.min(count, maxCount(changed)) })
            }
          />
        </div>
      )}
      {canRemove ? (
        <IconButton label={`Remove step ${number}`} onPress={onRemove}>
          <Trash2 aria-hidden />
        </IconButton>
      ) : null}
    </div>
  );
}
