import { adminPath, request } from "../api/request.ts";
import { useChange } from "../changes/use-change.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { NameList } from "../ui/name-list.tsx";
import { type ArchivedFlagsDialogProps, describeFlags } from "./archived-flags.ts";

/** Revives archived flags: all of them, or none. */
export function ReviveFlagsDialog({ project, names, onClose, onDone }: ArchivedFlagsDialogProps) {
  const subject = describeFlags(names);
  const send = (operation: "archive" | "revive"): Promise<void> =>
    request(`${adminPath`/projects/${project}`}/${operation}`, {
      method: "POST",
      body: { features: names },
    });
  const reviving = useChange({
    run: () => send("revive"),
    invalidates: [["flags", project], ["flag", project], ["projects"], ["segments"]],
    success: () => `Revived ${subject}`,
    undo: () => send("archive"),
    showsErrors: true,
  });
  return (
    <ConfirmDialog
      title={`Revive ${subject}?`}
      submit="Revive"
      isDangerous={false}
      isPending={reviving.isPending}
      error={reviving.error}
      onClose={onClose}
      onConfirm={() => reviving.mutate(undefined, { onSuccess: onDone })}
    >
      <p>
        {names.length === 1 ? "It comes" : "They come"} back switched off in every environment, with
        all strategies, variants and tags. Switch {names.length === 1 ? "it" : "them"} on again
        where you need {names.length === 1 ? "it" : "them"}.
      </p>
      {names.length === 1 ? null : <NameList names={names} />}
    </ConfirmDialog>
  );
}
