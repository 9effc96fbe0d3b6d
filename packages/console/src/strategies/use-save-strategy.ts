import { adminPath, request, type Versioned } from "../api/request.ts";
import type { Strategy } from "../api/types.ts";
import { placesIn } from "../changes/proposal.ts";
import { type EditedChange, useSave } from "../changes/use-save.ts";
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

/** What a form about a strategy saves. */
export interface StrategyTarget {
  /** The id of the strategy that is changed; undefined for a new one. */
  readonly id: string | undefined;
  /** The strategy before the change; undefined for a new one, and for a requested change. */
  readonly version?: Versioned<Strategy>;
  /** The requested change that is edited. @default the strategy is saved */
  readonly edited?: EditedChange;
}

/** Adds a strategy, or changes one. */
export function useSaveStrategy(
  address: StrategyAddress,
  { id, version, edited }: StrategyTarget,
  body: StrategyDraft,
) {
  const { project, flag, environment } = address;
  const action = id === undefined ? "Added a strategy" : "Saved the strategy";
  return useSave<Strategy>({
    path: strategyPath(address, id),
    version,
    body,
    undoBody: toDraft,
    remove: (created) => request(strategyPath(address, created.id), { method: "DELETE" }),
    proposal: {
      places: placesIn(project, [environment]),
      changes: [
        id === undefined
          ? { feature: flag, action: "addStrategy", payload: body }
          : { feature: flag, action: "updateStrategy", payload: { ...body, id } },
      ],
    },
    edited,
    invalidates: [["flag", project, flag], ["flags", project], ["segments"]],
    success: `${action} in ${environment}`,
  });
}
