import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { queries } from "../api/queries.ts";
import type { ChangeRequest, FlagVariant, RequestedChange, RolloutStep } from "../api/types.ts";
import { SaveDialog } from "../changes/edit-dialog.tsx";
import { placesIn } from "../changes/proposal.ts";
import { type EditedChange, useSave } from "../changes/use-save.ts";
import { fieldsOf, listAt, textAt } from "../../../admin/src/event-words/recorded-state.ts";
import { VariantsDialog } from "../flag/environment-variants.tsx";
import { PlanDialog } from "../rollout-plans/plan-dialog.tsx";
import { createDraft, type StrategyDraft, toDraft } from "../strategies/strategy-draft.ts";
import { StrategyForm } from "../strategies/strategy-dialogs.tsx";
import { Switch } from "../ui/switch.tsx";

interface EditChangeDialogProps {
  readonly request: ChangeRequest;
  /** See `isEditable()`. */
  readonly change: RequestedChange;
  readonly flag: string;
  /** The path of the change. */
  readonly path: string;
  readonly onClose: () => void;
}

/** Edits a requested change in the form with which it was requested. */
export function EditChangeDialog({ request, change, flag, path, onClose }: EditChangeDialogProps) {
  const { project, environment } = request;
  const { action, payload } = change;
  const address = { project, flag, environment };
  const form = { edited: { path, consequence: describeEffect(request) }, onClose };
  switch (action) {
    case "addStrategy":
    case "updateStrategy":
      return (
        <StrategyForm
          address={address}
          initial={toStrategyDraft(change, flag)}
          id={action === "updateStrategy" ? textAt(payload, "id") : undefined}
          {...form}
        />
      );
    case "patchVariant":
      return (
        <VariantsDialog
          flag={{ project, name: flag }}
          environment={environment}
          // The service has checked it.
          initial={listAt(payload, "variants") as readonly FlagVariant[]}
          {...form}
        />
      );
    case "setRolloutPlan":
      return <EditPlan address={address} payload={payload} {...form} />;
    case "updateEnabled":
      return <EditSwitch address={address} payload={payload} {...form} />;
    default:
      return null;
  }
}

/** Says what an edit does to the request. */
function describeEffect({ state, approvals }: ChangeRequest): string | undefined {
  if (state === "Scheduled")
    return "This ends the schedule of the request, and voids its approvals.";
  return approvals.length === 0 ? undefined : "This voids the approvals of the request.";
}

/** What a payload omits is as in the state after the change. */
function toStrategyDraft({ payload, events }: RequestedChange, flag: string): StrategyDraft {
  const after = events.find(({ data }) => data !== null)?.data;
  return toDraft({
    ...createDraft({ flag, stickiness: "default" }),
    ...fieldsOf(after),
    ...fieldsOf(payload),
  });
}

interface EditFormProps {
  readonly address: {
    readonly project: string;
    readonly flag: string;
    readonly environment: string;
  };
  readonly payload: unknown;
  readonly edited: EditedChange;
  readonly onClose: () => void;
}

function EditPlan({ address, payload, ...form }: EditFormProps) {
  const { data: flag } = useQuery(queries.flag(address.project, address.flag));
  const strategy = flag?.environments
    .find(({ name }) => name === address.environment)
    ?.strategies.find(({ id }) => id === textAt(payload, "id"));
  if (strategy === undefined) return null;
  return (
    <PlanDialog
      address={address}
      strategy={strategy}
      // The service has checked it.
      plan={{ steps: listAt(payload, "steps") as readonly RolloutStep[] }}
      {...form}
    />
  );
}

function EditSwitch({ address, payload, edited, onClose }: EditFormProps) {
  const { project, flag, environment } = address;
  const [enabled, setEnabled] = useState(fieldsOf(payload)["enabled"] === true);
  const saving = useSave<unknown>({
    path: edited.path,
    version: undefined,
    body: undefined,
    proposal: {
      places: placesIn(project, [environment]),
      changes: [
        { feature: flag, action: "updateEnabled", payload: { ...fieldsOf(payload), enabled } },
      ],
    },
    edited,
    invalidates: [],
    success: "",
  });
  return (
    <SaveDialog
      title={`${flag} in ${environment}`}
      submit="Save"
      version={undefined}
      draft={enabled}
      saving={saving}
      onClose={onClose}
    >
      <p>What the request does with the flag:</p>
      <Switch label={enabled ? "Turn on" : "Turn off"} isSelected={enabled} onChange={setEnabled} />
    </SaveDialog>
  );
}
