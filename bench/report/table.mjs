/** Objects with the same fields as a Markdown table. */
export function toTable(rows) {
  if (rows.length === 0) return "nothing to show";
  const columns = Object.keys(rows[0]);
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column])))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index].length)));
  const [head, ...body] = cells.map((line) => toLine(line, widths));
  return [head, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...body].join("\n");
}

function toLine(cells, widths) {
  return `| ${cells.map((cell, index) => cell.padEnd(widths[index])).join(" | ")} |`;
}
