import { groupBy } from "../../storage/database.ts";
import { type Effect, EFFECTS, type ImportItem, type ImportReport } from "./bundle.ts";

const HEADINGS: Readonly<Record<Effect, string>> = {
  created: "New",
  updated: "Changed",
  unchanged: "Unchanged",
  conflict: "Conflicts, which stay as they are here",
  "left out": "Left out",
};

/** Describes an import in lines of text. Unchanged items are only counted. */
export function describeReport({ source, items }: ImportReport): string {
  const byEffect = groupBy(items, ({ effect }) => effect);
  const parts = EFFECTS.flatMap((effect) => {
    const own = byEffect.get(effect) ?? [];
    if (own.length === 0) return [];
    if (effect === "unchanged") return [`${HEADINGS[effect]}: ${countKinds(own)}`];
    return [`${HEADINGS[effect]}:`, ...own.map(describeItem)];
  });
  return `${[source, ...parts].join("\n")}\n`;
}

/** Whether an import changes anything. */
export function hasChanges({ items }: ImportReport): boolean {
  return items.some(({ effect }) => effect === "created" || effect === "updated");
}

function describeItem({ kind, name, project, reason }: ImportItem): string {
  const words = [kind, ...(name === "" ? [] : [name])].join(" ");
  const place = project === undefined ? "" : ` (${project})`;
  return `  ${words}${place}${reason === undefined ? "" : `: ${reason}`}`;
}

/** Counts items by kind, such as `2 environments, 1 flag`. */
function countKinds(items: readonly ImportItem[]): string {
  return Array.from(
    groupBy(items, ({ kind }) => kind),
    ([kind, { length }]) => `${length} ${kind}${length === 1 || kind.endsWith("s") ? "" : "s"}`,
  ).join(", ");
}
