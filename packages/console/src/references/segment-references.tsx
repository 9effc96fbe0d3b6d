import { useQuery } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import { adminPath } from "../api/request.ts";
import type { Segment } from "../api/types.ts";
import { StrategyReferences, DeleteUnusedDialog, ReferencesDialog } from "./references.tsx";
import { Loaded } from "../ui/loaded.tsx";

interface SegmentReferencesDialogProps {
  readonly segment: Segment;
  readonly onClose: () => void;
}

/** Shows the flags that use a segment. */
export function SegmentReferencesDialog({
  segment: { id, name },
  onClose,
}: SegmentReferencesDialogProps) {
  return (
    <ReferencesDialog name={name} onClose={onClose}>
      <References id={id} />
    </ReferencesDialog>
  );
}

/** Deletes a segment that is not used, or says where it is used. */
export function DeleteSegmentDialog({
  segment: { id, name },
  onClose,
}: SegmentReferencesDialogProps) {
  const { data: references = [] } = useQuery(queries.segmentReferences(id));
  return (
    <DeleteUnusedDialog
      name={name}
      path={adminPath`/segments/${String(id)}`}
      invalidates={[["segments"]]}
      onClose={onClose}
      isUsed={references.length > 0}
      references={
        <>
          <p>
            Remove the segment from these strategies first. Without it, more users would get the
            flags.
          </p>
          <References id={id} />
        </>
      }
    >
      <p>No active flag uses it. This cannot be undone.</p>
    </DeleteUnusedDialog>
  );
}

function References({ id }: { readonly id: number }) {
  const query = useQuery(queries.segmentReferences(id));
  return (
    <Loaded query={query}>
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
