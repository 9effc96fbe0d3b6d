import { useQuery } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import type { Strategy } from "../api/types.ts";
import { Edited } from "../changes/edit-dialog.tsx";
import { createDraft, toDraft } from "./strategy-draft.ts";
import { StrategyForm } from "./strategy-form.tsx";
import { type StrategyAddress, strategyPath } from "./use-save-strategy.ts";

interface AddStrategyDialogProps extends StrategyAddress {
  readonly onClose: () => void;
}

/** Adds a strategy at the end. */
export function AddStrategyDialog({ onClose, ...address }: AddStrategyDialogProps) {
  const { project, flag } = address;
  const { data: projects } = useQuery(queries.projects());
  if (projects === undefined) return null;
  const stickiness = projects.find(({ id }) => id === project)?.defaultStickiness ?? "default";
  return (
    <StrategyForm address={address} initial={createDraft({ flag, stickiness })} onClose={onClose} />
  );
}

interface EditStrategyDialogProps extends AddStrategyDialogProps {
  readonly id: string;
}

/** Edits the strategy as the service has it now. */
export function EditStrategyDialog({ id, onClose, ...address }: EditStrategyDialogProps) {
  return (
    <Edited<Strategy>
      path={strategyPath(address, id)}
      title={`Strategy in ${address.environment}`}
      size="wide"
      onClose={onClose}
    >
      {(version, reload) => (
        <StrategyForm
          address={address}
          initial={toDraft(version.value)}
          version={version}
          onLoad={reload}
          onClose={onClose}
        />
      )}
    </Edited>
  );
}
