// The text of reports such as those of `flags-proxy check` and `flags-admin check`.

/** A line of a section. One without a text is omitted. */
export type ReportRow = readonly [label: string, text: string | undefined];

/** Formats a section of a report: its heading, its rows, and an empty line. */
export function formatSection(heading: string, rows: readonly ReportRow[]): readonly string[] {
  const shown = rows.filter(([, text]) => text !== undefined && text !== "");
  const width = Math.max(...shown.map(([label]) => label.length));
  return [heading, ...shown.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`), ""];
}

interface Findings {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** @param usable what is possible without problems, such as `the service can start` */
export function formatFindings(
  { problems, warnings }: Findings,
  usable: string,
): readonly string[] {
  const warned = warnings.length === 0 ? "" : `, ${describeCount(warnings.length, "warning")}`;
  const summary =
    problems.length > 0
      ? `Not usable: ${describeCount(problems.length, "problem")}`
      : `Usable: ${usable}`;
  return [
    ...formatList("Warnings", warnings),
    ...formatList("Problems", problems),
    summary + warned,
  ];
}

function formatList(heading: string, items: readonly string[]): readonly string[] {
  if (items.length === 0) return [];
  return [heading, ...items.map((item) => `  - ${item}`), ""];
}

function describeCount(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
