import { useNavigate } from "@tanstack/react-router";
import { EllipsisVertical } from "lucide-react";
import { useState } from "react";
import { adminPath, request } from "../api/request.ts";
import type { Flag } from "../api/types.ts";
import { EditedResource, type EditedVersion, SaveDialog } from "../changes/edit-dialog.tsx";
import { CompleteDialog, useContinue } from "../cleanup/complete-dialog.tsx";
import { UsedFlags } from "../cleanup/used-flags.tsx";
import { proposeForFlag, useDialogWords } from "../changes/proposal.ts";
import { useChange } from "../changes/use-change.ts";
import { useSave } from "../changes/use-save.ts";
import { describeArchiving } from "../flags/consequence.ts";
import { FlagTypeField, ImpressionDataField } from "../flags/flag-fields.tsx";
import { ReviveFlagsDialog } from "../flags/archived-flags-dialogs.tsx";
import { NEW_FLAG_SUBJECTS, ProjectNamingHint } from "../projects/flag-naming-hint.tsx";
import { useEditableProjects, useHasProjectRole } from "../projects/use-project-role.ts";
import { Banner } from "../ui/banner.tsx";
import { Button, IconButton } from "../ui/button.tsx";
import { FormDialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/fields.tsx";
import { Menu } from "../ui/menu.tsx";
import { NameField } from "../ui/name-field.tsx";
import { joinWithAnd } from "../ui/words.ts";
import { MoveFlagDialog } from "./move-flag-dialog.tsx";
import { useCanEdit } from "./use-can-edit.ts";

/** What can be done with an archived flag. */
function ReviveButton({ flag: { project, name } }: { readonly flag: Flag }) {
  const canRevive = useHasProjectRole(project, "editor");
  const [isAsking, setAsking] = useState(false);
  const close = (): void => setAsking(false);
  if (!canRevive) return null;
  return (
    <>
      <Button onPress={() => setAsking(true)}>Revive</Button>
      {isAsking ? (
        <ReviveFlagsDialog project={project} names={[name]} onClose={close} onDone={close} />
      ) : null}
    </>
  );
}

/** What can be done with a flag as a whole. */
export function FlagActions({ flag }: { readonly flag: Flag }) {
  const canEdit = useCanEdit(flag);
  const [dialog, setDialog] = useState<"edit" | "copy" | "move" | "complete" | "archive">();
  const { project, name, stale } = flag;
  const markStale = (isStale: boolean): Promise<unknown> =>
    request(adminPath`/projects/${project}/stale`, {
      method: "POST",
      body: { features: [name], stale: isStale },
    });
  const marking = useChange<boolean>({
    run: markStale,
    invalidates: [
      ["flag", project, name],
      ["flags", project],
    ],
    success: (isStale) => `Marked ${name} as ${isStale ? "stale" : "active"}`,
    undo: (isStale) => markStale(!isStale),
  });
  const continueFlag = useContinue(flag);
  const isMovable = useEditableProjects().some(({ id }) => id !== project);
  const close = (): void => setDialog(undefined);
  if (flag.archived) return <ReviveButton flag={flag} />;
  if (!canEdit) return null;
  return (
    <>
      <Button onPress={() => setDialog("edit")}>Edit</Button>
      <Menu
        entries={[
          { label: "Copy…", run: () => setDialog("copy") },
          ...(isMovable
            ? [{ label: "Move to another project…", run: () => setDialog("move") }]
            : []),
          {
            label: stale ? "Mark as active" : "Mark as stale",
            run: () => marking.mutate(!stale),
          },
          flag.lifecycle.stage === "completed"
            ? { label: "No longer completed", run: continueFlag }
            : { label: "Complete…", run: () => setDialog("complete") },
          { label: "Archive…", run: () => setDialog("archive"), isDangerous: true },
        ]}
      >
        <IconButton label="More actions">
          <EllipsisVertical aria-hidden />
        </IconButton>
      </Menu>
      {dialog === "edit" ? <EditFlagDialog flag={flag} onClose={close} /> : null}
      {dialog === "copy" ? <CopyFlagDialog flag={flag} onClose={close} /> : null}
      {dialog === "move" ? <MoveFlagDialog flag={flag} onClose={close} /> : null}
      {dialog === "complete" ? <CompleteDialog flag={flag} onClose={close} /> : null}
      {dialog === "archive" ? <ArchiveFlagDialog flag={flag} onClose={close} /> : null}
    </>
  );
}

interface EditFlagDialogProps {
  readonly flag: Pick<Flag, "project" | "name">;
  readonly onClose: () => void;
}

/** Edits the properties of a flag that all environments share. */
function EditFlagDialog({ flag: { project, name }, onClose }: EditFlagDialogProps) {
  return (
    <EditedResource<Flag>
      path={adminPath`/projects/${project}/features/${name}`}
      title={`Edit ${name}`}
      onClose={onClose}
    >
      {(version) => <FlagDialog version={version} onClose={onClose} />}
    </EditedResource>
  );
}

interface FlagDialogProps {
  readonly version: EditedVersion<Flag>;
  readonly onClose: () => void;
}

function FlagDialog({ version, onClose }: FlagDialogProps) {
  const { value } = version;
  const { project, name } = value;
  const [type, setType] = useState(value.type);
  const [description, setDescription] = useState(value.description ?? "");
  const [impressionData, setImpressionData] = useState(value.impressionData);
  const saving = useSave({
    path: adminPath`/projects/${project}/features/${name}`,
    version,
    body: { type, description, impressionData },
    undoBody: (replaced) => ({
      type: replaced.type,
      description: replaced.description,
      impressionData: replaced.impressionData,
    }),
    invalidates: [
      ["flag", project, name],
      ["flags", project],
    ],
    success: `Saved ${name}`,
  });
  return (
    <SaveDialog
      title={`Edit ${name}`}
      submit="Save"
      version={version}
      draft={[type, description, impressionData]}
      saving={saving}
      onClose={onClose}
    >
      <TextField
        label="Description"
        value={description}
        onChange={setDescription}
        rows={3}
        maxLength={10_000}
        autoFocus
      />
      <FlagTypeField value={type} onChange={setType} />
      <ImpressionDataField value={impressionData} onChange={setImpressionData} />
    </SaveDialog>
  );
}

interface CopyFlagDialogProps {
  readonly flag: Flag;
  readonly onClose: () => void;
}

function CopyFlagDialog({ flag: { project, name }, onClose }: CopyFlagDialogProps) {
  const navigate = useNavigate();
  const [copy, setCopy] = useState("");
  const copying = useChange({
    run: () =>
      request(adminPath`/projects/${project}/features/${name}/clone`, {
        method: "POST",
        body: { name: copy },
      }),
    invalidates: [["flags", project], ["projects"]],
    success: () => `Copied ${name}. The copy is off in every environment`,
    showsErrors: true,
  });
  return (
    <FormDialog
      title={`Copy ${name}`}
      submit="Copy flag"
      draft={copy}
      onClose={onClose}
      isPending={copying.isPending}
      error={copying.error}
      subjects={NEW_FLAG_SUBJECTS}
      onSubmit={() =>
        copying.mutate(undefined, {
          onSuccess: () => {
            onClose();
            void navigate({
              to: "/projects/$project/flags/$flag",
              params: { project, flag: copy },
            });
          },
        })
      }
    >
      <p>
        The copy has the same description, tags, dependency, strategies and variants. It is off in
        every environment, and its rollouts select a different set of users.
      </p>
      <ProjectNamingHint project={project} />
      <NameField
        value={copy}
        onChange={setCopy}
        description="Applications use this name, so it cannot be changed later."
      />
    </FormDialog>
  );
}

interface ArchiveFlagDialogProps {
  readonly flag: Flag;
  readonly onClose: () => void;
}

function ArchiveFlagDialog({ flag, onClose }: ArchiveFlagDialogProps) {
  const navigate = useNavigate();
  const { project, name, children } = flag;
  const proposal = proposeForFlag(flag, { action: "archiveFeature" });
  const words = useDialogWords(proposal, {
    submit: "Archive",
    isDangerous: true,
    consequence: children.length > 0 ? undefined : describeArchiving([flag]),
  });
  const archiving = useChange({
    proposes: () => proposal,
    run: async () => {
      await request(adminPath`/projects/${project}/features/${name}`, { method: "DELETE" });
      // NOTE: first, because this page would try to read the flag again.
      await navigate({ to: "/projects/$project/flags", params: { project } });
    },
    invalidates: [["flags", project], ["projects"]],
    success: () => `Archived ${name}`,
    // NOTE: cannot be undone, because reviving a flag restores neither where it was on nor its dependency.
    showsErrors: true,
  });
  return (
    <FormDialog
      {...words}
      title={`Archive ${name}?`}
      isDisabled={children.length > 0}
      onClose={onClose}
      onSubmit={() => archiving.mutate(undefined, { onSuccess: onClose })}
      isPending={archiving.isPending}
      error={archiving.error}
    >
      {children.length > 0 ? (
        <Banner kind="warning">
          Other flags depend on this one, so it cannot be archived: {joinWithAnd(children)}.
        </Banner>
      ) : (
        <p>
          Applications no longer receive the flag and treat it as off. You can revive it from the
          archive; it is then off in every environment and has no dependency.
        </p>
      )}
      <UsedFlags project={project} names={[name]} />
    </FormDialog>
  );
}
