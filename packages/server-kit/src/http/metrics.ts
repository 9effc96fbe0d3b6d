import {
  type Aggregator,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  Registry,
} from "prom-client";
import type { ConnectionGuard } from "./connection-guard.ts";

const DURATION_BOUNDS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5];

interface ObservedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

export type ObserveRequest = (request: ObservedRequest) => void;

/** NOTE: shared by all apps of a process, because `prom-client` observes garbage collections until the process ends. */
let processMetrics: Registry | undefined;

/** Creates the registry of one app, with the metrics of its process. */
export function createRegistry(prefix: string, displayName: string): Registry {
  if (processMetrics === undefined) {
    processMetrics = new Registry();
    collectDefaultMetrics({ register: processMetrics });
  }
  const registry = Registry.merge([processMetrics]);
  // NOTE: a counter, although it stays 1, because `unleash_proxy_up` of the Unleash proxy, which it replaces, is one.
  new Counter({
    name: `${prefix}_up`,
    help: `1 while ${displayName} runs`,
    registers: [registry],
    // All workers report the same value.
    aggregator: "first",
  }).inc();
  return registry;
}

interface LabelledValue {
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
  readonly value: number;
}

/** Undefined: there is no value, and the metric is absent. */
type Values = number | undefined | Iterable<LabelledValue>;

type Read = () => Values | Promise<Values>;

export class MetricSet {
  readonly #registry: Registry;
  readonly #prefix: string;

  constructor(registry: Registry, prefix?: string) {
    this.#registry = registry;
    this.#prefix = prefix === undefined ? "" : `${prefix}_`;
  }

  /**
   * A gauge whose values are read when metrics are collected.
   *
   * @param aggregator combines the values of all workers; default: their sum
   */
  gauge(
    name: string,
    help: string,
    labelNames: readonly string[],
    read: Read,
    aggregator: Aggregator = "sum",
  ): void {
    void new Gauge({
      ...this.#describe(name, help, labelNames),
      aggregator,
      async collect() {
        const values = await read();
        this.reset();
        if (values === undefined) this.remove();
        for (const { labels, value } of toLabelled(values)) this.set(labels, value);
      },
    });
  }

  /** A counter that something else counts. */
  readCounter(name: string, help: string, labelNames: readonly string[], read: Read): void {
    void new Counter({
      ...this.#describe(name, help, labelNames),
      async collect() {
        const values = await read();
        this.reset();
        for (const { labels, value } of toLabelled(values)) this.inc(labels, value);
      },
    });
  }

  counter<Label extends string = never>(
    name: string,
    help: string,
    labelNames?: readonly Label[],
  ): Counter<Label> {
    return new Counter(this.#describe(name, help, labelNames));
  }

  #describe<Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) {
    return { name: this.#prefix + name, help, labelNames, registers: [this.#registry] };
  }
}

function toLabelled(values: Values): Iterable<LabelledValue> {
  if (values === undefined) return [];
  return typeof values === "number" ? [{ labels: {}, value: values }] : values;
}

type RequestLabel = "method" | "route" | "status";

export interface RequestMetrics {
  readonly observe: ObserveRequest;
  readonly durations: Histogram<RequestLabel>;
}

export function createRequestMetrics(registry: Registry, prefix: string): RequestMetrics {
  const labelNames: RequestLabel[] = ["method", "route", "status"];
  const name = `${prefix}_http_request_duration_seconds`;
  const durations = new Histogram({
    name,
    help: "Time from the arrival of a request to the end of its response",
    labelNames,
    buckets: DURATION_BOUNDS_SECONDS,
    registers: [registry],
  });
  const readCounts = async (): Promise<Iterable<LabelledValue>> => {
    const { values } = await durations.get();
    return values.filter(({ metricName }) => metricName === `${name}_count`);
  };
  const metrics = new MetricSet(registry, prefix);
  metrics.readCounter("http_requests_total", "Completed requests", labelNames, readCounts);
  return {
    observe: ({ seconds, ...labels }) => durations.observe(labels, seconds),
    durations,
  };
}

export function observeConnections(
  registry: Registry,
  prefix: string,
  guard: Pick<ConnectionGuard, "size" | "maxConnections" | "closed">,
): void {
  const metrics = new MetricSet(registry, prefix);
  metrics.gauge("connections", "Open connections", [], () => guard.size);
  metrics.gauge(
    "connections_max",
    "Maximum number of open connections",
    [],
    () => guard.maxConnections,
  );
  metrics.readCounter(
    "connections_closed_total",
    "Connections closed by the server: new ones at the limit (limit), idle ones and ones with slow requests to " +
      "accept others (idle), responses that were not read in time or used too much memory (slow_reader), too many " +
      "pipelined requests (pipelining)",
    ["reason"],
    () => byReason(guard.closed),
  );
}

export function byReason(counts: Readonly<Record<string, number>>): Iterable<LabelledValue> {
  return Object.entries(counts).map(([reason, value]) => ({ labels: { reason }, value }));
}
