import { adminPath, type Versioned } from "../api/request.ts";
import type { Strategy } from "../api/types.ts";
import { placesIn } from "../changes/proposal.ts";
import { useSave } from "../changes/use-save.ts";
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
 * @param version the strategy before the change; undefined for a new one
 */
export function useSaveStrategy(
  address: StrategyAddress,
  version: Versioned<Strategy> | undefined,
  body: StrategyDraft,
) {
  const { project, flag, environment } = address;
  const action = version === undefined ? "Added a strategy" : "Saved the strategy";
  return useSave({
    path: strategyPath(address, version?.value.id),
    version,
    body,
    undoBody: toDraft,
    proposal: {
      places: placesIn(project, [environment]),
      changes: [
        version === undefined
          ? { feature: flag, action: "addStrategy", payload: body }
          : { feature: flag, action: "updateStrategy", payload: { ...body, id: version.value.id } },
      ],
    },
    invalidates: [["flag", project, flag], ["flags", project], ["segments"]],
    success: `${action} in ${environment}`,
  });
}
