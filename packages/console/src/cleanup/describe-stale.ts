import { describeReason, lowerCaseFirst } from "../../../admin/src/event-words/stale-reason.ts";
import type { CleanupFlag, Flag } from "../api/types.ts";
import { describeCount } from "../ui/numbers.ts";
import { joinWithAnd } from "../ui/words.ts";

const STATUSES = { kept: "its code is kept", discarded: "its code is discarded" } as const;

/** Says why a flag is in the list of flags to clean up. */
export function describeWhy(
  flag: Pick<CleanupFlag, "daysPastLifetime" | "lifecycle" | "stale" | "staleReason">,
): string {
  const { status } = flag.lifecycle;
  if (status !== undefined) return `Completed: ${STATUSES[status]}`;
  const parts = [
    ...(flag.stale ? ["Marked as stale"] : []),
    ...(flag.staleReason === null ? [] : [describeReason(flag.staleReason)]),
    ...(flag.daysPastLifetime === null
      ? []
      : [`${describeCount(flag.daysPastLifetime, "day")} past its lifetime`]),
  ];
  const [first = "", ...others] = parts;
  return [first, ...others.map(lowerCaseFirst)].join(", ");
}

/** Says what stays in the code when the flag is removed from it. */
export function describeKeep({
  keep: { path, variant },
  staleReason,
}: Pick<CleanupFlag, "keep" | "staleReason">): string {
  if (staleReason?.kind === "unused") return "Nothing asks for it any more";
  switch (path) {
    case "enabled":
      return "Keep the enabled path";
    case "disabled":
      return "Keep the disabled path";
    case "variant":
      return `Keep variant “${variant ?? ""}”`;
    case "unknown":
      return "Not known which path to keep";
    default:
      return path satisfies never;
  }
}

/** Names the applications that used a flag last, for example "shop, blog and 3 others"; empty if none is known. */
export function describeUsers({
  applications,
  applicationCount,
}: Pick<NonNullable<CleanupFlag["lastUse"]>, "applicationCount" | "applications">): string {
  const others = applicationCount - applications.length;
  return joinWithAnd([...applications, ...(others > 0 ? [describeCount(others, "other")] : [])]);
}

const STAGES = {
  initial: "Not used yet",
  "pre-live": "Used, but not yet in production",
  live: "Live in production",
  completed: "Completed",
  archived: "Archived",
} as const;

/** Names the stage of a flag. */
export function describeStage({ stage, status }: Flag["lifecycle"]): string {
  return status === undefined ? STAGES[stage] : `${STAGES[stage]}: ${STATUSES[status]}`;
}
