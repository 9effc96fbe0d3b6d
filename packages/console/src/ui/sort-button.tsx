import { ArrowDown, ArrowUp } from "lucide-react";
import { parseSort, type Sort } from "./sort.ts";
import "./sort-button.css";

interface SortButtonProps {
  readonly column: string;
  readonly label: string;
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
  /** Whether the first click sorts from the largest or latest value. @default false */
  readonly startsDescending?: boolean;
}

/** The heading of a column that sorts a list. */
export function SortButton({
  column,
  label,
  sort,
  onSort,
  startsDescending = false,
}: SortButtonProps) {
  const { id, isDescending } = parseSort(sort);
  const isSorted = id === column;
  const Arrow = isDescending ? ArrowDown : ArrowUp;
  const descends = isSorted ? !isDescending : startsDescending;
  return (
    <button type="button" className="sort" onClick={() => onSort(descends ? `-${column}` : column)}>
      {label}
      {isSorted ? <Arrow aria-hidden /> : null}
    </button>
  );
}

/** How a list is sorted by a column, for screen readers. */
export function ariaSort(column: string, sort: Sort): "ascending" | "descending" | "none" {
  const { id, isDescending } = parseSort(sort);
  if (id !== column) return "none";
  return isDescending ? "descending" : "ascending";
}
