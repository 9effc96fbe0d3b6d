import { useQuery } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import { useChange } from "../changes/use-change.ts";
import { StrategyReferences } from "../flags/strategy-references.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Loaded } from "../ui/page.tsx";

interface ContextFieldUsesDialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

/** Shows the flags and segments with constraints on a context field. */
export function ContextFieldUsesDialog({ name, onClose }: ContextFieldUsesDialogProps) {
  return (
    <Dialog title={`Where ${name} is used`} onClose={onClose}>
      <div className="dialog-content">
        <Uses name={name} />
      </div>
    </Dialog>
  );
}

/** Deletes a context field that is not used, or says where it is used. */
export function DeleteContextFieldDialog({ name, onClose }: ContextFieldUsesDialogProps) {
  const { isUsed } = useUses(name);
  const deletion = useChange({
    run: () => request(adminPath`/context/${name}`, { method: "DELETE" }),
    outdates: [["context-fields"]],
    success: () => `Deleted ${name}`,
    showsErrors: true,
  });
  if (isUsed) {
    return (
      <Dialog title={`${name} cannot be deleted yet`} onClose={onClose}>
        <div className="dialog-content">
          <p>Remove the constraints on this field first.</p>
          <Uses name={name} />
        </div>
      </Dialog>
    );
  }
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      submit="Delete"
      isPending={deletion.isPending}
      error={deletion.error}
      onClose={onClose}
      onConfirm={() => deletion.mutate(undefined, { onSuccess: onClose })}
    >
      <p>
        Constraints can no longer choose this field, and its legal values are lost. Applications may
        continue to send it.
      </p>
    </ConfirmDialog>
  );
}

function useUses(name: string) {
  const strategies = useQuery(queries.contextFieldUses(name));
  const segments = useQuery({
    ...queries.segments(),
    select: ({ segments: all }) =>
      all.filter(({ constraints }) => constraints.some(({ contextName }) => contextName === name)),
  });
  const isUsed = (strategies.data ?? []).length + (segments.data ?? []).length > 0;
  return { strategies, segments, isUsed };
}

function Uses({ name }: { readonly name: string }) {
  const { strategies, segments, isUsed } = useUses(name);
  return (
    <Loaded query={strategies}>
      {(references) => (
        <>
          {references.length === 0 ? null : (
            <>
              <p>Strategies of these flags:</p>
              <StrategyReferences references={references} />
            </>
          )}
          <Loaded query={segments}>
            {(found) =>
              found.length === 0 ? null : (
                <>
                  <p>These segments:</p>
                  <ul className="strategy-references">
                    {found.map((segment) => (
                      <li key={segment.id}>{segment.name}</li>
                    ))}
                  </ul>
                </>
              )
            }
          </Loaded>
          {isUsed ? null : <p>No flag and no segment has a constraint on this field.</p>}
        </>
      )}
    </Loaded>
  );
}
