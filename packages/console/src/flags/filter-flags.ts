import type { FlagSummary } from "../api/types.ts";
import { toTagText } from "../tags/tag-text.ts";
import type { ListState } from "../ui/list-search.ts";
import { compareKeys, parseSort } from "../ui/sort.ts";
import { matchesWords, toWords } from "../ui/words.ts";

/** Which flags a list shows and in which order. Empty text matches everything. */
export const FLAG_FIELDS = {
  /** Words that the name, the description or a tag contains, all of them. */
  query: "",
  type: "",
  /** `type:value`. */
  tag: "",
  state: ["all", "active", "potentially-stale", "stale"],
  sort: ["name", "-name", "createdAt", "-createdAt", "lastSeenAt", "-lastSeenAt"],
} as const;

export type FlagFilter = ListState<typeof FLAG_FIELDS>;

/** Returns the flags that match a filter, in its order, the favourites of the user first. */
export function filterFlags(
  flags: readonly FlagSummary[],
  filter: FlagFilter,
): readonly FlagSummary[] {
  const words = toWords(filter.query);
  const { id, isDescending } = parseSort(filter.sort);
  const direction = isDescending ? -1 : 1;
  return flags
    .filter(
      (flag) =>
        (filter.type === "" || flag.type === filter.type) &&
        (filter.state === "all" || stateOf(flag) === filter.state) &&
        (filter.tag === "" || flag.tags.some((tag) => toTagText(tag) === filter.tag)) &&
        matchesWords(words, flag.name, flag.description, ...flag.tags.map(toTagText)),
    )
    .toSorted(
      (a, b) =>
        Number(b.favorite) - Number(a.favorite) ||
        direction * compareKeys(sortKey(a, id), sortKey(b, id)) ||
        compareKeys(a.name, b.name),
    );
}

function stateOf({ stale, potentiallyStale }: FlagSummary): FlagFilter["state"] {
  if (stale) return "stale";
  return potentiallyStale ? "potentially-stale" : "active";
}

function sortKey(flag: FlagSummary, column: string): string {
  if (column === "lastSeenAt") return lastSeenAt(flag) ?? "";
  return column === "createdAt" ? flag.createdAt : flag.name.toLowerCase();
}

/** When an application last evaluated the flag in any environment; undefined if none did. */
export function lastSeenAt({
  environments,
}: Pick<FlagSummary, "environments">): string | undefined {
  return environments
    .flatMap(({ lastSeenAt }) => lastSeenAt ?? [])
    .toSorted(compareKeys)
    .at(-1);
}
