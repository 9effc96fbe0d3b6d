/** The one row that a statement with `returning` must have. */
export function firstRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new TypeError("A statement that returns a row returned none");
  return row;
}
