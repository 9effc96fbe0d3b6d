const DELIMITERS = [",", ";", "\t"] as const;

/**
 * Reads the rows of a CSV file (RFC 4180). The delimiter can also be a semicolon or a tab, as spreadsheets write them in
 * some countries. Rows without any text are left out.
 */
export function parseTable(text: string): readonly (readonly string[])[] {
  const delimiter = findDelimiter(text);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let isQuoted = false;
  const endCell = (): void => {
    row.push(cell.trim());
    cell = "";
  };
  const endRow = (): void => {
    endCell();
    if (row.some((value) => value !== "")) rows.push(row);
    row = [];
  };
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '"') {
      // Two quotes within quotes are one that belongs to the text.
      const isEscaped = isQuoted && text.charAt(index + 1) === '"';
      if (isEscaped) index += 1;
      if (isEscaped || (!isQuoted && cell.trim() !== "")) cell += '"';
      else isQuoted = !isQuoted;
    } else if (isQuoted) cell += character;
    else if (character === delimiter) endCell();
    else if (character === "\n" || character === "\r") endRow();
    else cell += character;
  }
  endRow();
  return rows;
}

/** Returns the delimiter that is most frequent in the first line. */
function findDelimiter(text: string): string {
  const line = text.trimStart().split(/[\r\n]/, 1)[0] ?? "";
  const unquoted = line.replaceAll(/"[^"]*"/g, "");
  const counts = DELIMITERS.map((delimiter) => unquoted.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ",";
}

/** Returns the distinct values of a column, in the order of the rows. */
export function columnOf(rows: readonly (readonly string[])[], column: number): readonly string[] {
  return [...new Set(rows.map((row) => row[column] ?? ""))].filter((value) => value !== "");
}
