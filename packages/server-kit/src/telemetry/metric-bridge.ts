import { type Attributes, type HrTime, ValueType } from "@opentelemetry/api";
import { millisToHrTime } from "@opentelemetry/core";
import { emptyResource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  type CollectionResult,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from "@opentelemetry/sdk-metrics";
import type { MetricObjectWithValues, MetricValue } from "prom-client";
import { NO_ROUTE } from "../http/server-defaults.ts";
import type { ExportedMetrics } from "./telemetry.ts";

type PrometheusMetric = MetricObjectWithValues<MetricValue<string>>;

interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

interface HistogramValue extends MetricValue<string> {
  readonly metricName?: string;
}

/** Metrics of a Prometheus registry under their names, and `http.server.request.duration` of the conventions. */
export class MetricBridge implements MetricProducer {
  readonly #scope: CollectionResult["resourceMetrics"]["scopeMetrics"][number]["scope"];
  readonly #startTime = millisToHrTime(performance.timeOrigin);
  #metrics: ExportedMetrics | undefined;

  constructor(scope: { readonly name: string; readonly version: string }) {
    this.#scope = scope;
  }

  connect(metrics: ExportedMetrics): void {
    this.#metrics = metrics;
  }

  async collect(): Promise<CollectionResult> {
    const metrics = this.#metrics === undefined ? [] : await this.#read(this.#metrics);
    const scopeMetrics = metrics.length === 0 ? [] : [{ scope: this.#scope, metrics }];
    return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] };
  }

  async #read({ registry, requests }: ExportedMetrics): Promise<MetricData[]> {
    const values = (await registry.getMetricsAsJSON()) as readonly PrometheusMetric[];
    const times = { startTime: this.#startTime, endTime: millisToHrTime(Date.now()) };
    const durations = (await requests.durations.get()) as PrometheusMetric;
    return [
      ...values.flatMap((metric) => toMetricData(metric, times)),
      ...(durations.values.length === 0 ? [] : [toDurationData(durations, times)]),
    ];
  }
}

function toMetricData(metric: PrometheusMetric, times: Times): readonly MetricData[] {
  const { name, help, values } = metric;
  const common = describe(name, help);
  // NOTE: the library returns names although its types promise numbers.
  switch (String(metric.type)) {
    case "counter": {
      const dataPoints = toPoints(values, times);
      return [{ ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }];
    }
    case "gauge":
      return [
        { ...common, dataPointType: DataPointType.GAUGE, dataPoints: toPoints(values, times) },
      ];
    case "histogram": {
      const dataPoints = toHistograms(metric, times);
      return [{ ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints }];
    }
    default:
      return [];
  }
}

function describe(name: string, description: string, unit = "") {
  return {
    descriptor: { name, description, unit, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
}

function toPoints(values: readonly MetricValue<string>[], times: Times): DataPoint<number>[] {
  return values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ labels, value }) => ({ ...times, attributes: toAttributes(labels), value }));
}

function toAttributes(labels: Partial<Record<string, string | number>>): Attributes {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));
}

function toHistograms({ name, values }: PrometheusMetric, times: Times): DataPoint<Histogram>[] {
  const groups = new Map<string, HistogramValue[]>();
  for (const value of values as readonly HistogramValue[]) {
    const { le: _le, ...labels } = value.labels;
    const key = JSON.stringify(labels);
    groups.set(key, [...(groups.get(key) ?? []), value]);
  }
  return [...groups].map(([key, group]) => {
    const find = (suffix: string): number =>
      group.find(({ metricName }) => metricName === `${name}_${suffix}`)?.value ?? 0;
    const buckets = group.filter(({ labels }) => labels["le"] !== undefined);
    const cumulative = buckets.map(({ value }) => value);
    return {
      ...times,
      attributes: toAttributes(JSON.parse(key) as Record<string, string>),
      value: {
        buckets: {
          boundaries: buckets.map(({ labels }) => Number(labels["le"])).filter(Number.isFinite),
          counts: cumulative.map((value, index) => value - (cumulative[index - 1] ?? 0)),
        },
        sum: find("sum"),
        count: find("count"),
      },
    };
  });
}

function toDurationData(durations: PrometheusMetric, times: Times): MetricData {
  return {
    ...describe("http.server.request.duration", "Duration of HTTP server requests", "s"),
    dataPointType: DataPointType.HISTOGRAM,
    dataPoints: toHistograms(durations, times).map((point) => {
      const { method, route, status } = point.attributes;
      return {
        ...point,
        attributes: {
          "http.request.method": method,
          ...(route !== NO_ROUTE && { "http.route": route }),
          "http.response.status_code": Number(status),
        },
      };
    }),
  };
}
