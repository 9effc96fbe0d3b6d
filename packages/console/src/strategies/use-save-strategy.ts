import { adminPath, request, requestVersioned, type Versioned } from "../api/request.ts";
import type { Strategy } from "../api/types.ts";
import type { SaveInput } from "../changes/edit-dialog.tsx";
import { useChange } from "../changes/use-change.ts";
import { type StrategyDraft, toDraft } from "./strategy-draft.ts";

/** Where a flag has a list of strategies. */
export interface StrategyAddress {
  readonly project: string;
  readonly flag: string;
  readonly environment: string;
}

/** Returns the path of a strategy; without an id that of the list. */
export function strategyPath({ project, flag, environment }: StrategyAddress, id?: string): string {
  const list = adminPath`/projects/${project}/features/${flag}/environments/${environment}/strategies`;
  return id === undefined ? list : `${list}/${encodeURIComponent(id)}`;
}

/**
 * Adds a strategy, or changes one.
 *
 * @param edited the strategy before the change; undefined for a new one
 */
export function useSaveStrategy(
  address: StrategyAddress,
  edited: Strategy | undefined,
  body: StrategyDraft,
) {
  const { project, flag, environment } = address;
  const path = strategyPath(address, edited?.id);
  return useChange<SaveInput, Versioned<unknown>>({
    run: ({ ifMatch }) =>
      requestVersioned(path, { method: edited === undefined ? "POST" : "PUT", body, ifMatch }),
    invalidates: [["flag", project, flag], ["flags", project], ["segments"]],
    success: () =>
      edited === undefined
        ? `Added a strategy in ${environment}`
        : `Saved the strategy in ${environment}`,
    ...(edited !== undefined && {
      undo: (_input, { etag }) =>
        request(path, { method: "PUT", body: toDraft(edited), ifMatch: etag }),
    }),
    showsErrors: true,
  });
}
