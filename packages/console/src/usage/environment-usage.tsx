import { abbreviateCount, formatCount, formatShare } from "../ui/numbers.ts";
import { BarChart } from "./bar-chart.tsx";
import {
  formatSpan,
  sumBars,
  toLayers,
  toOnAndOff,
  type Bar,
  type Series,
} from "./usage-series.ts";

/** What the bars are divided into. */
export type Division = "application" | "result" | "variant";

interface EnvironmentUsageProps {
  readonly environment: string;
  readonly bars: readonly Bar[];
  readonly division: Division;
  /** Shows numbers instead of bars. */
  readonly isTable: boolean;
}

/** The usage of a flag in one environment. */
export function EnvironmentUsage({ environment, bars, division, isTable }: EnvironmentUsageProps) {
  const { yes, no } = sumBars(bars);
  const series = toSeries(bars, division);
  const label = `Evaluations in ${environment}, by ${division}`;
  return (
    <section className="card card-body" aria-labelledby={`usage-${environment}`}>
      <header className="usage-header">
        <h2 id={`usage-${environment}`}>{environment}</h2>
        <p className="usage-sums">
          <Sum label="on" count={yes} /> <Sum label="off" count={no} />
          {yes + no === 0 ? null : (
            <span className="muted">{formatShare(yes, yes + no)} of the evaluations are on</span>
          )}
        </p>
      </header>
      {series.length === 0 ? (
        <p className="muted">
          {division === "variant"
            ? "No application reported a variant in this period."
            : "No application evaluated the flag in this period."}
        </p>
      ) : isTable ? (
        <UsageTable label={label} bars={bars} series={series} />
      ) : (
        <BarChart label={label} bars={bars} series={series} />
      )}
    </section>
  );
}

function toSeries(bars: readonly Bar[], division: Division): readonly Series[] {
  if (division === "result") return toOnAndOff(bars);
  return toLayers(bars, division === "variant" ? "variants" : "applications");
}

/** A number, abbreviated if it is large. Pointing at it shows all digits, which screen readers also read. */
function Sum({ label, count }: { readonly label: string; readonly count: number }) {
  const exact = `${formatCount(count)} times ${label}`;
  return (
    <span title={exact}>
      <strong aria-hidden>{abbreviateCount(count)}</strong> <span aria-hidden>× {label}</span>
      <span className="visually-hidden">{exact}</span>
    </span>
  );
}

interface UsageTableProps {
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly series: readonly Series[];
}

/** The numbers of a chart, the latest first. Times without usage are omitted. */
function UsageTable({ label, bars, series }: UsageTableProps) {
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
