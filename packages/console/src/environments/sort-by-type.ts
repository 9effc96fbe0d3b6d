interface Sorted {
  readonly name: string;
  readonly type: string;
  readonly sortOrder: number;
}

/** From where changes are tried to where they affect real users. Types of their own come before production. */
const ORDER: readonly string[] = ["development", "test", "preproduction"];

/** Sorts environments by how close they are to production, and then in the order that admins have chosen. */
export function sortByType<Item extends Sorted>(environments: readonly Item[]): readonly Item[] {
  return environments.toSorted(
    (a, b) => stageOf(a) - stageOf(b) || a.sortOrder - b.sortOrder || (a.name < b.name ? -1 : 1),
  );
}

function stageOf({ type }: Sorted): number {
  if (type === "production") return ORDER.length + 1;
  const stage = ORDER.indexOf(type);
  return stage === -1 ? ORDER.length : stage;
}
