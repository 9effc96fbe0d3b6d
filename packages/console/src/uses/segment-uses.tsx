import { useQuery } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import { adminPath } from "../api/request.ts";
import type { Segment } from "../api/types.ts";
import { StrategyReferences, DeleteUnusedDialog, UsesDialog } from "./uses.tsx";
import { Loaded } from "../ui/loaded.tsx";

interface SegmentUsesDialogProps {
  readonly segment: Segment;
  readonly onClose: () => void;
}

/** Shows the flags that use a segment. */
export function SegmentUsesDialog({ segment: { id, name }, onClose }: SegmentUsesDialogProps) {
  return (
    <UsesDialog name={name} onClose={onClose}>
      <Uses id={id} />
    </UsesDialog>
  );
}

/** Deletes a segment that is not used, or says where it is used. */
export function DeleteSegmentDialog({ segment: { id, name }, onClose }: SegmentUsesDialogProps) {
  const { data: uses = [] } = useQuery(queries.segmentUses(id));
  return (
    <DeleteUnusedDialog
      name={name}
      path={adminPath`/segments/${String(id)}`}
      invalidates={[["segments"]]}
      onClose={onClose}
      isUsed={uses.length > 0}
      uses={
        <>
          <p>
            Remove the segment from these strategies first. Without it, more users would get the
            flags.
          </p>
          <Uses id={id} />
        </>
      }
    >
      <p>No active flag uses it. This cannot be undone.</p>
    </DeleteUnusedDialog>
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
          <StrategyReferences references={references} />
        )
      }
    </Loaded>
  );
}
