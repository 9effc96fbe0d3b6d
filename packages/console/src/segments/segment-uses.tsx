import { useQuery } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import { adminPath, request } from "../api/request.ts";
import type { Segment } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { StrategyReferences } from "../flags/strategy-references.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Loaded } from "../ui/page.tsx";

interface SegmentUsesDialogProps {
  readonly segment: Segment;
  readonly onClose: () => void;
}

/** Shows the flags that use a segment. */
export function SegmentUsesDialog({ segment, onClose }: SegmentUsesDialogProps) {
  return (
    <Dialog title={`Where ${segment.name} is used`} onClose={onClose}>
      <div className="dialog-content">
        <Uses id={segment.id} />
      </div>
    </Dialog>
  );
}

/** Deletes a segment that is not used, or says where it is used. */
export function DeleteSegmentDialog({ segment, onClose }: SegmentUsesDialogProps) {
  const { id, name } = segment;
  const { data: uses = [] } = useQuery(queries.segmentUses(id));
  const deletion = useChange({
    run: () => request(adminPath`/segments/${String(id)}`, { method: "DELETE" }),
    outdates: [["segments"]],
    success: () => `Deleted ${name}`,
    showsErrors: true,
  });
  if (uses.length > 0) {
    return (
      <Dialog title={`${name} cannot be deleted yet`} onClose={onClose}>
        <div className="dialog-content">
          <p>
            Remove the segment from these strategies first. Without it, more users would get the
            flags.
          </p>
          <Uses id={id} />
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
      <p>No active flag uses it. This cannot be undone.</p>
    </ConfirmDialog>
  );
}

function Uses({ id }: { readonly id: number }) {
  const uses = useQuery(queries.segmentUses(id));
  return (
    <Loaded query={uses}>
      {(references) =>
        references.length === 0 ? (
          <p>No flag uses this segment.</p>
        ) : (
          <>
            <p>Strategies of these flags:</p>
            <StrategyReferences references={references} />
          </>
        )
      }
    </Loaded>
  );
}
