import { useState } from "react";
import { adminPath } from "../api/request.ts";
import type { Flag, FlagEnvironment, FlagVariant } from "../api/types.ts";
import { EditedResource, type EditedVersion, SaveDialog } from "../changes/edit-dialog.tsx";
import { placesIn } from "../changes/proposal.ts";
import { type EditedChange, useSave } from "../changes/use-save.ts";
import { useConsequence } from "../flags/use-consequence.ts";
import { StickinessField } from "../strategies/stickiness-field.tsx";
import { Button } from "../ui/button.tsx";
import { VariantBar } from "../variants/variant-bar.tsx";
import { OverrideList } from "../variants/overrides.tsx";
import { VariantEditor } from "../variants/variant-editor.tsx";

interface EnvironmentVariantsProps {
  readonly flag: Flag;
  readonly environment: FlagEnvironment;
  readonly canEdit: boolean;
}

/** The variants of a migrated flag, which do not belong to a strategy. Shown only if there are any. */
export function EnvironmentVariants({ flag, environment, canEdit }: EnvironmentVariantsProps) {
  const [isEditing, setEditing] = useState(false);
  const { name, variants } = environment;
  if (variants.length === 0) return null;
  return (
    <div className="flag-variants">
      <h3>Variants of the environment</h3>
      <p className="muted flag-note">Used by strategies that have no variants of their own.</p>
      <VariantBar variants={variants} />
      <OverrideList variants={variants} />
      {canEdit ? (
        <div>
          <Button size="small" onPress={() => setEditing(true)}>
            Edit variants
          </Button>
        </div>
      ) : null}
      {isEditing ? (
        <EditVariantsDialog flag={flag} environment={name} onClose={() => setEditing(false)} />
      ) : null}
    </div>
  );
}

function variantsPath(project: string, flag: string, environment: string): string {
  return adminPath`/projects/${project}/features/${flag}/environments/${environment}/variants`;
}

interface EditVariantsDialogProps {
  readonly flag: Pick<Flag, "name" | "project">;
  readonly environment: string;
  readonly onClose: () => void;
}

interface VariantList {
  readonly variants: readonly FlagVariant[];
}

function EditVariantsDialog({ flag, environment, onClose }: EditVariantsDialogProps) {
  return (
    <EditedResource<VariantList>
      path={variantsPath(flag.project, flag.name, environment)}
      title={`Variants in ${environment}`}
      size="wide"
      onClose={onClose}
    >
      {(version) => (
        <VariantsDialog
          flag={flag}
          environment={environment}
          version={version}
          initial={version.value.variants}
          onClose={onClose}
        />
      )}
    </EditedResource>
  );
}

interface VariantsDialogProps extends EditVariantsDialogProps {
  /** Undefined if a requested change is edited. */
  readonly version?: EditedVersion<VariantList>;
  readonly initial: readonly FlagVariant[];
  /** The requested change that is edited. @default the variants are saved */
  readonly edited?: EditedChange;
}

export function VariantsDialog({
  flag: { project, name },
  environment,
  version,
  initial,
  edited,
  onClose,
}: VariantsDialogProps) {
  const [variants, setVariants] = useState(initial);
  const stickiness = variants[0]?.stickiness ?? "default";
  const saving = useSave<VariantList>({
    path: variantsPath(project, name, environment),
    version,
    body: variants,
    undoBody: (replaced) => replaced.variants,
    proposal: {
      places: placesIn(project, [environment]),
      changes: [{ feature: name, action: "patchVariant", payload: { variants } }],
    },
    edited,
    invalidates: [
      ["flag", project, name],
      ["flags", project],
    ],
    success: `Saved the variants in ${environment}`,
  });
  const consequence = useConsequence({ project, flag: name, environment }, { kind: "variants" });
  return (
    <SaveDialog
      title={`Variants in ${environment}`}
      size="wide"
      submit="Save"
      version={version}
      draft={variants}
      saving={saving}
      consequence={consequence}
      onClose={onClose}
    >
      <VariantEditor
        value={variants}
        onChange={setVariants}
        stickiness={stickiness}
        allowsOverrides
      />
      {variants.length === 0 ? null : (
        <StickinessField
          label="Stickiness"
          value={stickiness}
          onChange={(field) =>
            setVariants(variants.map((variant) => ({ ...variant, stickiness: field })))
          }
          description="Contexts with the same value get the same variant."
        />
      )}
    </SaveDialog>
  );
}
