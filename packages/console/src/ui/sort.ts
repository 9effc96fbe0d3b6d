/** An order of a list: the id of a column, after a minus if it is descending. Empty for the usual order. */
export type Sort = string;

interface SortableColumn<Row> {
  readonly id: string;
  /** What rows are sorted by. Undefined comes first. */
  readonly sortBy?: (row: Row) => string | number | null | undefined;
}

/** Returns the rows in the order; as they are if no column has it. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly SortableColumn<Row>[],
  sort: Sort,
): readonly Row[] {
  const { id, isDescending } = parseSort(sort);
  const sortBy = columns.find((column) => column.id === id)?.sortBy;
  if (sortBy === undefined) return rows;
  const direction = isDescending ? -1 : 1;
  return rows
    .map((row) => ({ row, key: sortBy(row) ?? "" }))
    .toSorted((a, b) => direction * compareKeys(a.key, b.key))
    .map(({ row }) => row);
}

export function parseSort(sort: Sort): { readonly id: string; readonly isDescending: boolean } {
  const isDescending = sort.startsWith("-");
  return { id: isDescending ? sort.slice(1) : sort, isDescending };
}

/** NOTE: compares code units, because a comparison by locale takes 50 ms for 5,000 flags. */
export function compareKeys(a: string | number, b: string | number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
