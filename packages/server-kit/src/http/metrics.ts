import type { FastifyInstance } from "fastify";
import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  type Metric,
  type MetricConfiguration,
  Registry,
} from "prom-client";
import type { ConnectionGuard } from "./connection-guard.ts";

/** Label of requests without a route: their paths are arbitrary, and labels must be few. */
const NO_ROUTE = "none";

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
 * Creates the registry of one app, with the metrics of its process.
 *
 * @param displayName name of the process in descriptions of metrics, such as `the proxy`
 */
export function createRegistry(prefix: string, displayName: string): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const help = `1 while ${displayName} runs`;
  // All workers report the same value.
  const aggregator = "first";
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
  readonly read: () => Iterable<LabelledValue>;
}

interface LabelledValue {
  readonly labels: Readonly<Record<string, string | number>>;
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
    collect() {
      this.reset();
      for (const { labels, value } of read()) this.set(labels, value);
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
    collect() {
      this.reset();
      for (const { labels, value } of read()) this.inc(labels, value);
    },
  });
}

/** The durations of requests that have a method, a route and a status in common. */
export interface RequestDurations {
  readonly method: string;
  /** Undefined for requests without a route. */
  readonly route: string | undefined;
  readonly status: number;
  /** Upper bounds of all buckets but the last one, which has none, in seconds. */
  readonly bounds: readonly number[];
  /** Number of requests in each bucket. */
  readonly counts: readonly number[];
  readonly totalSeconds: number;
}

/** Counts and times requests. */
export interface RequestMetrics {
  readonly observe: ObserveRequest;
  readonly read: () => readonly RequestDurations[];
}

/** Adds metrics that count and time requests by route. */
export function createRequestMetrics(registry: Registry, prefix: string): RequestMetrics {
  const totals = new RequestTotals();
  createLabelledCounter(registry, {
    name: `${prefix}_http_requests_total`,
    help: "Completed requests",
    labelNames: ["method", "route", "status"],
    read: () => totals.counts(),
  });
  // NOTE: not an instance of a class of the library, whose constructors register themselves.
  registry.registerMetric(createDurationMetric(totals, prefix));
  return {
    observe: (request) => totals.observe(request),
    read: () => totals.read(),
  };
}

/** Observes every request to which the framework responds. */
export function observeRequests(app: FastifyInstance, observe: ObserveRequest): void {
  app.addHook("onResponse", (request, reply, done) => {
    observe({
      method: request.method,
      route: request.routeOptions.url ?? NO_ROUTE,
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
    });
    done();
  });
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
    help: "Connections that may be open at a time",
    read: () => guard.maxConnections,
  });
  createLabelledCounter(registry, {
    name: `${prefix}_connections_closed_total`,
    help:
      "Connections closed by the server: new ones at the limit (limit), idle ones to accept " +
      "others (idle), responses that were not read in time or used too much memory (slow_reader), connections without " +
      "requests whose peer kept sending bytes (keep_alive), too many pipelined requests (pipelining)",
    labelNames: ["reason"],
    read: () =>
      Object.entries(guard.closed).map(([reason, value]) => ({ labels: { reason }, value })),
  });
}

/** Creates a histogram from totals: the library's own histogram accepts only single durations. */
function createDurationMetric(totals: RequestTotals, prefix: string): Metric {
  const name = `${prefix}_http_request_duration_seconds`;
  const description = {
    name,
    help: "Time from the arrival of a request to the end of its response",
    type: "histogram",
    aggregator: "sum",
  };
  const get = async () => ({
    ...description,
    values: totals.durations().flatMap(({ route, cumulative, count, totalSeconds }) => [
      ...cumulative.map((value, index) => {
        const le = DURATION_BOUNDS_SECONDS[index] ?? "+Inf";
        return { metricName: `${name}_bucket`, labels: { le, route }, value };
      }),
      { metricName: `${name}_sum`, labels: { route }, value: totalSeconds },
      { metricName: `${name}_count`, labels: { route }, value: count },
    ]),
  });
  // NOTE: registries use no other property of a metric.
  return { ...description, get } as unknown as Metric;
}

/** The requests that have a route, a method and a status in common. */
interface Totals {
  /** Number of requests in each bucket of durations; the last one has no upper bound. */
  readonly buckets: number[];
  totalSeconds: number;
}

/** The durations of one route, as a Prometheus histogram counts them. */
interface RouteDurations {
  readonly route: string;
  /** For each upper bound, how many requests took at most that long. */
  readonly cumulative: readonly number[];
  readonly count: number;
  readonly totalSeconds: number;
}

/**
 * Counts requests and their durations. Every request calls `observe()`, and the metrics library would
 * take ten times as long, so it receives only totals, when metrics are scraped.
 */
class RequestTotals {
  /** By route, then by method, then by status. */
  readonly #routes = new Map<string, Map<string, Totals[]>>();

  observe({ method, route, status, seconds }: ObservedRequest): void {
    const methods = this.#routes.get(route) ?? addTo(this.#routes, route, new Map());
    const statuses = methods.get(method) ?? addTo(methods, method, []);
    const totals = (statuses[status] ??= { buckets: emptyBuckets(), totalSeconds: 0 });
    let bucket = 0;
    while (seconds > (DURATION_BOUNDS_SECONDS[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1;
    totals.buckets[bucket] = (totals.buckets[bucket] ?? 0) + 1;
    totals.totalSeconds += seconds;
  }

  counts(): readonly LabelledValue[] {
    return this.#list().map(({ route, method, status, totals }) => ({
      labels: { method, route, status },
      value: sum(totals.buckets),
    }));
  }

  durations(): readonly RouteDurations[] {
    return [...this.#routes].map(([route, methods]) => {
      const all = [...methods.values()].flatMap((statuses) => Object.values(statuses));
      let count = 0;
      const cumulative = emptyBuckets().map((_, bucket) => {
        count += sum(all.map(({ buckets }) => buckets[bucket] ?? 0));
        return count;
      });
      return { route, cumulative, count, totalSeconds: sum(all.map((each) => each.totalSeconds)) };
    });
  }

  read(): readonly RequestDurations[] {
    return this.#list().map(({ route, method, status, totals }) => ({
      method,
      route: route === NO_ROUTE ? undefined : route,
      status,
      bounds: DURATION_BOUNDS_SECONDS,
      counts: totals.buckets,
      totalSeconds: totals.totalSeconds,
    }));
  }

  #list() {
    return [...this.#routes].flatMap(([route, methods]) =>
      [...methods].flatMap(([method, statuses]) =>
        // NOTE: skips the statuses that have not occurred.
        Object.entries(statuses).map(([status, totals]) => ({
          route,
          method,
          status: Number(status),
          totals,
        })),
      ),
    );
  }
}

function emptyBuckets(): number[] {
  return Array.from({ length: DURATION_BOUNDS_SECONDS.length + 1 }, () => 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function addTo<Value>(map: Map<string, Value>, key: string, value: Value): Value {
  map.set(key, value);
  return value;
}
