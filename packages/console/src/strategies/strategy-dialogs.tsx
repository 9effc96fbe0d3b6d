import { useQuery } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import { adminPath, request, type Versioned } from "../api/request.ts";
import type { Strategy } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import { Edited } from "../changes/edited.tsx";
import { createDraft, type StrategyDraft } from "./strategy-draft.ts";
import { StrategyForm } from "./strategy-form.tsx";
import { ROLLOUT } from "./strategy-types.ts";

interface StrategyDialogProps {
  readonly project: string;
  readonly flag: string;
  readonly environment: string;
  readonly onClose: () => void;
}

/** Adds a strategy at the end. */
export function AddStrategyDialog({ onClose, ...address }: StrategyDialogProps) {
  const { project, flag, environment } = address;
  const { data: projects } = useQuery(queries.projects());
  const addition = useChange<StrategyDraft>({
    run: (body) =>
      request(
        adminPath`/projects/${project}/features/${flag}/environments/${environment}/strategies`,
        { method: "POST", body },
      ),
    invalidates: [["flag", project, flag], ["flags", project], ["segments"]],
    success: () => `Added a strategy in ${environment}`,
    showsErrors: true,
  });
  if (projects === undefined) return null;
  const stickiness = projects.find(({ id }) => id === project)?.defaultStickiness ?? "default";
  return (
    <StrategyForm
      title={`New strategy in ${environment}`}
      submit="Add strategy"
      project={project}
      flag={flag}
      initial={createDraft(ROLLOUT, { flag, stickiness })}
      onSubmit={(draft) => addition.mutate(draft, { onSuccess: onClose })}
      onClose={onClose}
      isPending={addition.isPending}
      error={addition.error}
    />
  );
}

interface EditStrategyDialogProps extends StrategyDialogProps {
  readonly id: string;
}

/** Edits the strategy as the service has it now. */
export function EditStrategyDialog({ id, ...props }: EditStrategyDialogProps) {
  const { project, flag, environment, onClose } = props;
  const path = adminPath`/projects/${project}/features/${flag}/environments/${environment}/strategies/${id}`;
  return (
    <Edited<Strategy> path={path} title={`Strategy in ${environment}`} onClose={onClose}>
      {(loaded, reload) => (
        <LoadedStrategy {...props} path={path} loaded={loaded} onLoad={reload} />
      )}
    </Edited>
  );
}

interface LoadedStrategyProps extends StrategyDialogProps {
  readonly path: string;
  readonly loaded: Versioned<Strategy>;
  readonly onLoad: () => void;
}

interface Edit {
  readonly draft: StrategyDraft;
  /** Whether a change by somebody else is replaced. */
  readonly overwrites: boolean;
}

function LoadedStrategy({
  project,
  flag,
  environment,
  onClose,
  path,
  loaded: { value, etag },
  onLoad,
}: LoadedStrategyProps) {
  const edit = useChange<Edit>({
    run: ({ draft, overwrites }) =>
      request(path, { method: "PUT", body: draft, ifMatch: overwrites ? undefined : etag }),
    invalidates: [["flag", project, flag], ["flags", project], ["segments"]],
    success: () => `Saved the strategy in ${environment}`,
    undo: () => request(path, { method: "PUT", body: toDraft(value) }),
    showsErrors: true,
  });
  return (
    <StrategyForm
      title={`Strategy in ${environment}`}
      submit="Save"
      project={project}
      flag={flag}
      initial={toDraft(value)}
      onSubmit={(draft, options) => edit.mutate({ draft, ...options }, { onSuccess: onClose })}
      onLoad={onLoad}
      onClose={onClose}
      isPending={edit.isPending}
      error={edit.error}
    />
  );
}

/** Returns what a copy of a strategy contains. */
export function toDraft(strategy: Strategy): StrategyDraft {
  const { id: _id, sortOrder: _sortOrder, ...draft } = strategy;
  return draft;
}
