import { useState } from "react";
import { adminPath } from "../api/request.ts";
import type { Flag, FlagEnvironment } from "../api/types.ts";
import { useAsksBeforeChange } from "../changes/asks-before-change.ts";
import { EditedResource, type EditedVersion, SaveDialog } from "../changes/edit-dialog.tsx";
import { placesIn } from "../changes/proposal.ts";
import { useSave } from "../changes/use-save.ts";
import { describeCopy } from "../flags/consequence.ts";
import { toDraft } from "../strategies/strategy-draft.ts";
import { useNames } from "../strategies/use-names.ts";
import { Checkbox } from "../ui/fields.tsx";
import { describeCount } from "../ui/numbers.ts";

/** What a flag does in an environment. */
type Rules = Pick<FlagEnvironment, "enabled" | "strategies" | "variants">;

interface CopyEnvironmentDialogProps {
  readonly flag: Flag;
  readonly source: FlagEnvironment;
  readonly target: FlagEnvironment;
  readonly onClose: () => void;
  readonly onCopied: () => void;
}

/** Replaces what a flag does in an environment with what it does in another one. */
export function CopyEnvironmentDialog(props: CopyEnvironmentDialogProps) {
  const { flag, target, onClose } = props;
  const path = adminPath`/projects/${flag.project}/features/${flag.name}/environments/${target.name}/rules`;
  return (
    <EditedResource<Rules> path={path} title={titleOf(props)} onClose={onClose}>
      {(version) => <CopyForm {...props} path={path} version={version} />}
    </EditedResource>
  );
}

function titleOf({ source, target }: CopyEnvironmentDialogProps): string {
  return `Copy ${source.name} to ${target.name}`;
}

function toBody({ strategies, variants }: Rules) {
  return { strategies: strategies.map(toDraft), variants };
}

interface CopyFormProps extends CopyEnvironmentDialogProps {
  readonly path: string;
  readonly version: EditedVersion<Rules>;
}

function CopyForm({ path, version, ...props }: CopyFormProps) {
  const { flag, source, target, onClose, onCopied } = props;
  const [copiesState, setCopiesState] = useState(false);
  const names = useNames();
  const asksBeforeChange = useAsksBeforeChange();
  const before = version.value;
  const body = { ...toBody(source), ...(copiesState && { enabled: source.enabled }) };
  const saving = useSave<Rules>({
    path,
    version,
    body,
    proposal: {
      places: placesIn(flag.project, [target.name]),
      changes: [{ feature: flag.name, action: "replaceRules", payload: body }],
    },
    undoBody: (replaced) => ({ ...toBody(replaced), enabled: replaced.enabled }),
    invalidates: [["flag", flag.project, flag.name], ["flags", flag.project], ["segments"]],
    success: `Copied ${source.name} to ${target.name}`,
  });
  const enabled = copiesState ? source.enabled : before.enabled;
  return (
    <SaveDialog
      title={titleOf(props)}
      submit="Copy"
      version={version}
      draft={undefined}
      saving={saving}
      onClose={onClose}
      onSaved={onCopied}
      consequence={
        asksBeforeChange(target)
          ? describeCopy({ ...source, enabled }, { ...before, name: target.name }, names)
          : undefined
      }
    >
      <p>
        {target.name} gets {countRules(source)} of {source.name}, instead of {countRules(before)} of
        its own.
      </p>
      {source.enabled === before.enabled ? null : (
        <Checkbox
          label={`Also turn the flag ${source.enabled ? "on" : "off"} in ${target.name}, as in ${source.name}`}
          isSelected={copiesState}
          onChange={setCopiesState}
        />
      )}
    </SaveDialog>
  );
}

function countRules({ strategies, variants }: Rules): string {
  const parts = [
    describeCount(strategies.length, "strategy", "strategies"),
    ...(variants.length === 0 ? [] : [describeCount(variants.length, "variant")]),
  ];
  return parts.join(" and ");
}
