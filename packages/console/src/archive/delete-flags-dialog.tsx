import { adminPath, request } from "../api/request.ts";
import { useChange } from "../changes/use-change.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { NameList } from "../ui/name-list.tsx";
import { type ArchivedFlagsDialogProps, describeFlags } from "./archived-flags.ts";

/** Deletes archived flags permanently: all of them, or none. */
export function DeleteFlagsDialog({ project, names, onClose, onDone }: ArchivedFlagsDialogProps) {
  const [name = ""] = names;
  const isOne = names.length === 1;
  const subject = describeFlags(names);
  const deletion = useChange({
    run: () =>
      request(adminPath`/projects/${project}/delete`, {
        method: "POST",
        body: { features: names },
      }),
    invalidates: [["flags", project], ["flag", project], ["tags"], ["segments"]],
    success: () => `Deleted ${subject} permanently`,
    showsErrors: true,
  });
  return (
    <ConfirmDialog
      title={`Delete ${subject} permanently?`}
      submit="Delete permanently"
      typed={isOne ? name : String(names.length)}
      isPending={deletion.isPending}
      error={deletion.error}
      onClose={onClose}
      onConfirm={() => deletion.mutate(undefined, { onSuccess: onDone })}
    >
      <p>
        This cannot be undone. {isOne ? "Its" : "Their"} strategies, variants and tags are lost.
        Applications that still use {isOne ? "this name" : "these names"} treat{" "}
        {isOne ? "the flag" : "the flags"} as off. If somebody creates a flag with the same name
        later, those applications follow the new flag.
      </p>
      {isOne ? null : <NameList names={names} />}
    </ConfirmDialog>
  );
}
