import { ChevronDown } from "lucide-react";
import { describeReason, formatDay } from "../../../admin/src/event-words/stale-reason.ts";
import type { Flag } from "../api/types.ts";
import { useCanEdit } from "../flag/use-can-edit.ts";
import { Banner } from "../ui/banner.tsx";
import { Button } from "../ui/button.tsx";
import { Menu } from "../ui/menu.tsx";
import { useCleanupEntries, useUnsnooze } from "./use-cleanup.ts";

/** Says whether a flag can probably be removed and why, and offers what to do about it. */
export function StaleNote({ flag }: { readonly flag: Flag }) {
  const canEdit = useCanEdit(flag);
  const entriesFor = useCleanupEntries();
  const unsnooze = useUnsnooze();
  const { staleReason, staleSnooze, potentiallyStale, stale, archived } = flag;
  const { mark, snooze } = entriesFor([flag]);
  if (archived) return null;
  if (staleReason !== null) {
    return (
      <Banner kind="info">
        <div className="row">
          <span>
            {potentiallyStale ? <strong>This flag can probably be removed. </strong> : null}
            {describeReason(staleReason)}. {describeRemoval(staleReason)}
          </span>
          {canEdit && potentiallyStale ? (
            <Menu entries={[mark, ...snooze]}>
              <Button size="small">
                Decide <ChevronDown aria-hidden />
              </Button>
            </Menu>
          ) : null}
        </div>
      </Banner>
    );
  }
  if (staleSnooze === null || stale) return null;
  return (
    <p className="row muted">
      {"until" in staleSnooze
        ? `Snoozed: not reported as stale until ${formatDay(staleSnooze.until)}`
        : "Kept for good: never reported as stale"}
      {canEdit ? (
        <Button size="small" variant="quiet" onPress={() => unsnooze([flag])}>
          End
        </Button>
      ) : null}
    </p>
  );
}

function describeRemoval({ value }: NonNullable<Flag["staleReason"]>): string {
  if (value === undefined) return "Check that no code needs it, then archive it.";
  const path =
    value.variant === undefined
      ? `the ${value.enabled ? "enabled" : "disabled"} path`
      : `variant “${value.variant}”`;
  return `In the code, keep ${path} and remove the flag; then archive it.`;
}
