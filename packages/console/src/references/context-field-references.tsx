import { queryOptions, useQuery } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import { adminPath } from "../api/request.ts";
import { StrategyReferences, DeleteUnusedDialog, ReferencesDialog } from "./references.tsx";
import { Loaded } from "../ui/loaded.tsx";

interface ContextFieldReferencesDialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

/** Shows the flags and segments that use a context field. */
export function ContextFieldReferencesDialog({ name, onClose }: ContextFieldReferencesDialogProps) {
  return (
    <ReferencesDialog name={name} onClose={onClose}>
      <References name={name} />
    </ReferencesDialog>
  );
}

/** Deletes a context field that is not used, or says where it is used. */
export function DeleteContextFieldDialog({ name, onClose }: ContextFieldReferencesDialogProps) {
  const { isUsed } = useReferences(name);
  return (
    <DeleteUnusedDialog
      name={name}
      path={adminPath`/context/${name}`}
      invalidates={[["context-fields"]]}
      onClose={onClose}
      isUsed={isUsed}
      references={
        <>
          <p>Remove the field from all of these first.</p>
          <References name={name} />
        </>
      }
    >
      <p>
        Constraints and stickiness can no longer use this field, and its allowed values are lost.
        Applications may continue to send it.
      </p>
    </DeleteUnusedDialog>
  );
}

/** The segments with constraints on a context field. */
export function segmentsWith(name: string) {
  return queryOptions({
    ...queries.segments(),
    select: ({ segments }) =>
      segments.filter(({ constraints }) =>
        constraints.some(({ contextName }) => contextName === name),
      ),
  });
}

function useReferences(name: string) {
  const strategies = useQuery(queries.contextFieldReferences(name));
  const segments = useQuery(segmentsWith(name));
  const isUsed = (strategies.data ?? []).length + (segments.data ?? []).length > 0;
  return { strategies, segments, isUsed };
}

function References({ name }: { readonly name: string }) {
  const { strategies, segments, isUsed } = useReferences(name);
  return (
    <Loaded query={strategies}>
      {(references) => (
        <>
          {references.length === 0 ? null : <StrategyReferences references={references} />}
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
          {isUsed ? null : <p>No flag and no segment uses this field.</p>}
        </>
      )}
    </Loaded>
  );
}
