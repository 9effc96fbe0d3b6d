import { useQuery } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import { placesIn, type Proposal, useDialogWords } from "../changes/proposal.ts";
import { useChange } from "../changes/use-change.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { NameList } from "../ui/name-list.tsx";
import { describeCount } from "../ui/numbers.ts";

/** What a dialog about archived flags of a project needs. */
interface ArchivedFlagsDialogProps {
  readonly project: string;
  readonly names: readonly string[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Revives archived flags: all of them, or none. */
export function ReviveFlagsDialog({ project, names, onClose, onDone }: ArchivedFlagsDialogProps) {
  const subject = describeFlags(names);
  const send = (operation: "archive" | "revive"): Promise<void> =>
    request(`${adminPath`/projects/${project}`}/${operation}`, {
      method: "POST",
      body: { features: names },
    });
  const { data: projects = [] } = useQuery(queries.projects());
  const environments = projects.find(({ id }) => id === project)?.environments ?? [];
  // The list of archived flags does not say where they have strategies.
  const proposal: Proposal = {
    places: placesIn(project, environments),
    changes: names.map((feature) => ({ feature, action: "reviveFeature" })),
  };
  const words = useDialogWords(proposal, { submit: "Revive", isDangerous: false });
  const reviving = useChange({
    proposes: () => proposal,
    run: () => send("revive"),
    invalidates: [["flags", project], ["flag", project], ["projects"], ["segments"]],
    success: () => `Revived ${subject}`,
    undo: () => send("archive"),
    showsErrors: true,
  });
  return (
    <ConfirmDialog
      title={`Revive ${subject}?`}
      {...words}
      isPending={reviving.isPending}
      error={reviving.error}
      onClose={onClose}
      onConfirm={() => reviving.mutate(undefined, { onSuccess: onDone })}
    >
      <p>
        {names.length === 1 ? "It is" : "They are"} then off in every environment, with all
        strategies, variants and tags. Turn {names.length === 1 ? "it" : "them"} on again where you
        need {names.length === 1 ? "it" : "them"}.
      </p>
      {names.length === 1 ? null : <NameList names={names} />}
    </ConfirmDialog>
  );
}

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

/** Returns the name of a single flag, or the number of several. */
function describeFlags(names: readonly string[]): string {
  const [name = ""] = names;
  return names.length === 1 ? name : describeCount(names.length, "flag");
}
