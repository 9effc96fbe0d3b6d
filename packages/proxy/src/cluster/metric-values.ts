import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from "prom-client";

/** The metrics of one process at one moment, as they cross from process to process. */
export type MetricValues = readonly MetricObjectWithValues<MetricValue<string>>[];

/** Kinds that only ever grow: what a process counted remains true when it is gone. */
const LASTING: ReadonlySet<unknown> = new Set(["counter", "histogram"]);

/** The metrics of several processes as those of one. */
export function aggregate(processes: readonly MetricValues[]) {
  return AggregatorRegistry.aggregate(processes.map((values) => values.map(withAggregator)));
}

/** What remains of the metrics of processes that have ended. */
export async function lastingOf(processes: readonly MetricValues[]): Promise<MetricValues> {
  const values = await aggregate(processes).getMetricsAsJSON();
  return values.filter(({ type }) => LASTING.has(type));
}

/** The library leaves out when processes started; the first of them is when the whole did. */
function withAggregator(metric: MetricValues[number]): MetricValues[number] {
  if (metric.name !== "process_start_time_seconds") return metric;
  return { ...metric, aggregator: "min" };
}
