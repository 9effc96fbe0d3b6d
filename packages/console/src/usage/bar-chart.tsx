import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { abbreviateCount, formatCount } from "../ui/numbers.ts";
import {
  formatEnd,
  formatSpan,
  formatTick,
  toRoundMaximum,
  type Bar,
  type Series,
} from "./usage-series.ts";
import "./bar-chart.css";

// The units of the drawing. It has the width of the page, so it contains no text.
const WIDTH = 1000;
const HEIGHT = 100;
const GAP = 0.18;
const GRID = [0, 0.25, 0.5, 0.75, 1];

/** How many places on the time axis have a label. */
const TICKS = 4;

interface BarChartProps {
  /** What the bars show, for screen readers. */
  readonly label: string;
  readonly bars: readonly Bar[];
  /** The layers, from the bottom to the top. */
  readonly series: readonly Series[];
}

/** Stacked bars over time. The pointer and the arrow keys show the numbers of one bar. */
export function BarChart({ label, bars, series }: BarChartProps) {
  const [selected, setSelected] = useState<number | null>(null);
  const totals = bars.map((_, index) => series.reduce((sum, one) => sum + valueAt(one, index), 0));
  const maximum = toRoundMaximum(Math.max(0, ...totals));
  const last = bars.length - 1;

  const onKeyDown = (event: KeyboardEvent): void => {
    const next = targetOf(event.key, selected ?? last + 1, last);
    if (next === undefined) return;
    event.preventDefault();
    setSelected(next);
  };
  const onPointerMove = ({ clientX, currentTarget }: PointerEvent): void => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const index = Math.floor(((clientX - left) / width) * bars.length);
    setSelected(Math.min(Math.max(index, 0), last));
  };
  const bar = selected === null ? undefined : bars[selected];
  return (
    <figure className="chart">
      <div className="chart-plot">
        <div className="chart-axis" aria-hidden>
          {GRID.map((part) => (
            <span key={part} style={{ bottom: `${part * 100}%` }}>
              {abbreviateCount(part * maximum)}
            </span>
          ))}
        </div>
        <div
          className="chart-bars"
          role="slider"
          tabIndex={0}
          aria-label={`${label}. Arrow keys choose a time`}
          aria-valuemin={0}
          aria-valuemax={last}
          aria-valuenow={selected ?? last}
          aria-valuetext={describeBar(selected ?? last, bars, series)}
          onKeyDown={onKeyDown}
          onFocus={() => setSelected(selected ?? last)}
          onBlur={() => setSelected(null)}
          onPointerMove={onPointerMove}
          onPointerLeave={() => setSelected(null)}
        >
          <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden>
            {GRID.map((part) => (
              <line
                key={part}
                className="chart-grid"
                x2={WIDTH}
                y1={HEIGHT * (1 - part)}
                y2={HEIGHT * (1 - part)}
              />
            ))}
            <Stacks bars={bars} series={series} maximum={maximum} selected={selected} />
          </svg>
          {bar === undefined || selected === null ? null : (
            <div
              className={selected > bars.length / 2 ? "chart-tip chart-tip-left" : "chart-tip"}
              style={{ left: `${((selected + 0.5) / bars.length) * 100}%` }}
              aria-hidden
            >
              <strong>{formatSpan(bar)}</strong>
              {series.map((one, index) => (
                <span key={one.label} className="chart-tip-row">
                  <span className={`chart-key chart-fill-${index + 1}`} />
                  {one.label}
                  <span className="chart-tip-value">{formatCount(valueAt(one, selected))}</span>
                </span>
              ))}
            </div>
          )}
        </div>
      </div>
      <TimeAxis bars={bars} />
      <figcaption className="chart-legend">
        {series.map((one, index) => (
          <span key={one.label}>
            <span className={`chart-key chart-fill-${index + 1}`} aria-hidden /> {one.label}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

interface StacksProps extends Pick<BarChartProps, "bars" | "series"> {
  readonly maximum: number;
  readonly selected: number | null;
}

function Stacks({ bars, series, maximum, selected }: StacksProps) {
  const width = WIDTH / bars.length;
  return bars.map(({ startMs }, index) => {
    let top = HEIGHT;
    return (
      <g key={startMs} className={selected === index ? "chart-bar-selected" : undefined}>
        {selected === index ? (
          <rect className="chart-band" x={index * width} width={width} height={HEIGHT} />
        ) : null}
        {series.map((one, layer) => {
          const height = (valueAt(one, index) / maximum) * HEIGHT;
          top -= height;
          return height === 0 ? null : (
            <rect
              key={one.label}
              className={`chart-fill-${layer + 1}`}
              x={(index + GAP / 2) * width}
              y={top}
              width={width * (1 - GAP)}
              height={height}
            />
          );
        })}
      </g>
    );
  });
}

function TimeAxis({ bars }: Pick<BarChartProps, "bars">) {
  const shown = Array.from(
    { length: TICKS },
    (_, index) => bars[Math.round((index * bars.length) / TICKS)],
  ).filter((bar) => bar !== undefined);
  const last = bars.at(-1);
  return (
    <div className="chart-times" aria-hidden>
      {shown.map((bar) => (
        <span key={bar.startMs}>{formatTick(bar)}</span>
      ))}
      <span>{last === undefined ? "" : formatEnd(last)}</span>
    </div>
  );
}

function valueAt({ values }: Series, index: number): number {
  return values[index] ?? 0;
}

/** Returns the bar that a key leads to; undefined for other keys. */
function targetOf(key: string, from: number, last: number): number | undefined {
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return Math.max(0, from - 1);
    case "ArrowRight":
    case "ArrowUp":
      return Math.min(last, from + 1);
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return undefined;
  }
}

function describeBar(index: number, bars: readonly Bar[], series: readonly Series[]): string {
  const bar = bars[index];
  if (bar === undefined) return "";
  const values = series.map((one) => `${one.label} ${formatCount(valueAt(one, index))}`);
  return `${formatSpan(bar)}: ${values.join(", ")}`;
}
