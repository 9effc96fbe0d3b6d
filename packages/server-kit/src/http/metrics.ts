import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  type MetricConfiguration,
  Registry,
} from "prom-client";
import type { ConnectionGuard } from "./connection-guard.ts";

const DURATION_BOUNDS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5];

/** A request that has been responded to. */
interface ObservedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

export type ObserveRequest = (request: ObservedRequest) => void;

/**
 * The default metrics of `prom-client`. NOTE: all registries of a process share them, because it observes garbage collections
 * until the process ends: each closed app would stay in memory.
 */
let processMetrics: Registry | undefined;

/**
 * Creates the registry of one app, with the metrics of its process.
 *
 * @param displayName name of the process in descriptions of metrics, such as `the proxy`
 */
export function createRegistry(prefix: string, displayName: string): Registry {
  if (processMetrics === undefined) {
    processMetrics = new Registry();
    collectDefaultMetrics({ register: processMetrics });
  }
  const registry = Registry.merge([processMetrics]);
  const help = `1 while ${displayName} runs`;
  // All workers report the same value.
  const aggregator = "first";
  // NOTE: a counter, although it stays 1, because `unleash_proxy_up` of the Unleash proxy, which it replaces, is one.
  new Counter({ name: `${prefix}_up`, help, registers: [registry], aggregator }).inc();
  return registry;
}

type Description = Pick<MetricConfiguration<string>, "name" | "help" | "aggregator">;

interface Reading extends Description {
  /** Returns the current value; undefined if there is none, so that the metric is absent. */
  readonly read: () => number | undefined | Promise<number | undefined>;
}

/** Creates a gauge whose value is read when metrics are collected. */
export function createGauge(registry: Registry, { read, ...description }: Reading): void {
  void new Gauge({
    ...description,
    registers: [registry],
    async collect() {
      const value = await read();
      if (value === undefined) this.remove();
      else this.set(value);
    },
  });
}

interface LabelledReading extends Description {
  readonly labelNames: readonly string[];
  /** Returns all current values. */
  readonly read: () => Iterable<LabelledValue> | Promise<Iterable<LabelledValue>>;
}

interface LabelledValue {
  readonly labels: Readonly<Partial<Record<string, string | number>>>;
  readonly value: number;
}

/** Creates a gauge whose values are read when metrics are collected. */
export function createLabelledGauge(
  registry: Registry,
  { read, ...description }: LabelledReading,
): void {
  void new Gauge({
    ...description,
    registers: [registry],
    async collect() {
      const values = await read();
      this.reset();
      for (const { labels, value } of values) this.set(labels, value);
    },
  });
}

/** Creates a counter whose values are read when metrics are collected, because something else counts. */
export function createLabelledCounter(
  registry: Registry,
  { read, ...description }: LabelledReading,
): void {
  void new Counter({
    ...description,
    registers: [registry],
    async collect() {
      const values = await read();
      this.reset();
      for (const { labels, value } of values) this.inc(labels, value);
    },
  });
}

type RequestLabel = "method" | "route" | "status";

/** Counts and times requests. */
export interface RequestMetrics {
  readonly observe: ObserveRequest;
  readonly durations: Histogram<RequestLabel>;
}

/** Adds metrics that count and time requests by method, route and status. */
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
  createLabelledCounter(registry, {
    name: `${prefix}_http_requests_total`,
    help: "Completed requests",
    labelNames,
    // The histogram counts them already.
    read: async () => {
      const { values } = await durations.get();
      return values.filter(({ metricName }) => metricName === `${name}_count`);
    },
  });
  return {
    observe: ({ seconds, ...labels }) => durations.observe(labels, seconds),
    durations,
  };
}

/** Adds metrics of open and closed connections. */
export function observeConnections(
  registry: Registry,
  prefix: string,
  guard: Pick<ConnectionGuard, "size" | "maxConnections" | "closed">,
): void {
  createGauge(registry, {
    name: `${prefix}_connections`,
    help: "Open connections",
    read: () => guard.size,
  });
  createGauge(registry, {
    name: `${prefix}_connections_max`,
    help: "Maximum number of open connections",
    read: () => guard.maxConnections,
  });
  createLabelledCounter(registry, {
    name: `${prefix}_connections_closed_total`,
    help:
      "Connections closed by the server: new ones at the limit (limit), idle ones and ones with slow requests to " +
      "accept others (idle), responses that were not read in time or used too much memory (slow_reader), connections without " +
      "requests whose peer kept sending bytes (keep_alive), too many pipelined requests (pipelining)",
    labelNames: ["reason"],
    read: () =>
      Object.entries(guard.closed).map(([reason, value]) => ({ labels: { reason }, value })),
  });
}
