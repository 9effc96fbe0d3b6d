/** Returns the list with some entries moved before or after another one. They keep their order. */
export function moveEntries<Entry>(
  entries: readonly Entry[],
  moved: ReadonlySet<Entry>,
  target: { readonly entry: Entry; readonly position: "before" | "after" },
): readonly Entry[] {
  if (moved.has(target.entry)) return entries;
  const rest = entries.filter((entry) => !moved.has(entry));
  const index = rest.indexOf(target.entry) + (target.position === "after" ? 1 : 0);
  return rest.toSpliced(index, 0, ...entries.filter((entry) => moved.has(entry)));
}
