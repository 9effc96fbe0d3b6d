import type { ActionName } from "../change-requests/actions.ts";
import type { StrategyView } from "../domain/strategies/find-strategies.ts";
import { isEqualJson } from "../storage/database.ts";
import type { EnvironmentState, FlagState } from "./undo-events.ts";

/** A change that restores a part of a flag, as change requests contain it. */
export interface RestoringChange {
  /** Null for what applies to all environments. */
  readonly environment: string | null;
  readonly action: ActionName | "updateSettings";
  readonly payload: unknown;
}

/** Returns the changes from one state of a flag to another one, in the order in which they can be made. */
export function planRestoration(from: FlagState, to: FlagState): readonly RestoringChange[] {
  const changes: RestoringChange[] = [];
  const add = (environment: string | null, action: RestoringChange["action"], payload: unknown) =>
    changes.push({ environment, action, payload });
  const isRevived = from.archived && !to.archived;
  if (isRevived) add(null, "reviveFeature", null);
  if (!isEqualJson(from.settings, to.settings)) add(null, "updateSettings", to.settings);
  const changesParent = !isEqualJson(from.parent, to.parent);
  if (changesParent && to.parent === undefined) add(null, "deleteDependency", null);
  for (const [name, after] of to.environments) {
    const before = from.environments.get(name);
    if (before === undefined) continue;
    // Reviving a flag turns it off everywhere.
    const enabled = before.enabled && !isRevived;
    changes.push(...planEnvironment(name, { ...before, enabled }, after));
  }
  if (changesParent && to.parent !== undefined) add(null, "addDependency", to.parent);
  if (!from.archived && to.archived) add(null, "archiveFeature", null);
  return changes;
}

/** NOTE: adds strategies before it deletes others, because a flag without any turns itself off. */
function planEnvironment(
  environment: string,
  from: EnvironmentState,
  to: EnvironmentState,
): readonly RestoringChange[] {
  const changes: RestoringChange[] = [];
  const add = (action: ActionName, payload: unknown) =>
    changes.push({ environment, action, payload });
  for (const [id, strategy] of to.strategies) {
    const current = from.strategies.get(id);
    if (current === undefined) add("addStrategy", withoutId(strategy));
    else if (!isEqualJson(current, strategy)) add("updateStrategy", strategy);
  }
  for (const id of from.strategies.keys()) {
    if (!to.strategies.has(id)) add("deleteStrategy", { id });
  }
  if (!isEqualJson(from.variants, to.variants)) add("patchVariant", { variants: to.variants });
  if (from.enabled !== to.enabled) add("updateEnabled", { enabled: to.enabled });
  return changes;
}

function withoutId({ id: _id, ...strategy }: StrategyView) {
  return strategy;
}
