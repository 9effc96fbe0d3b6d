import type { ImportItem, ImportReport } from "../api/types.ts";
import { describeCount } from "../ui/numbers.ts";

type Effect = ImportItem["effect"];

/** In the order in which people should read them. */
export const EFFECTS: Readonly<
  Record<Effect, { label: string; kind: "accent" | "good" | "neutral" | "warning"; choice: string }>
> = {
  conflict: { label: "conflict", kind: "warning", choice: "Conflicts" },
  created: { label: "new", kind: "good", choice: "New" },
  updated: { label: "changed", kind: "accent", choice: "Changed" },
  unchanged: { label: "unchanged", kind: "neutral", choice: "Unchanged" },
  "left out": { label: "left out", kind: "neutral", choice: "Left out" },
};

const ORDER = Object.keys(EFFECTS);

/** Sorts items by their effects, flags first. */
export function sortItems(items: readonly ImportItem[]): readonly ImportItem[] {
  return items.toSorted((a, b) => rankOf(a) - rankOf(b));
}

function rankOf({ effect, kind }: ImportItem): number {
  return ORDER.indexOf(effect) * 2 + (kind === "flag" ? 0 : 1);
}

export function countFlags(items: readonly ImportItem[], ...effects: readonly Effect[]): number {
  return items.filter(({ kind, effect }) => kind === "flag" && effects.includes(effect)).length;
}

/** Lists what an import has not imported. */
export function listMissing({ items }: ImportReport): readonly ImportItem[] {
  return sortItems(items).filter(({ effect }) => effect === "conflict" || effect === "left out");
}

/** Whether an import would change anything. */
export function hasChanges({ items }: ImportReport): boolean {
  return items.some(({ effect }) => effect === "created" || effect === "updated");
}

/** Says what an import would do to flags, and what else it would change. */
export function describeEffects({ items }: ImportReport): string {
  const same = countFlags(items, "unchanged");
  const conflicts = items.filter(({ effect }) => effect === "conflict").length;
  if (!hasChanges({ items } as ImportReport)) {
    const state = conflicts > 0 ? describeConflicts(conflicts) : "";
    return `There is nothing to import. ${describeCount(same, "flag")} in the file ${same === 1 ? "is" : "are"} already the same here. ${state}`.trimEnd();
  }
  const flags = [
    describeCount(countFlags(items, "created"), "new flag"),
    describeCount(countFlags(items, "updated"), "changed flag"),
    describeCount(same, "unchanged flag"),
  ].join(", ");
  const others = new Map<string, number>();
  for (const { kind, effect } of items) {
    if (kind === "flag" || (effect !== "created" && effect !== "updated")) continue;
    const words = `${EFFECTS[effect].label} ${kind}`;
    others.set(words, (others.get(words) ?? 0) + 1);
  }
  const more = Array.from(others, ([words, count]) => describeCount(count, words)).join(", ");
  return [
    `${flags}.`,
    ...(more === "" ? [] : [`Also ${more}.`]),
    ...(conflicts === 0 ? [] : [describeConflicts(conflicts)]),
  ].join(" ");
}

function describeConflicts(count: number): string {
  return count === 1
    ? "1 conflict, which stays as it is here."
    : `${describeCount(count, "conflict")}, which stay as they are here.`;
}

/** Whether an import has to be approved: undefined if not, and "never" if it cannot be requested either. */
export function approvalOf({
  items,
  requiresApprovals,
}: ImportReport): "never" | "review" | undefined {
  if (requiresApprovals === undefined) return undefined;
  const projects = items.filter(({ kind, effect }) => kind === "project" && effect !== "left out");
  // A change request is about one project.
  return projects.length > 1 ? "never" : "review";
}

/** Says what approvals mean for an import; undefined if it requires none. */
export function describeApproval(report: ImportReport): string | undefined {
  const { requiresApprovals: place } = report;
  if (place === undefined) return undefined;
  const rule = `Changes in ${place.environment} of the project ${place.project} require ${describeCount(place.approvals, "approval")}`;
  return approvalOf(report) === "never"
    ? `${rule}, and a change request is about one project: import the projects one by one.`
    : `${rule}, so nothing changes yet: the import becomes a change request.`;
}
