import type { FlagSummary } from "../api/types.ts";
import { toTagText } from "../tags/tag-text.ts";
import { matchesWords, toWords } from "../ui/words.ts";

export type SortColumn = "name" | "createdAt" | "lastSeenAt";

/** Which flags a list shows and in which order. */
export interface FlagFilter {
  /** Words that the name, the description or a tag contains, all of them. */
  readonly query: string;
  /** Empty for all types. */
  readonly type: string;
  /** `type:value`; empty for all. */
  readonly tag: string;
  readonly state: "all" | "active" | "stale";
  readonly sortBy: SortColumn;
  readonly descending: boolean;
}

export const NO_FILTER: FlagFilter = {
  query: "",
  type: "",
  tag: "",
  state: "all",
  sortBy: "name",
  descending: false,
};

/** Returns the flags that match a filter, in its order. */
export function filterFlags(
  flags: readonly FlagSummary[],
  filter: FlagFilter,
): readonly FlagSummary[] {
  const words = toWords(filter.query);
  const direction = filter.descending ? -1 : 1;
  return flags
    .filter(
      (flag) =>
        (filter.type === "" || flag.type === filter.type) &&
        (filter.state === "all" || flag.stale === (filter.state === "stale")) &&
        (filter.tag === "" || flag.tags.some((tag) => toTagText(tag) === filter.tag)) &&
        matchesWords(words, flag.name, flag.description, ...flag.tags.map(toTagText)),
    )
    .toSorted(
      (a, b) =>
        direction * compareText(sortKey(a, filter.sortBy), sortKey(b, filter.sortBy)) ||
        compareText(a.name, b.name),
    );
}

function sortKey(flag: FlagSummary, column: SortColumn): string {
  if (column === "lastSeenAt") return lastSeenAt(flag) ?? "";
  return column === "name" ? flag.name.toLowerCase() : flag.createdAt;
}

/** NOTE: compares code units, because a comparison by locale takes 50 ms for 5,000 flags. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** When an application last evaluated the flag in any environment; undefined if none did. */
export function lastSeenAt({
  environments,
}: Pick<FlagSummary, "environments">): string | undefined {
  return environments
    .flatMap(({ lastSeenAt }) => lastSeenAt ?? [])
    .toSorted(compareText)
    .at(-1);
}
