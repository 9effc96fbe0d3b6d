import type { FastifyInstance } from "fastify";
import { collectDefaultMetrics, Counter, Registry, type Metric } from "prom-client";
import { RequestTally, type ObservedRequest } from "./request-tally.ts";

/** Label of requests that no route was found for: their paths are whatever a caller makes up. */
const NO_ROUTE = "none";

const DURATION_BOUNDS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5];

type RequestLabel = "method" | "route" | "status";

export type ObserveRequest = (observed: ObservedRequest) => void;

/**
 * Makes the registry of one app, with what every process has to show.
 *
 * @param displayName what the process is called, such as `the proxy`
 */
export function createRegistry(prefix: string, displayName: string): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const help = `1 while ${displayName} runs`;
  // Of several processes that make up one, each says the same.
  const aggregator = "first";
  new Counter({ name: `${prefix}_up`, help, registers: [registry], aggregator }).inc();
  return registry;
}

/** Counts and times requests by their route. */
export function createRequestObserver(registry: Registry, prefix: string): ObserveRequest {
  const tally = new RequestTally(DURATION_BOUNDS_SECONDS);
  registry.registerMetric(createCountMetric(tally, prefix));
  registry.registerMetric(createDurationMetric(tally, prefix));
  return (observed) => tally.observe(observed);
}

function createCountMetric(tally: RequestTally, prefix: string): Metric<RequestLabel> {
  return new Counter({
    name: `${prefix}_http_requests_total`,
    help: "Requests answered",
    labelNames: ["method", "route", "status"] satisfies RequestLabel[],
    registers: [],
    collect() {
      this.reset();
      for (const { labels, count } of tally.counts()) this.inc(labels, count);
    },
  });
}

/** A histogram made of sums: the library's own can only be given one duration at a time. */
function createDurationMetric(tally: RequestTally, prefix: string): Metric {
  const name = `${prefix}_http_request_duration_seconds`;
  const description = {
    name,
    help: "Time from the arrival of a request to the end of its answer",
    type: "histogram",
    aggregator: "sum",
  };
  const get = async () => ({
    ...description,
    values: tally.durations().flatMap(({ route, upTo, count, totalSeconds }) => [
      ...upTo.map((value, bound) => {
        const le = DURATION_BOUNDS_SECONDS[bound] ?? "+Inf";
        return { metricName: `${name}_bucket`, labels: { le, route }, value };
      }),
      { metricName: `${name}_sum`, labels: { route }, value: totalSeconds },
      { metricName: `${name}_count`, labels: { route }, value: count },
    ]),
  });
  // NOTE: this is all of a metric that a registry ever uses.
  return { ...description, get } as unknown as Metric;
}

/** Has every request observed that the framework answers. */
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
