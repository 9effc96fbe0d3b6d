import type { EventType } from "../../../admin/src/storage/events.ts";

/** The changes of a flag whose states can be restored. */
const RESTORABLE: readonly EventType[] = [
  "feature-archived",
  "feature-created",
  "feature-dependencies-removed",
  "feature-dependency-added",
  "feature-dependency-removed",
  "feature-environment-disabled",
  "feature-environment-enabled",
  "feature-environment-variants-updated",
  "feature-metadata-updated",
  "feature-revived",
  "feature-stale-off",
  "feature-stale-on",
  "feature-strategy-add",
  "feature-strategy-remove",
  "feature-strategy-update",
  "strategy-order-changed",
];

/** Whether the state after a change can be restored. */
export function isRestorable(type: string): boolean {
  return RESTORABLE.some((one) => one === type);
}

/** Whether the state before a change can be restored. */
export function canGoBefore(type: string): boolean {
  return isRestorable(type) && type !== "feature-created";
}
