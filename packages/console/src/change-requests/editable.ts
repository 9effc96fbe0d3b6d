import type { ActionName, RequestedChange } from "../api/types.ts";

/** The changes that the form with which they are requested also edits. Others are removed, and requested again. */
const EDITABLE: readonly ActionName[] = [
  "addStrategy",
  "patchVariant",
  "setRolloutPlan",
  "updateEnabled",
  "updateStrategy",
];

export function isEditable({ action }: Pick<RequestedChange, "action">): boolean {
  return EDITABLE.includes(action);
}
