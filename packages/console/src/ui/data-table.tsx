import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useLayoutEffect, useMemo, useRef, useState } from "react";
import { sortRows, type Sort } from "./sort.ts";
import { ariaSort, SortButton } from "./sort-button.tsx";
import "./data-table.css";

export interface Column<Row> {
  readonly id: string;
  /** The heading. On narrow screens it is shown next to the value. */
  readonly header: string;
  /** Shown instead of the heading, for example a checkbox. On narrow screens, above the rows with the heading. */
  readonly headerContent?: ReactNode;
  /** Whether only screen readers read the heading. @default false */
  readonly hidesHeader?: boolean;
  readonly cell: (row: Row) => ReactNode;
  /** What the rows can be sorted by, if the table has an order. Undefined comes first. */
  readonly sortBy?: (row: Row) => string | number | null | undefined;
  /** Whether the first click sorts from the largest or latest value. @default false */
  readonly startsDescending?: boolean;
  /** Width as in CSS. Columns without a width share the rest. */
  readonly width?: string;
  /** Whether the cell names its row. At least one column has to. @default false */
  readonly isRowHeader?: boolean;
}

interface DataTableProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Which rows come before the others, in any order. NOTE: a constant. @default none */
  readonly isFirst?: (row: Row) => boolean;
  /** The order. Without it, the headings do not sort. */
  readonly sort?: Sort;
  readonly onSort?: (sort: Sort) => void;
}

/** Height of a row in pixels until it has been measured. */
const ESTIMATED_HEIGHT = 57;
/** Rows outside of the window that are rendered, so that fast scrolling shows no gaps. */
const OVERSCAN = 15;

/**
 * A table that scrolls with the page. Only the visible rows are rendered, so that it can have thousands. On
 * narrow screens each row is shown as a block with one line for each value.
 */
export function DataTable<Row>({
  label,
  columns,
  rows: unsorted,
  keyOf,
  isFirst,
  sort = "",
  onSort,
}: DataTableProps<Row>) {
  const rows = useMemo(() => {
    const sorted = sortRows(unsorted, columns, sort);
    if (isFirst === undefined) return sorted;
    return sorted.toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)));
  }, [unsorted, columns, sort, isFirst]);
  const body = useRef<HTMLTableSectionElement>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    const measure = (): void => {
      setOffset(Math.round((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY));
    };
    measure();
    // What is above the table can grow.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);
  const visible = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ESTIMATED_HEIGHT,
    overscan: OVERSCAN,
    scrollMargin: offset,
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : keyOf(row);
    },
  });
  const items = visible.getVirtualItems();
  const above = (items[0]?.start ?? offset) - offset;
  const below = visible.getTotalSize() - ((items.at(-1)?.end ?? offset) - offset);
  return (
    <div className="card data-table-frame">
      <table className="table data-table" aria-label={label} aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            {columns.map(({ id, header, width, headerContent, sortBy, ...column }) => (
              <th
                key={id}
                scope="col"
                {...(width !== undefined && { style: { width } })}
                {...(headerContent !== undefined && {
                  className: "data-header-control",
                  "data-label": header,
                })}
                {...(sortBy !== undefined &&
                  onSort !== undefined && { "aria-sort": ariaSort(id, sort) })}
              >
                {sortBy === undefined || onSort === undefined ? (
                  (headerContent ??
                  (column.hidesHeader === true ? (
                    <span className="visually-hidden">{header}</span>
                  ) : (
                    header
                  )))
                ) : (
                  <SortButton
                    column={id}
                    label={header}
                    sort={sort}
                    onSort={onSort}
                    startsDescending={column.startsDescending ?? false}
                  />
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          <Gap height={above} span={columns.length} />
          {items.map(({ index, key }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <tr
                key={String(key)}
                data-index={index}
                aria-rowindex={index + 2}
                ref={visible.measureElement}
              >
                {columns.map((column) => (
                  <Cell key={column.id} column={column} row={row} />
                ))}
              </tr>
            );
          })}
          <Gap height={below} span={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

interface CellProps<Row> {
  readonly column: Column<Row>;
  readonly row: Row;
}

function Cell<Row>({ column, row }: CellProps<Row>) {
  const { header, hidesHeader = false, headerContent, isRowHeader = false, cell } = column;
  if (isRowHeader) return <th scope="row">{cell(row)}</th>;
  const hasLabel = !hidesHeader && headerContent === undefined;
  return (
    <td
      className={hasLabel ? "data-value" : "data-control"}
      {...(hasLabel && { "data-label": header })}
    >
      {cell(row)}
    </td>
  );
}

/** The rows that are not rendered. */
function Gap({ height, span }: { readonly height: number; readonly span: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden className="data-gap">
      <td colSpan={span} style={{ height }} />
    </tr>
  );
}
