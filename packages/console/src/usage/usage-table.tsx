import { formatCount } from "../ui/numbers.ts";
import { formatSpan } from "./format-time.ts";
import type { Bar, Series } from "./usage-series.ts";

interface UsageTableProps {
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly series: readonly Series[];
}

/** The numbers of a chart, the latest first. Times without usage are left out. */
export function UsageTable({ label, bars, series }: UsageTableProps) {
  const rows = bars
    .map((bar, index) => ({ bar, values: series.map(({ values }) => values[index] ?? 0) }))
    .filter(({ values }) => values.some((value) => value > 0))
    .toReversed();
  return (
    <div className="table-scroll" role="region" aria-label={label} tabIndex={0}>
      <table className="table usage-table">
        <caption className="visually-hidden">{label}</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map((one) => (
              <th key={one.label} scope="col" className="usage-number">
                {one.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ bar, values }) => (
            <tr key={bar.startMs}>
              <th scope="row">{formatSpan(bar)}</th>
              {values.map((value, index) => (
                <td key={series[index]?.label} className="usage-number">
                  {formatCount(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
